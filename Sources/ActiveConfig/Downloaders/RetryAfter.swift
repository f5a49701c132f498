package import Foundation

#if canImport(FoundationNetworking)
    package import FoundationNetworking
#endif

/// The header field `Retry-After` (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// The longest wait that is adopted.
    static let longest = Duration.seconds(24 * 60 * 60)

    /// The wait that an answer asks for; nil when it asks for none.
    package static func duration(in answer: HTTPURLResponse, now: Date) -> Duration? {
        answer.value(forHTTPHeaderField: "Retry-After").flatMap {
            duration($0, date: answer.value(forHTTPHeaderField: "Date"), now: now)
        }
    }

    /// The wait that a field asks for; nil when it is neither seconds nor a date.
    ///
    /// A date is relative to the server's time of the answer, `date`, else to `now`; a past date is
    /// no wait.
    static func duration(_ field: String, date: String?, now: Date) -> Duration? {
        let field = field.trimmingCharacters(in: .whitespaces)
        if !field.isEmpty, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(Int64(field).map { .seconds($0) } ?? longest, longest)
        }
        guard let end = Self.date(field) else { return nil }
        let start = date.flatMap(Self.date) ?? now
        let seconds = min(max(end.timeIntervalSince(start), 0), Double(longest.components.seconds))
        return .seconds(seconds)
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// A date in one of the three forms of RFC 9110, 5.6.7.
    static func date(_ text: String) -> Date? {
        let words = text.split { " ,-:".contains($0) }.map { $0.lowercased() }
        let parts: (day: String, month: String, year: String, time: ArraySlice<String>)
        switch words.count {
        // "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"
        case 8 where words[7] == "gmt": parts = (words[1], words[2], words[3], words[4...6])
        // "Sun Nov  6 08:49:37 1994"
        case 7: parts = (words[2], words[1], words[6], words[3...5])
        default: return nil
        }
        let time = parts.time.compactMap { Int($0) }
        guard let month = months.firstIndex(of: parts.month), let day = Int(parts.day),
            var year = Int(parts.year), time.count == 3, (1...31).contains(day),
            (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2]),
            (0...9999).contains(year)
        else { return nil }
        if parts.year.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar.date(
            from: DateComponents(
                year: year, month: month + 1, day: day, hour: time[0], minute: time[1],
                second: time[2]))
    }
}
