import Foundation

extension Date {
    /// The time as RFC 3339 has it, in UTC to the millisecond.
    package var timestamp: String {
        formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Reads a time as RFC 3339 has it, with a fraction of a second or without.
    package init?(timestamp text: String) {
        // Foundation refuses offsets that no place on earth has.
        if let match = text.wholeMatch(of: /(.*)([+-])([01][0-9]|2[0-3]):([0-5][0-9])/),
            let hours = Double(match.3), let minutes = Double(match.4)
        {
            guard let date = Date(timestamp: String(match.1) + "Z") else { return nil }
            let offset = (hours * 60 + minutes) * 60
            self = match.2 == "-" ? date + offset : date - offset
            return
        }
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
