import Foundation

/// The result of an attempt to send a delivery.
struct DeliveryAnswer: Sendable, Hashable {
    /// Nil when there was no response.
    var statusCode: Int?

    /// The minimum delay before the next attempt that the receiver asks for, in seconds.
    var retryAfter: TimeInterval?

    /// The reason for a failure, as a sentence; nil after a success.
    var error: String?

    /// The start of the answer's body; nil when it was not read.
    var body: Data?

    var isSuccess: Bool { statusCode.map { (200..<300).contains($0) } ?? false }

    /// True when no retry can succeed: 410 means that the receiver is permanently gone.
    var isFinal: Bool { statusCode == 410 }

    /// An attempt without a response.
    init(error: String) { self.error = error }

    /// An attempt with a response; `retryAfter` is the value of `Retry-After`, seconds or an HTTP
    /// date.
    init(statusCode: Int, retryAfter: String? = nil, date: Date) {
        self.statusCode = statusCode
        switch statusCode {
        case 200..<300: return
        case 300..<400:
            error = "The receiver answered \(statusCode), a redirect. Redirects are not followed."
        case 410: error = "The receiver answered 410: it is permanently gone."
        default: error = "The receiver answered \(statusCode)."
        }
        guard let retryAfter else { return }
        if let seconds = TimeInterval(retryAfter), seconds.isFinite {
            self.retryAfter = seconds
        } else {
            self.retryAfter = Self.date(retryAfter)?.timeIntervalSince(date)
        }
    }

    /// Parses an HTTP date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func date(_ text: String) -> Date? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text)
    }
}
