/// Durations as numbers of seconds and in ISO 8601, exact to the attosecond.
extension SettingText {
    /// Seconds of 292 years; a `Duration` of more nanoseconds than 64 bits is of no use to anybody.
    private static let longestDuration = 9.2e9
    private static let attosecondsPerSecond: Int128 = 1_000_000_000_000_000_000
    private static let fractionDigits = 18

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

    /// A number of seconds, or where that would not read back the same, ISO 8601.
    ///
    /// Nil for a duration that would not be read.
    static func value(of duration: Duration) -> SettingValue? {
        let (seconds, attoseconds) = duration.components
        if attoseconds == 0, let seconds = Int(exactly: seconds) {
            guard self.duration(.integer(seconds)) == duration else { return nil }
            return .integer(seconds)
        }
        let number = SettingValue.double(
            Double(seconds) + Double(attoseconds) / Double(attosecondsPerSecond))
        if self.duration(number) == duration { return number }
        let digits = String(attoseconds.magnitude)
        let zeros = String(repeating: "0", count: fractionDigits - digits.count)
        let sign = duration < .zero ? "-" : ""
        let text = SettingValue.string("\(sign)PT\(seconds.magnitude).\(zeros)\(digits)S")
        guard self.duration(text) == duration else { return nil }
        return text
    }

    /// Takes the fewest digits that represent the number for the number itself, so that 1.001 is 1,001
    /// milliseconds.
    private static func duration(ofSeconds seconds: Double) -> Duration? {
        guard abs(seconds) <= longestDuration else { return nil }
        let parts = seconds.magnitude.description.split(separator: "e")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        var rest = parts[0].utf8[...]
        guard let mantissa = attoseconds(&rest) else { return nil }
        let power = (0..<abs(exponent)).reduce(Int128(1)) { power, _ in
            power < Int128.max / 10 ? power * 10 : power
        }
        let attoseconds = exponent < 0 ? mantissa / power : mantissa * power
        return duration(ofAttoseconds: seconds < 0 ? -attoseconds : attoseconds)
    }

    private static func duration(ofAttoseconds attoseconds: Int128) -> Duration? {
        guard attoseconds.magnitude <= Int128(longestDuration) * attosecondsPerSecond else {
            return nil
        }
        let (seconds, rest) = attoseconds.quotientAndRemainder(dividingBy: attosecondsPerSecond)
        return Duration(
            secondsComponent: Int64(seconds), attosecondsComponent: Int64(rest))
    }

    /// `P2W`, `P1DT12H` or `PT1M30.5S`; at least one number is due.
    private static func isoDuration(_ text: Substring.UTF8View) -> Duration? {
        var rest = text[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest.removeFirst() }
        guard rest.popFirst() == UInt8(ascii: "P") else { return nil }
        var units: ArraySlice = [("W" as Unicode.Scalar, 604_800 as Int128), ("D", 86_400)]
        var isTime = false
        var sum: Int128?
        while let first = rest.first {
            if first == UInt8(ascii: "T"), !isTime {
                rest.removeFirst()
                if rest.isEmpty { return nil }
                units = [("H", 3_600), ("M", 60), ("S", 1)]
                isTime = true
                continue
            }
            // Each unit once, and the greater ones first.
            guard let value = attoseconds(&rest), let letter = rest.popFirst(),
                let unit = units.firstIndex(where: { $0.0.value == letter })
            else { return nil }
            sum = (sum ?? 0) + value * units[unit].1
            units = units[(unit + 1)...]
        }
        return sum.flatMap { duration(ofAttoseconds: isNegative ? -$0 : $0) }
    }

    /// Removes a number of seconds such as `1` or `1.5`, and returns it in attoseconds.
    ///
    /// Nil when there is none, or one beyond the longest duration. Digits beyond attoseconds are
    /// dropped.
    private static func attoseconds(_ text: inout Substring.UTF8View) -> Int128? {
        let whole = removeDigits(from: &text)
        guard !whole.isEmpty else { return nil }
        var result: Int128 = 0
        for digit in whole {
            result = result * 10 + Int128(digit - UInt8(ascii: "0"))
            if result > Int128(longestDuration) { return nil }
        }
        guard let point = text.first, point == UInt8(ascii: ".") || point == UInt8(ascii: ",")
        else {
            return result * attosecondsPerSecond
        }
        text.removeFirst()
        let fraction = removeDigits(from: &text)
        if fraction.isEmpty { return nil }
        for place in 0..<fractionDigits {
            let digit = fraction.dropFirst(place).first ?? UInt8(ascii: "0")
            result = result * 10 + Int128(digit - UInt8(ascii: "0"))
        }
        return result
    }

    private static func removeDigits(from text: inout Substring.UTF8View) -> Substring.UTF8View {
        let digits = text.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        text = text[digits.endIndex...]
        return digits
    }
}
