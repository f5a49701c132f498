public import Foundation

/// A notification of a webhook: an event, and the state of its delivery.
public struct WebhookDelivery: Sendable, Hashable {
    /// The state of a delivery; stores keep the raw value.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// Waits for its first or next attempt.
        case pending = "PENDING"
        case delivered = "DELIVERED"
        /// The last attempt failed.
        case failed = "FAILED"
        /// The delivery of a later version replaced it before it was sent, or too many events waited.
        case superseded = "SUPERSEDED"
    }

    /// The identifier, by which receivers recognize repeated deliveries.
    public let id: String

    /// The webhook's identifier.
    public let webhookID: String

    /// The event.
    public let event: WebhookEvent

    /// The time of the event.
    public let creationDate: Date

    /// The state, initially `pending`.
    public var state = State.pending

    /// Number of attempts so far, including one in progress.
    public var attempts = 0

    /// The status of the last response; nil when there was none.
    public var statusCode: Int?

    /// The reason why the last attempt failed, as a sentence.
    public var error: String?

    /// The time of the next attempt, or the end of the claim; nil when the delivery is finished.
    public var nextAttemptDate: Date?

    /// The time at which it left the state `pending`; nil before that.
    public var finishDate: Date?

    /// Creates a delivery that is due immediately.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - webhookID: The webhook's identifier.
    ///   - event: The event.
    ///   - creationDate: The time of the event.
    public init(id: String, webhookID: String, event: WebhookEvent, creationDate: Date) {
        self.id = id
        self.webhookID = webhookID
        self.event = event
        self.creationDate = creationDate
        nextAttemptDate = creationDate
    }

    /// The published version; nil for other events.
    public var version: Int? { event.version }
}

extension WebhookDelivery {
    package static func newID() -> String { UUID().uuidString.lowercased() }
}

/// A delivery that a process has claimed, with the data to send it.
public struct ClaimedDelivery: Sendable, Hashable {
    /// The delivery; its number of attempts includes the one that begins now.
    public let delivery: WebhookDelivery

    /// The webhook.
    public let webhook: StoredWebhook

    /// The last version that the receiver knows: the last delivered one, or the version that was
    /// current when the webhook was added.
    public let knownVersion: Int

    /// Creates a claimed delivery.
    public init(delivery: WebhookDelivery, webhook: StoredWebhook, knownVersion: Int) {
        self.delivery = delivery
        self.webhook = webhook
        self.knownVersion = knownVersion
    }
}

/// The result of one delivery attempt.
public struct DeliveryAttempt: Sendable, Hashable {
    /// The next step for the delivery.
    public enum Outcome: Sendable, Hashable {
        case delivered
        /// Retries at this time.
        case retry(at: Date)
        /// Gives up.
        case failed
    }

    /// The claim under which it was made.
    public let claimed: ClaimedDelivery

    /// The next step.
    public let outcome: Outcome

    /// The status of the response; nil when there was none.
    public let statusCode: Int?

    /// The reason for the failure, as a sentence; nil after a success.
    public let error: String?

    /// The time at which the attempt ended.
    public let date: Date

    /// The delivery's identifier.
    public var deliveryID: String { claimed.delivery.id }

    /// The number of the attempt, from 1.
    public var number: Int { claimed.delivery.attempts }

    /// Creates an attempt.
    public init(
        at claimed: ClaimedDelivery, outcome: Outcome, statusCode: Int? = nil,
        error: String? = nil, date: Date
    ) {
        self.claimed = claimed
        self.outcome = outcome
        self.statusCode = statusCode
        self.error = error
        self.date = date
    }
}
