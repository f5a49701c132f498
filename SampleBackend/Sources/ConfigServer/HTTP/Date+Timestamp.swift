import Foundation

extension Date {
    /// The time as RFC 3339 has it, in UTC to the millisecond.
    var timestamp: String {
        formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Reads a time as RFC 3339 has it, with a fraction of a second or without.
    init?(timestamp text: String) {
        for style in [
            Date.ISO8601FormatStyle(includingFractionalSeconds: true), Date.ISO8601FormatStyle(),
        ] {
            if let date = try? style.parse(text) {
                self = date
                return
            }
        }
        return nil
    }
}
