import Foundation

/// How types that JSON has no value for are written into strings.
enum SettingText {
    /// The ISO 8601 text of a date, in UTC, with milliseconds if it has any.
    static func text(of date: Date) -> String {
        let hasFraction = date.timeIntervalSince1970.rounded() != date.timeIntervalSince1970
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
    }

    /// The date that a value spells in ISO 8601, with or without a fraction of a second.
    static func date(_ value: SettingValue) -> Date? {
        guard case .string(let text) = value else { return nil }
        let plain = try? Date(text, strategy: .iso8601)
        let strategy = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return plain ?? (try? Date(text, strategy: strategy))
    }

    /// The bytes that a value spells in Base64.
    static func data(_ value: SettingValue) -> Data? {
        guard case .string(let text) = value else { return nil }
        return Data(base64Encoded: text)
    }

    /// The decimal number that a value is, or spells.
    static func decimal(_ value: SettingValue) -> Decimal? {
        let text: String
        switch value {
        case .integer(let number): return Decimal(number)
        case .double(let number): text = number.description
        case .string(let string):
            guard NumberText.value(of: string) != nil else { return nil }
            text = string.trimmingCharacters(in: .whitespacesAndNewlines)
        case .null, .bool, .array, .object: return nil
        }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }
}
