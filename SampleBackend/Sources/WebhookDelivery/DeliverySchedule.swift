package import Foundation
import TemplateStore

/// The back-off between delivery attempts, and their maximum number (API 3).
package struct DeliverySchedule: Sendable, Hashable {
    /// Maximum pause after each attempt, starting with the first, in seconds.
    ///
    /// The delivery fails for good when the attempt after the last pause fails.
    package var pauses: [TimeInterval] = [
        5, 30, 120, 600, 3_600, 10_800, 21_600, 21_600, 21_600,
    ]

    /// Upper bound for the receiver's `Retry-After`, in seconds.
    package var maximumRetryAfter: TimeInterval = 21_600

    /// The schedule of API 3.
    package init() {}

    /// The outcome of an attempt: delivered, failed for good, or the time of the retry.
    ///
    /// The pause is a random fraction of its maximum, so retries to many receivers do not coincide.
    ///
    /// - Parameters:
    ///   - answer: The result of the attempt.
    ///   - attempt: The number of the attempt, from 1.
    ///   - date: The time when the attempt ended.
    ///   - part: The random fraction of the maximum pause, 0 to 1.
    /// - Returns: The outcome to store.
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
