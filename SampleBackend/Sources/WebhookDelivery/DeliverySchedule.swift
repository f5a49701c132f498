package import Foundation
import TemplateStore

/// When a delivery is tried again, and when it is given up (HTTP 3).
package struct DeliverySchedule: Sendable, Hashable {
    /// The longest pauses after the first attempt, the second and so on, in seconds; after the last
    /// of them, and one more attempt, a delivery is given up.
    package var pauses: [TimeInterval] = [
        5, 30, 120, 600, 3_600, 10_800, 21_600, 21_600, 21_600,
    ]

    /// The longest time that a receiver may put an attempt off, in seconds.
    package var maximumRetryAfter: TimeInterval = 21_600

    /// Makes the schedule of HTTP 3.
    package init() {}

    /// What follows from an attempt.
    ///
    /// The pause is a random part of the longest one, so that the attempts at many receivers do not
    /// come at once.
    ///
    /// - Parameters:
    ///   - answer: What came back.
    ///   - attempt: The number of the attempt, from 1.
    ///   - date: When it ended.
    ///   - part: The random part, 0 to 1.
    /// - Returns: The outcome.
    func outcome(
        of answer: DeliveryAnswer, attempt: Int, date: Date, part: Double
    ) -> DeliveryAttempt.Outcome {
        if answer.isSuccess { return .delivered }
        guard !answer.isFinal, attempt - 1 < pauses.count else { return .failed }
        let pause = pauses[max(attempt - 1, 0)] * min(max(part, 0), 1)
        let wanted = answer.retryAfter.map { min(max($0, 0), maximumRetryAfter) } ?? 0
        return .retry(at: date + max(pause, wanted))
    }
}
