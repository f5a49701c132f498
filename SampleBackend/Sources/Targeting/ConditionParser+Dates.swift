import Foundation

extension ConditionParser {
    /// Parses `'2025-01-01T09:02:30', 'Europe/Lisbon'`, then the closing parenthesis.
    ///
    /// - Returns: The time; without a time zone it is GMT.
    /// - Throws: ``ConditionSyntaxError``.
    mutating func parseDate() throws(ConditionSyntaxError) -> Date {
        skipSpace()
        let datePlace = position
        let dateText = try parseLiteral("a date")
        skipSpace()
        var zone = TimeZone.gmt
        if take(",") {
            skipSpace()
            let place = position
            let name = try parseLiteral("a time zone")
            guard let known = TimeZone(identifier: name) else {
                throw error(
                    at: place,
                    "the time zone '\(name)' is unknown; write one such as 'America/New_York'")
            }
            zone = known
        }
        skipSpace()
        guard take(")") else { throw error("expected ',' or ')', found \(found)") }
        guard let date = Self.date(dateText, in: zone) else {
            throw error(
                at: datePlace,
                "'\(dateText)' is no date; write it such as '2025-01-31T09:02:30'")
        }
        return date
    }

    /// Reads a date of the Gregorian calendar.
    private static func date(_ text: String, in zone: TimeZone) -> Date? {
        let pattern = "dddd-dd-ddTdd:dd:dd"
        guard text.utf8.count == pattern.utf8.count,
            zip(text.utf8, pattern.utf8).allSatisfy({ byte, expected in
                expected == UInt8(ascii: "d") ? (0x30...0x39).contains(byte) : byte == expected
            })
        else { return nil }
        let fields = text.utf8.split { !(0x30...0x39).contains($0) }
            .map { $0.reduce(0) { $0 * 10 + Int($1 & 0x0F) } }
        guard fields.count == 6 else { return nil }
        let components = DateComponents(
            year: fields[0], month: fields[1], day: fields[2], hour: fields[3],
            minute: fields[4], second: fields[5])
        guard fields[0] > 0, fields[3] < 24, fields[4] < 60, fields[5] < 60 else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        // A calendar takes February 30 for March 2: without a time zone it must come back as it
        // was. In the zone itself it may not, where clocks were put forward.
        guard let plain = calendar.date(from: components),
            calendar.dateComponents([.month, .day], from: plain)
                == DateComponents(month: fields[1], day: fields[2])
        else { return nil }
        calendar.timeZone = zone
        return calendar.date(from: components)
    }
}
