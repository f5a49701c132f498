public import Foundation

/// What came of one attempt at a delivery.
public struct DeliveryAttempt: Sendable, Hashable {
    /// What follows from it.
    public enum Outcome: Sendable, Hashable {
        /// The receiver took it.
        case delivered
        /// It is to be tried again at this time.
        case retry(at: Date)
        /// It is given up.
        case failed
    }

    /// The delivery's identifier.
    public let deliveryID: String

    /// The number of the attempt, from 1, as the claim had it.
    public let number: Int

    /// What follows from it.
    public let outcome: Outcome

    /// The status of the answer; nil when there was none.
    public let statusCode: Int?

    /// Why it failed, a sentence; nil when it did not.
    public let error: String?

    /// When it ended.
    public let date: Date

    /// Makes an attempt.
    public init(
        deliveryID: String, number: Int, outcome: Outcome, statusCode: Int? = nil,
        error: String? = nil, date: Date
    ) {
        self.deliveryID = deliveryID
        self.number = number
        self.outcome = outcome
        self.statusCode = statusCode
        self.error = error
        self.date = date
    }
}
