public import Foundation

/// The part of a ``TemplateStore`` that keeps webhooks and their deliveries.
public protocol WebhookStoring: Sendable {
    /// Stores a new webhook; each later event of its topics creates a delivery for it.
    ///
    /// - Parameter webhook: The webhook, with a new identifier.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing`, `projectArchived` or
    ///   `tooManyWebhooks`.
    func addWebhook(_ webhook: StoredWebhook) async throws(TemplateStoreError)

    /// The webhooks of a project, the oldest first.
    func webhooks(inProject project: String) async throws(TemplateStoreError) -> [StoredWebhook]

    /// Removes a webhook with its deliveries; false when the project has no webhook with this
    /// identifier.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `projectArchived`.
    func removeWebhook(
        id: String, inProject project: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool

    /// The latest deliveries of a webhook, newest first; empty when there is no such webhook.
    func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) async throws(TemplateStoreError) -> [WebhookDelivery]

    /// Claims due deliveries, at most one per webhook, so that no other process sends them.
    ///
    /// For each webhook this is the delivery of the latest version, or the first one of the other
    /// events; earlier unclaimed deliveries of versions are superseded. The first of both goes first
    /// if both are due. A webhook with a claimed delivery yields none. Report the result with
    /// ``finish(_:)`` before the claim ends; after that, other processes can claim the delivery. A
    /// store that knows that the claiming process has ended may end its claims earlier.
    ///
    /// - Parameters:
    ///   - date: The current time.
    ///   - end: The end of the claim.
    ///   - limit: Maximum number of deliveries to claim.
    /// - Returns: The deliveries, oldest first.
    /// - Throws: ``TemplateStoreError`` when the engine fails; with the code `damaged` when nothing can
    ///   be claimed but what cannot be read.
    func claimDeliveries(
        date: Date, until end: Date, limit: Int
    ) async throws(TemplateStoreError) -> [ClaimedDelivery]

    /// True while a delivery has the claim with which ``claimDeliveries(date:until:limit:)``
    /// returned it.
    ///
    /// A process that was suspended checks before it sends, since another process may have claimed
    /// the delivery.
    ///
    /// - Parameters:
    ///   - claimed: The delivery.
    ///   - date: The current time.
    /// - Returns: False when the claim has ended.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func holdsClaim(
        of claimed: ClaimedDelivery, date: Date
    ) async throws(TemplateStoreError) -> Bool

    /// The earliest time at which ``claimDeliveries(date:until:limit:)`` can return a delivery,
    /// unless a claimed one finishes earlier; nil when none is pending.
    ///
    /// The time may have passed. For a webhook with a claimed delivery, it is the later of the end
    /// of the claim and the time at which the next delivery is due.
    func nextDeliveryDate() async throws(TemplateStoreError) -> Date?

    /// Stores the result of an attempt at a claimed delivery.
    ///
    /// Followers of the change feed do not see it.
    ///
    /// Ignored when the delivery is removed, finished or claimed again. A retry is superseded by a
    /// delivery of a later version.
    func finish(_ attempt: DeliveryAttempt) async throws(TemplateStoreError)
}

/// A stored address that is notified of events of a project (API 3).
public struct StoredWebhook: Sendable, Hashable {
    /// The public identifier, used to list and remove the webhook.
    public let id: String

    /// The project whose events the webhook is notified of.
    public let project: String

    /// The address.
    public let url: String

    /// The signing key; stored in plain text, since signing needs it.
    public let secret: String

    /// The time of creation.
    public let creationDate: Date

    /// The name of the token that created it.
    public let creator: String

    /// The events that the webhook is notified of.
    public let topics: Set<WebhookEvent.Topic>

    /// Creates a webhook.
    public init(
        id: String, project: String, url: String, secret: String, creationDate: Date,
        creator: String, topics: Set<WebhookEvent.Topic> = [.publish]
    ) {
        self.id = id
        self.project = project
        self.url = url
        self.secret = secret
        self.creationDate = creationDate
        self.creator = creator
        self.topics = topics
    }
}

extension StoredWebhook: CustomStringConvertible, CustomReflectable {
    /// The identifier and the address.
    public var description: String { "\(id) (\(shownURL))" }

    /// Hides the secret and the query's values from dumps and logs.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StoredWebhook {
    /// The webhook with its date rounded to milliseconds, as stored.
    package var roundedToMilliseconds: StoredWebhook {
        StoredWebhook(
            id: id, project: project, url: url, secret: secret,
            creationDate: creationDate.roundedToMilliseconds, creator: creator, topics: topics)
    }
}
