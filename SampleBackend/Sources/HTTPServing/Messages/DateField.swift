import Foundation
import NIOConcurrencyHelpers

/// The value of the `Date` field (RFC 9110, 6.6.1), formatted at most once per second.
final class DateField: Sendable {
    private let state = NIOLockedValueBox((second: 0, text: ""))

    /// The current value, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    var value: String {
        let second = Int(Date().timeIntervalSince1970)
        return state.withLockedValue { state in
            if state.second != second { state = (second, Self.text(second)) }
            return state.text
        }
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Formats a time given in seconds since 1970.
    static func text(_ second: Int) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.weekday, .day, .month, .year, .hour, .minute, .second],
            from: Date(timeIntervalSince1970: Double(second)))
        func padded(_ number: Int?, _ width: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        let time = [parts.hour, parts.minute, parts.second].map { padded($0, 2) }
        return "\(Self.days[(parts.weekday ?? 1) - 1]), \(padded(parts.day, 2)) "
            + "\(Self.months[(parts.month ?? 1) - 1]) \(padded(parts.year, 4)) "
            + time.joined(separator: ":") + " GMT"
    }
}
