public import Foundation
public import Templates

/// What a webhook is told of one version, and how far that is.
public struct WebhookDelivery: Sendable, Hashable {
    /// How far a delivery is.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// It is to be sent, for the first time or again.
        case pending = "PENDING"
        /// The receiver took it.
        case delivered = "DELIVERED"
        /// It was given up.
        case failed = "FAILED"
        /// A later version took its place before it was sent.
        case superseded = "SUPERSEDED"
    }

    /// The identifier, by which a receiver knows a delivery that comes twice.
    public let id: String

    /// The webhook's identifier.
    public let webhookID: String

    /// The version that was published.
    public let version: Int

    /// The kind of publish.
    public let updateType: TemplateVersion.UpdateType

    /// When the version was published.
    public let creationDate: Date

    /// How far it is.
    public var state = State.pending

    /// How often it was tried, the attempt under way included.
    public var attempts = 0

    /// The status of the last answer; nil when there was none.
    public var statusCode: Int?

    /// Why the last attempt failed, a sentence.
    public var error: String?

    /// When it is due; nil when it is finished.
    public var nextAttemptDate: Date?

    /// When it was finished, in whatever way; nil while it is pending.
    public var finishDate: Date?

    /// Makes a delivery that is due at once.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - webhookID: The webhook's identifier.
    ///   - version: The version that was published.
    public init(id: String, webhookID: String, version: TemplateVersion) {
        self.id = id
        self.webhookID = webhookID
        self.version = version.number
        updateType = version.updateType
        creationDate = version.updateTime
        nextAttemptDate = version.updateTime
    }

    /// Makes a delivery of all that is stored of it.
    package init(
        id: String, webhookID: String, version: Int, updateType: TemplateVersion.UpdateType,
        creationDate: Date
    ) {
        self.id = id
        self.webhookID = webhookID
        self.version = version
        self.updateType = updateType
        self.creationDate = creationDate
    }
}
