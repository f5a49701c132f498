public import Foundation

/// The part of a ``TemplateStore`` that keeps webhooks and their deliveries.
public protocol WebhookStoring: Sendable {
    /// Stores a new webhook; each publish from now on makes a delivery for it.
    ///
    /// - Parameter webhook: The webhook, with a new identifier.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing` before the first publish, or
    /// `tooManyWebhooks`.
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
    /// Of each webhook, that is the delivery of the latest version; earlier ones that are not
    /// claimed are superseded. A webhook with a claimed delivery gives none. Report the result with
    /// ``finish(_:)`` before the claim ends; after that, as when a process dies, others may claim
    /// the delivery again.
    ///
    /// - Parameters:
    /// - date: Now.
    /// - end: When the claim ends.
    /// - limit: The most deliveries to claim.
    /// - Returns: The deliveries, the oldest first.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func claimDeliveries(
        date: Date, until end: Date, limit: Int
    ) async throws(TemplateStoreError) -> [ClaimedDelivery]

    /// The time from which ``claimDeliveries(date:until:limit:)`` has a delivery to give, unless one
    /// that is claimed finishes earlier; nil when none is pending.
    ///
    /// It may have passed. Of a webhook with a claimed delivery it is the end of the claim.
    func nextDeliveryDate() async throws(TemplateStoreError) -> Date?

    /// Stores the result of an attempt at a claimed delivery; not a change to follow.
    ///
    /// Ignored when the delivery is gone or finished, or was claimed again since. A retry is
    /// superseded when there is a delivery of a later version.
    func finish(_ attempt: DeliveryAttempt) async throws(TemplateStoreError)
}

/// An address that is told of each publish (HTTP 3), as a store keeps it.
public struct StoredWebhook: Sendable, Hashable {
    /// The public identifier, by which it is listed and removed.
    public let id: String

    /// The project whose publishes it is told of.
    public let project: String

    /// The address.
    public let url: String

    /// The key of the signatures; stored as it is, since signing needs it.
    public let secret: String

    /// When it was made.
    public let creationDate: Date

    /// Who made it: the name of a token.
    public let creator: String

    /// Makes a webhook.
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
    /// The webhook as it is stored, its date rounded to milliseconds.
    package var roundedToMilliseconds: StoredWebhook {
        StoredWebhook(
            id: id, project: project, url: url, secret: secret,
            creationDate: creationDate.roundedToMilliseconds, creator: creator)
    }
}
