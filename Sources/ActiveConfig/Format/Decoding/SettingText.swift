import Foundation

/// Text forms of types that JSON has no value for.
enum SettingText {
    /// ISO 8601 in UTC, with milliseconds if there are any.
    static func text(of date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
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
        guard case .string(let text) = value,
            let parts = text.wholeMatch(
                of: /([-0-9]{10}T[0-9]{2}:[0-9]{2})(:[0-9]{2})?(\.[0-9]+)?(Z|[+-][0-9:]{2,5})/),
            parts.2 != nil || parts.3 == nil,
            let date = try? Date(parts.1 + (parts.2 ?? ":00") + parts.4, strategy: .iso8601)
        else { return nil }
        guard let fraction = parts.3 else { return date }
        return Double("0\(fraction)").map(date.addingTimeInterval)
    }

    /// Seconds of 292 years; a `Duration` of more nanoseconds than 64 bits is of no use to anybody.
    private static let longestDuration = 9.2e9

    /// Reads a number of seconds, or ISO 8601 without years and months.
    static func duration(_ value: SettingValue) -> Duration? {
        switch value {
        case .integer(let seconds):
            return abs(Double(seconds)) <= longestDuration ? .seconds(seconds) : nil
        case .double(let seconds): return duration(ofSeconds: seconds)
        case .string(let text):
            let text = String(NumberText.trimmed(text))
            return NumberText.value(of: text)?.doubleValue.flatMap(duration(ofSeconds:))
                ?? isoSeconds(text).flatMap(duration(ofSeconds:))
        case .null, .bool, .array, .object: return nil
        }
    }

    static func seconds(of duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    private static func duration(ofSeconds seconds: Double) -> Duration? {
        abs(seconds) <= longestDuration ? .seconds(seconds) : nil
    }

    /// The seconds of `P2W`, `P1DT12H` or `PT1M30.5S`; at least one number is due.
    private static func isoSeconds(_ text: String) -> Double? {
        let part = "([0-9]+(?:[.,][0-9]+)?)"
        guard
            let regex = try? Regex<AnyRegexOutput>(
                "(-)?P(?:\(part)W)?(?:\(part)D)?(?:T(?:\(part)H)?(?:\(part)M)?(?:\(part)S)?)?"),
            let match = text.wholeMatch(of: regex), !text.hasSuffix("T")
        else { return nil }
        var seconds: Double?
        for (group, unit) in [(2, 604_800), (3, 86_400), (4, 3_600), (5, 60), (6, 1)] {
            guard let number = match.output[group].substring else { continue }
            guard let number = Double(number.replacing(",", with: ".")) else { return nil }
            seconds = (seconds ?? 0) + number * Double(unit)
        }
        return match.output[1].substring == nil ? seconds : seconds.map { -$0 }
    }

    /// Reads Base64.
    static func data(_ value: SettingValue) -> Data? {
        guard case .string(let text) = value else { return nil }
        return Data(base64Encoded: text)
    }

    /// True when a `Double` may have lost digits of the number, as it does for integers beyond 64
    /// bits.
    static func mayBeRounded(_ number: Double) -> Bool {
        // Every smaller whole number is a Double exactly.
        abs(number) >= 0x1p53
    }

    /// Nil when the value is no decimal number, or when a `Decimal` cannot hold all its digits.
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

    private static func decimal(_ text: String) -> Decimal? {
        // Foundation truncates digits that do not fit.
        let parts = text.lowercased().split(separator: "e")
        let numeral = parts.first?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        let fraction = numeral.count > 1 ? numeral[1].count : 0
        let digits = numeral.joined().drop { "+-0".contains($0) }
        let significant = digits.reversed().drop { $0 == "0" }
        guard let exponent = parts.count > 1 ? Int(parts[1]) : 0 else { return nil }
        let lastExponent = exponent - fraction + digits.count - significant.count
        guard significant.isEmpty || (significant.count <= 38 && lastExponent >= -127) else {
            return nil
        }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }
}
