import Foundation
import JSONTree

extension ConditionParser {
    /// Parses the rest of `percent('seed') <= 10`.
    mutating func parsePercent() throws(ConditionSyntaxError) -> Rule.Test {
        let seed = try parseSeed()
        skipSpace()
        if takeWord("between") {
            skipSpace()
            let start = position
            let lower = try parsePercentage()
            skipSpace()
            guard takeWord("and") else { throw error("expected 'and', found \(found)") }
            skipSpace()
            let upper = try parseUpperBound()
            guard lower <= upper else {
                throw error(at: start, "the first bound is above the second; swap them")
            }
            return .percent(seed: seed, above: lower, upTo: upper)
        }
        let start = position
        switch takeComparison() {
        case .lessOrEqual:
            skipSpace()
            return .percent(seed: seed, above: -1, upTo: try parseUpperBound())
        case .greater:
            skipSpace()
            return .percent(seed: seed, above: try parsePercentage(), upTo: Percentile.count)
        default:
            position = start
            throw error("expected '<=', '>' or 'between' after percent, found \(found)")
        }
    }

    /// Parses a percentage that a rollout can raise.
    private mutating func parseUpperBound() throws(ConditionSyntaxError) -> Int {
        let start = position
        let bound = try parsePercentage()
        upperBounds.append(start..<position)
        return bound
    }

    /// Parses `('seed')`; returns "" when it is missing.
    private mutating func parseSeed() throws(ConditionSyntaxError) -> String {
        guard take("(") else {
            let start = position
            skipSpace()
            if next == UInt8(ascii: "(") {
                throw error(at: start, "remove the space between percent and '('")
            }
            return ""
        }
        skipSpace()
        let place = position
        let seed = try parseLiteral("a seed")
        guard (1...32).contains(seed.utf8.count), seed.utf8.allSatisfy(isSeedByte) else {
            throw error(
                at: place,
                "a seed has 1 to 32 characters of A to Z, a to z, 0 to 9, '-', '_' and '.'")
        }
        try expectClosing()
        return seed
    }

    /// True for letters, digits, `-`, `.` and `_`.
    private func isSeedByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }

    /// Parses the rest of `dateTime < dateTime('2025-01-01T09:02:30')`.
    mutating func parseDateTime() throws(ConditionSyntaxError) -> Rule.Test {
        skipSpace()
        let comparison = try parseOrder(after: "dateTime")
        skipSpace()
        guard takeWord("dateTime") else {
            throw error("expected dateTime('…'), found \(found)")
        }
        try expectOpening(after: "dateTime")
        let (date, zone) = try parseDate()
        return .date(comparison, date, zone: zone)
    }

    /// Parses `<`, `<=`, `>` or `>=`.
    private mutating func parseOrder(
        after name: String
    ) throws(ConditionSyntaxError) -> Comparison {
        let start = position
        if let comparison = takeComparison(), comparison != .equal, comparison != .notEqual {
            return comparison
        }
        position = start
        throw error("expected one of <, <=, >, >= after \(name), found \(found)")
    }

    /// Parses the rest of a rule on an element that is not evaluated.
    mutating func parseUnevaluated(
        _ element: ConditionElement
    ) throws(ConditionSyntaxError) {
        switch element {
        case .firstOpenTimestamp: try parseFirstOpen()
        case .firebaseInstallationID: try parseInstallationIDs()
        case .audiences, .importedSegments:
            try parseSetMethod(of: element, otherwise: Self.setMethods)
        default:
            let start = position
            skipSpace()
            if takeWord("in") {
                skipSpace()
                _ = try parseList("a text")
            } else if take("==") || take("!=") {
                skipSpace()
                _ = try parseLiteral("a text")
            } else {
                position = start
                try parseSetMethod(of: element, otherwise: Self.setMethods + Self.textMethods)
            }
        }
    }

    private static let setMethods = ["inAtLeastOne", "notInAtLeastOne", "inAll", "notInAll"]

    private static let textMethods = [
        "<=", ">=", "==", "!=", "<", ">", "contains", "notContains", "exactlyMatches", "matches",
    ]

    /// Parses one of the set methods or of `methods`, with its arguments.
    private mutating func parseSetMethod(
        of element: ConditionElement, otherwise methods: [String]
    ) throws(ConditionSyntaxError) {
        let start = position
        let dot = take(".")
        let name = takeComparison()?.rawValue ?? word(at: position)
        guard dot, methods.contains(name) else {
            position = start
            throw error(
                "expected one of \(methods.map { ".\($0)" }.joined(separator: ", ")) right after "
                    + element.rawValue)
        }
        if next != UInt8(ascii: "(") { position += word(at: position).utf8.count }
        _ = try parseArguments(of: ".\(name)", "a text")
    }

    /// Parses the rest of `app.firstOpenTimestamp >= ('2022-10-31T14:37:47')`.
    private mutating func parseFirstOpen() throws(ConditionSyntaxError) {
        skipSpace()
        _ = try parseOrder(after: "app.firstOpenTimestamp")
        skipSpace()
        guard take("(") else {
            let hint = isNext("dateTime") ? "; remove dateTime" : ""
            throw error("expected ('…') with a date, found \(found)\(hint)")
        }
        _ = try parseDate()
    }

    /// Parses the rest of `app.firebaseInstallationId in ['…']`.
    private mutating func parseInstallationIDs() throws(ConditionSyntaxError) {
        skipSpace()
        guard takeWord("in") else {
            throw error("expected 'in' after app.firebaseInstallationId, found \(found)")
        }
        skipSpace()
        let start = position
        guard try parseList("an installation ID").count <= 50 else {
            throw error(at: start, "a condition names at most 50 installation IDs")
        }
    }
}

extension ConditionParser {
    /// Parses `'2025-01-01T09:02:30', 'Europe/Lisbon'` and the closing parenthesis; without a time
    /// zone the time is GMT.
    mutating func parseDate() throws(ConditionSyntaxError) -> (Date, zone: String?) {
        skipSpace()
        let datePlace = position
        let dateText = try parseLiteral("a date")
        skipSpace()
        var zone = TimeZone.gmt
        var zoneName: String?
        if take(",") {
            skipSpace()
            let place = position
            let name = try parseLiteral("a time zone")
            guard let known = TimeZone(identifier: name) else {
                throw error(
                    at: place,
                    "the time zone '\(name.shortened)' is unknown; write one such as "
                        + "'America/New_York'")
            }
            zone = known
            zoneName = name
        }
        skipSpace()
        guard take(")") else { throw error("expected ',' or ')', found \(found)") }
        guard let date = Self.date(dateText, in: zone) else {
            throw error(
                at: datePlace,
                "'\(dateText.shortened)' is not a date; write it as in '2025-01-31T09:02:30'")
        }
        return (date, zoneName)
    }

    /// Reads a date of the Gregorian calendar, such as `2025-01-01T09:02:30`.
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
        // `Calendar` converts February 30 to March 2, so the date must survive a round trip in GMT.
        // In the zone itself it may not survive where clocks were put forward.
        guard let plain = calendar.date(from: components),
            calendar.dateComponents([.month, .day], from: plain)
                == DateComponents(month: fields[1], day: fields[2])
        else { return nil }
        calendar.timeZone = zone
        return calendar.date(from: components)
    }
}
