package import Foundation

extension Date {
    /// The time in the format of RFC 3339, in UTC with milliseconds.
    package var timestamp: String {
        formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Parses a time in the format of RFC 3339, with or without a fraction of a second.
    package init?(timestamp text: String) {
        // Foundation rejects valid offsets that no place on earth has.
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
