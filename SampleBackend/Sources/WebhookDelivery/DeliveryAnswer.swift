import Foundation

/// What came of sending a delivery.
struct DeliveryAnswer: Sendable, Hashable {
    /// The status; nil when there was no answer.
    var statusCode: Int?

    /// How long the receiver wants to be left alone, in seconds.
    var retryAfter: TimeInterval?

    /// Why it failed, a sentence; nil when it did not.
    var error: String?

    /// Whether the receiver took it.
    var isSuccess: Bool { statusCode.map { (200..<300).contains($0) } ?? false }

    /// Whether there is no use in trying again: the receiver says that it is gone for good.
    var isFinal: Bool { statusCode == 410 }

    /// Makes what came of a delivery without an answer.
    init(error: String) { self.error = error }

    /// Makes what came of an answer.
    ///
    /// - Parameters:
    ///   - statusCode: The status.
    ///   - retryAfter: The field `Retry-After`, seconds or a date.
    ///   - date: The time now.
    init(statusCode: Int, retryAfter: String? = nil, date: Date) {
        self.statusCode = statusCode
        switch statusCode {
        case 200..<300: return
        case 300..<400:
            error = "The receiver answered \(statusCode), a redirect, which is not followed."
        case 410: error = "The receiver answered 410: it is gone for good."
        default: error = "The receiver answered \(statusCode)."
        }
        guard let retryAfter else { return }
        if let seconds = TimeInterval(retryAfter), seconds.isFinite {
            self.retryAfter = seconds
        } else {
            self.retryAfter = Self.date(retryAfter)?.timeIntervalSince(date)
        }
    }

    /// Reads a date of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}
