package import Foundation

extension Date {
    /// The time in the format of RFC 3339, in UTC with milliseconds.
    package var timestamp: String {
        // Most milliseconds have no exact `Date`, and the format drops what is beyond a
        // millisecond: every second one would be written as the one before it.
        (self + 0.000_01).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Parses a time in the format of RFC 3339, with or without a fraction of a second.
    ///
    /// Nil for any other text, for a nonexistent day of a month, for a leap second, and for a time
    /// outside the years 1 to 9999 (UTC), which ``timestamp`` could not write.
    package init?(timestamp text: String) {
        // Foundation's parser accepts text after the time and fields of other lengths, and turns
        // February 30 into March 2. The pattern compares characters; in ASCII these have no
        // combining marks.
        let pattern =
            #/
            ([0-9]{4}-[0-9]{2}-[0-9]{2}) [Tt] ([0-9]{2}:[0-9]{2}:[0-9]{2}) (\.[0-9]+)?
            (?: [Zz] | ([+-]) ([01][0-9] | 2[0-3]) : ([0-5][0-9]) )
            /#
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }),
            let match = text.wholeMatch(of: pattern)
        else { return nil }
        let style = Date.ISO8601FormatStyle()
        let whole = "\(match.1)T\(match.2)Z"
        guard var date = try? style.parse(whole), style.format(date) == whole else { return nil }
        if let fraction = match.3, let seconds = Double("0" + fraction) { date += seconds }
        if let sign = match.4, let hours = match.5.flatMap({ Double($0) }),
            let minutes = match.6.flatMap({ Double($0) })
        {
            let offset = (hours * 60 + minutes) * 60
            date += sign == "-" ? offset : -offset
        }
        // `distantPast` is 0001-01-01T00:00:00Z.
        guard date >= .distantPast, date < Self.endOfTimestamps else { return nil }
        self = date
    }

    /// 10000-01-01T00:00:00Z, the first time with a five-digit year.
    private static let endOfTimestamps = Date(timeIntervalSince1970: 253_402_300_800)
}
