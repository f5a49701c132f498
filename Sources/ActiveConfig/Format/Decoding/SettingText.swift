import Foundation

/// Text forms of types without a JSON representation.
enum SettingText {
    /// In bytes, of dates and durations; a publisher must not be able to slow down reading.
    static let longestText = 100

    /// The years 0 to 9999, which four digits can write.
    private static let writtenDates = -62_167_219_200_000...253_402_300_799_999.0

    /// ISO 8601 in UTC, with milliseconds if there are any; nil for a year of more than four digits.
    static func text(of date: Date) -> String? {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard writtenDates.contains(milliseconds) else { return nil }
        let hasFraction = milliseconds.remainder(dividingBy: 1000) != 0
        // Formatting truncates to milliseconds; the surplus keeps a date from losing one.
        return Date(timeIntervalSince1970: milliseconds / 1000 + 0.0002)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
    }

    /// Reads ISO 8601 with or without seconds and a fraction of them.
    ///
    /// Foundation's strategies drop a fraction or accept text after the date, so the form is
    /// checked and the fraction read here.
    static func date(_ value: SettingValue) -> Date? {
        guard case .string(let text) = value, text.utf8.count <= longestText,
            let parts = text.wholeMatch(
                of: /([-0-9]{10}T[0-9]{2}:[0-9]{2})(:[0-9]{2})?(\.[0-9]+)?(Z|[+-][0-9:]{2,5})/),
            parts.2 != nil || parts.3 == nil, exists(parts.1, parts.2),
            let date = try? Date(parts.1 + (parts.2 ?? ":00") + parts.4, strategy: .iso8601)
        else { return nil }
        guard let fraction = parts.3 else { return date }
        return Double("0\(fraction)").map(date.addingTimeInterval)
    }

    /// False for a day or time that does not exist, which Foundation would normalize: February 30,
    /// 25:00.
    private static func exists(_ minute: Substring, _ second: Substring?) -> Bool {
        let numbers = minute.split { !$0.isNumber }.compactMap { Int($0) }
        let seconds = second.flatMap { Int($0.dropFirst()) } ?? 0
        guard minute.utf8.first != UInt8(ascii: "-"), numbers.count == 5, 1...12 ~= numbers[1],
            numbers[2] >= 1, 0...23 ~= numbers[3], 0...59 ~= numbers[4], 0...59 ~= seconds
        else { return false }
        let year = numbers[0]
        let isLeap =
            year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return numbers[2] <= days[numbers[1] - 1]
    }

    /// Reads Base64.
    static func data(_ value: SettingValue) -> Data? {
        guard case .string(let text) = value else { return nil }
        return Data(base64Encoded: text)
    }

    /// Nil when the value is not a decimal number, or a `Decimal` cannot hold all its digits.
    static func decimal(_ value: SettingValue) -> Decimal? {
        switch value {
        case .integer(let number): return Decimal(number)
        case .double(let number): return decimal(number.description)
        case .string(let text):
            guard NumberText.value(of: text) != nil else { return nil }
            return decimal(String(NumberText.trimmed(text)))
        case .null, .bool, .array, .object: return nil
        }
    }

    /// Nil when the number has no text that reads back.
    static func value(of decimal: Decimal) -> SettingValue? {
        let value = SettingValue.string("\(decimal)")
        // In a conditional expression, nil would be `SettingValue.null`.
        guard self.decimal(value) == decimal else { return nil }
        return value
    }

    private static func decimal(_ text: String) -> Decimal? {
        // Foundation truncates digits that do not fit.
        let parts = text.lowercased().split(separator: "e")
        let numeral = parts.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        let fraction = numeral.count > 1 ? numeral[1].count : 0
        let digits = numeral.joined().drop { "+-0".contains($0) }
        let significant = digits.reversed().drop { $0 == "0" }
        // No `Decimal` has an exponent near these bounds; beyond them the sums could overflow.
        guard let exponent = parts.count > 1 ? Int(parts[1]) : 0,
            (-1_000...1_000).contains(exponent)
        else { return nil }
        let lastExponent = exponent - fraction + digits.count - significant.count
        guard significant.isEmpty || (significant.count <= 38 && lastExponent >= -127) else {
            return nil
        }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }
}
