public import Foundation

/// A type that keeps templates and their versions, overrides, tokens and the audit trail.
///
/// It is made for engines that are one file and for engines that are many machines: no call assumes
/// that this process is the only one that writes. Whoever keeps a copy of what is stored reads it
/// once with its revision, and then follows ``changes(since:)``.
///
/// Every change is durable before its call returns, and is there with its entry in the audit trail
/// or not at all.
public protocol TemplateStore: Sendable {
    /// Publishes a template as the next version, if the current version is the expected one.
    ///
    /// Versions beyond ``TemplateStoreLimits/keptVersions`` are dropped, the oldest first. Each
    /// webhook of the project gets a delivery, stored with the version or not at all.
    ///
    /// - Parameter submission: The template, and what is said about it.
    /// - Returns: The version as it is stored.
    /// - Throws: ``TemplateStoreError`` with the code `versionMismatch` and the current version,
    ///   when that is another one; nothing is stored then.
    func publish(
        _ submission: TemplateSubmission
    ) async throws(TemplateStoreError) -> StoredTemplate

    /// A version of a project's template.
    ///
    /// - Parameters:
    ///   - version: The version's number, or nil for the current one.
    ///   - project: The project's name.
    /// - Returns: The template, or nil when there is no such project, or no such version is kept.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func template(
        version: Int?, inProject project: String
    ) async throws(TemplateStoreError) -> StoredTemplate?

    /// What is known of the versions of a project, newest first.
    func versions(
        inProject project: String, matching query: VersionQuery
    ) async throws(TemplateStoreError) -> VersionPage

    /// Pins values for one user, or removes what was pinned; that nothing was is no change.
    ///
    /// - Parameter change: Whose values, which, and who says so.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing` before the first publish, or
    ///   `tooManyOverrides`.
    func setOverrides(_ change: OverridesChange) async throws(TemplateStoreError)

    /// What is pinned for one user, or nil when nothing is.
    func overrides(
        forUserID userID: String, inProject project: String
    ) async throws(TemplateStoreError) -> Data?

    /// All that a server needs to answer clients, read at one revision.
    func snapshot() async throws(TemplateStoreError) -> TemplateStoreSnapshot

    /// What changes after a revision, from this process or another, in order.
    ///
    /// It ends when the store is closed or its task cancelled. Else it throws ``TemplateStoreError`` with the code
    /// `watchLost` when changes may have been missed (the revision is no longer kept, the connection
    /// broke). Then read a ``snapshot()`` and follow on from its revision.
    ///
    /// - Parameter revision: The revision of a snapshot, or of the last change that was seen.
    /// - Returns: The changes, for one reader.
    func changes(since revision: StoreRevision) -> StoreChanges

    /// The audit trail of a project, newest first; what concerns the whole server is in it too.
    func auditEntries(
        inProject project: String, matching query: AuditQuery
    ) async throws(TemplateStoreError) -> [AuditEntry]

    /// Stores a new access token, as its hash.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - actor: Who makes it, for the audit trail.
    /// - Throws: ``TemplateStoreError`` with the code `tokenExists` when its identifier or its hash
    ///   is not new.
    func addToken(
        _ token: StoredToken, actor: String
    ) async throws(TemplateStoreError)

    /// All tokens, the oldest first, revoked and expired ones included.
    func tokens() async throws(TemplateStoreError) -> [StoredToken]

    /// Revokes a token for good, and says whether there was one with this identifier.
    ///
    /// That it was revoked before is no change.
    func revokeToken(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool

    /// Remembers when a token was last used; it may be written late, and is no change to follow.
    func recordUse(ofToken id: String, date: Date) async throws(TemplateStoreError)

    /// Stores a new webhook; from the next publish on there is a delivery for it.
    ///
    /// - Parameter webhook: The webhook, with an identifier that is new.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing` before the first publish, or
    ///   `tooManyWebhooks`.
    func addWebhook(_ webhook: StoredWebhook) async throws(TemplateStoreError)

    /// The webhooks of a project, the oldest first.
    func webhooks(inProject project: String) async throws(TemplateStoreError) -> [StoredWebhook]

    /// Removes a webhook with its deliveries, and says whether the project had one with this
    /// identifier.
    func removeWebhook(
        id: String, inProject project: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool

    /// The newest deliveries of a webhook, newest first; none when there is no such webhook.
    func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) async throws(TemplateStoreError) -> [WebhookDelivery]

    /// Takes deliveries that are due, at most one a webhook, so that nobody else sends them.
    ///
    /// Of each webhook it is the one of the latest version; those before it that are not taken are
    /// superseded. A webhook with a delivery that somebody has taken gives none. Who takes one says
    /// what came of it with ``finish(_:)``; who does not until the end of the claim, as when its
    /// process dies, loses it to others.
    ///
    /// - Parameters:
    ///   - date: The time now.
    ///   - end: When the claim ends.
    ///   - limit: The most deliveries to take.
    /// - Returns: The deliveries, the oldest first.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func claimDeliveries(
        date: Date, until end: Date, limit: Int
    ) async throws(TemplateStoreError) -> [ClaimedDelivery]

    /// Stores what came of an attempt at a delivery that was claimed.
    ///
    /// It is no change to follow. It is left out when the delivery is gone or finished, or was
    /// claimed again since. A delivery that would be tried again is superseded when there is one of
    /// a later version.
    func finish(_ attempt: DeliveryAttempt) async throws(TemplateStoreError)

    /// Returns when the store answers, and throws when it does not.
    func checkReadiness() async throws(TemplateStoreError)

    /// Lets go of files and connections; every sequence of changes ends.
    func close() async
}
