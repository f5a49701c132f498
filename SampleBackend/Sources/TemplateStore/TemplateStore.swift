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
    /// Versions beyond ``TemplateStoreLimits/keptVersions`` are dropped, the oldest first.
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

    /// Returns when the store answers, and throws when it does not.
    func checkReadiness() async throws(TemplateStoreError)

    /// Lets go of files and connections; every sequence of changes ends.
    func close() async
}
