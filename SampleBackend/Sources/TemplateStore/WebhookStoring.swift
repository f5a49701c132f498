public import Foundation

/// The part of a ``TemplateStore`` that keeps webhooks and their deliveries.
public protocol WebhookStoring: Sendable {
    /// Stores a new webhook; each later publish creates a delivery for it.
    ///
    /// - Parameter webhook: The webhook, with a new identifier.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing` before the first publish, or
    ///   `tooManyWebhooks`.
    func addWebhook(_ webhook: StoredWebhook) async throws(TemplateStoreError)

    /// The webhooks of a project, the oldest first.
    func webhooks(inProject project: String) async throws(TemplateStoreError) -> [StoredWebhook]

    /// Removes a webhook with its deliveries; false when the project has none with this identifier.
    func removeWebhook(
        id: String, inProject project: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool

    /// The newest deliveries of a webhook, newest first; none when there is no such webhook.
    func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) async throws(TemplateStoreError) -> [WebhookDelivery]

    /// Claims due deliveries, at most one per webhook, so that no other process sends them.
    ///
    /// For each webhook this is the delivery of the latest version; earlier ones that are not
    /// claimed are superseded. A webhook with a claimed delivery yields none. Report the result
    /// with ``finish(_:)`` before the claim ends; after that others may claim the delivery again. A
    /// store that knows that the claiming process has ended may end its claims earlier.
    ///
    /// - Parameters:
    ///   - date: The current time.
    ///   - end: The end of the claim.
    ///   - limit: The most deliveries to claim.
    /// - Returns: The deliveries, the oldest first.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func claimDeliveries(
        date: Date, until end: Date, limit: Int
    ) async throws(TemplateStoreError) -> [ClaimedDelivery]

    /// True while a delivery is claimed as it was when ``claimDeliveries(date:until:limit:)`` returned it.
    ///
    /// A process that was paused asks before it sends, since another one may have claimed the delivery.
    ///
    /// - Parameters:
    ///   - claimed: The delivery.
    ///   - date: The current time.
    /// - Returns: False when the claim has ended.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func holdsClaim(
        of claimed: ClaimedDelivery, date: Date
    ) async throws(TemplateStoreError) -> Bool

    /// The time from which ``claimDeliveries(date:until:limit:)`` has a delivery to give, unless one
    /// that is claimed finishes earlier; nil when none is pending.
    ///
    /// It may have passed. Of a webhook with a claimed delivery it is the end of the claim or the
    /// time at which its latest delivery is due, whichever is later.
    func nextDeliveryDate() async throws(TemplateStoreError) -> Date?

    /// Stores the result of an attempt at a claimed delivery; not a change to follow.
    ///
    /// Ignored when the delivery is gone or finished, or has been claimed again. A retry is
    /// superseded when there is a delivery of a later version.
    func finish(_ attempt: DeliveryAttempt) async throws(TemplateStoreError)
}

/// An address that is notified of each publish (API 3), as stored.
public struct StoredWebhook: Sendable, Hashable {
    /// The public identifier, by which it is listed and removed.
    public let id: String

    /// The project whose publishes it is notified of.
    public let project: String

    /// The address.
    public let url: String

    /// The key of the signatures; stored in plain text, since signing needs it.
    public let secret: String

    /// The time of creation.
    public let creationDate: Date

    /// The name of the token that created it.
    public let creator: String

    /// Creates a webhook.
    public init(
        id: String, project: String, url: String, secret: String, creationDate: Date,
        creator: String
    ) {
        self.id = id
        self.project = project
        self.url = url
        self.secret = secret
        self.creationDate = creationDate
        self.creator = creator
    }
}

extension StoredWebhook: CustomStringConvertible, CustomReflectable {
    /// The identifier and the address.
    public var description: String { "\(id) (\(url))" }

    /// Hides the secret from dumps and logs.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StoredWebhook {
    /// The webhook with its date rounded to milliseconds, as in a store.
    package var roundedToMilliseconds: StoredWebhook {
        StoredWebhook(
            id: id, project: project, url: url, secret: secret,
            creationDate: creationDate.roundedToMilliseconds, creator: creator)
    }
}
