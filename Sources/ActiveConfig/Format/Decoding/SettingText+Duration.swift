/// Durations as numbers of seconds and in ISO 8601, exact to the attosecond.
extension SettingText {
    /// Seconds of 292 years: the longest duration whose nanoseconds fit 64 bits.
    private static let longestDuration: Int64 = 9_200_000_000
    private static let attosecondDigits = 18

    /// Reads a number of seconds, or ISO 8601 without years and months.
    static func duration(_ value: SettingValue) -> Duration? {
        switch value {
        case .integer(let seconds): return duration(ofSeconds: Double(seconds))
        case .double(let seconds): return duration(ofSeconds: seconds)
        case .string(let text):
            guard text.utf8.count <= longestText else { return nil }
            return NumberText.value(of: text)?.doubleValue.flatMap(duration(ofSeconds:))
                ?? isoDuration(NumberText.trimmed(text).utf8)
        case .null, .bool, .array, .object: return nil
        }
    }

    /// A number of seconds, or ISO 8601 if a number would not read back the same.
    ///
    /// Nil for a duration that cannot be read back.
    static func value(of duration: Duration) -> SettingValue? {
        let (seconds, attoseconds) = duration.components
        if attoseconds == 0, let seconds = Int(exactly: seconds) {
            guard self.duration(.integer(seconds)) == duration else { return nil }
            return .integer(seconds)
        }
        let number = SettingValue.double(Double(seconds) + Double(attoseconds) / 1e18)
        if self.duration(number) == duration { return number }
        let digits = String(attoseconds.magnitude)
        let zeros = String(repeating: "0", count: attosecondDigits - digits.count)
        let sign = duration < .zero ? "-" : ""
        let text = SettingValue.string("\(sign)PT\(seconds.magnitude).\(zeros)\(digits)S")
        guard self.duration(text) == duration else { return nil }
        return text
    }

    /// Treats the shortest decimal that represents the number as exact, so that 1.001 is 1,001
    /// milliseconds.
    private static func duration(ofSeconds seconds: Double) -> Duration? {
        guard abs(seconds) <= Double(longestDuration) else { return nil }
        var text = seconds.magnitude.description
        // One digit before the point, and less than 1: `1.5e-07`.
        let parts = text.split(separator: "e")
        if parts.count == 2, let exponent = Int(parts[1]) {
            let zeros = String(repeating: "0", count: max(0, -exponent - 1))
            text = "0.\(zeros)\(parts[0].filter(\.isNumber))"
        }
        var rest = text[...].utf8
        guard let duration = number(&rest) else { return nil }
        return seconds < 0 ? .zero - duration : duration
    }

    /// `P2W`, `P1DT12H` or `PT1M30.5S`; at least one number is required.
    private static func isoDuration(_ text: Substring.UTF8View) -> Duration? {
        var rest = text[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        var units: ArraySlice = [("W" as Unicode.Scalar, 604_800), ("D", 86_400)]
        var isTime = false
        var sum: Duration?
        while let first = rest.first {
            if first == UInt8(ascii: "T"), !isTime {
                rest.removeFirst()
                if rest.isEmpty { return nil }
                units = [("H", 3_600), ("M", 60), ("S", 1)]
                isTime = true
                continue
            }
            // Each unit once, in decreasing order.
            guard let value = number(&rest), let letter = rest.popFirst(),
                let unit = units.firstIndex(where: { $0.0.value == letter })
            else { return nil }
            sum = (sum ?? .zero) + value * units[unit].1
            units = units[(unit + 1)...]
        }
        guard let sum, sum <= .seconds(longestDuration) else { return nil }
        return isNegative ? .zero - sum : sum
    }

    /// Removes a number of seconds such as `1` or `1.5`.
    ///
    /// Nil when there is none, or one beyond the longest duration. Digits beyond attoseconds are
    /// dropped.
    private static func number(_ text: inout Substring.UTF8View) -> Duration? {
        guard let seconds = removeDigits(from: &text), seconds <= longestDuration else {
            return nil
        }
        guard let point = text.first, point == UInt8(ascii: ".") || point == UInt8(ascii: ",")
        else { return .seconds(seconds) }
        text.removeFirst()
        guard let attoseconds = removeDigits(from: &text, places: attosecondDigits) else {
            return nil
        }
        return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    }

    /// Removes digits and returns their number: that of the first `places` if there are more,
    /// padded with zeros if there are fewer; nil when there are none, or too many for 64 bits.
    private static func removeDigits(
        from text: inout Substring.UTF8View, places: Int? = nil
    ) -> Int64? {
        let digits = text.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        text = text[digits.endIndex...]
        guard !digits.isEmpty, let places else { return Int64(Substring(digits)) }
        let zeros = String(repeating: "0", count: max(0, places - digits.count))
        return Int64(Substring(digits.prefix(places)) + zeros)
    }
}
