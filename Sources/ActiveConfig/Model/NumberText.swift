/// Numbers in string settings (FORMAT 5: "wholly a number, trimmed").
///
/// Accepts more than JSON: a leading `+`, leading zeros, `.5` and `5.`. Words such as `inf` and
/// hexadecimal numbers are not numbers.
enum NumberText {
    /// Nil unless all of the trimmed text is a number within `Double`'s range.
    static func value(of text: String) -> SettingValue? {
        let text = trimmed(text)
        guard let isInteger = form(of: text.utf8) else { return nil }
        if isInteger, let integer = Int(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else { return nil }
        return .double(double)
    }

    /// Nil unless all of the trimmed text is an integer that fits the type.
    static func integer<T: FixedWidthInteger>(of text: String, as type: T.Type) -> T? {
        let text = trimmed(text)
        guard form(of: text.utf8) == true else { return nil }
        // `T(text)` compiles the standard library's parser once more for each `T`.
        return T.bitWidth < Int.bitWidth ? Int(text).flatMap(T.init(exactly:)) : T(text)
    }

    /// True for an integer that does not fit an `Int`; white space is not trimmed.
    static func isLargeInteger(_ text: String) -> Bool {
        form(of: text[...].utf8) == true && Int(text) == nil
    }

    static func trimmed(_ text: String) -> Substring {
        var text = text[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }

    /// True for the form of an integer, false for that of another number, nil for neither.
    private static func form(of text: Substring.UTF8View) -> Bool? {
        var rest = text
        if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
            rest.removeFirst()
        }
        var digits = removeDigits(from: &rest)
        var isInteger = true
        if rest.first == UInt8(ascii: ".") {
            isInteger = false
            rest.removeFirst()
            digits += removeDigits(from: &rest)
        }
        guard digits > 0 else { return nil }
        if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            guard removeDigits(from: &rest) > 0 else { return nil }
        }
        return rest.isEmpty ? isInteger : nil
    }

    /// Removes leading digits and returns their number.
    private static func removeDigits(from text: inout Substring.UTF8View) -> Int {
        let digits = text.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        text = text[digits.endIndex...]
        return digits.count
    }
}

extension Int {
    /// A number of a header field: 1 to 15 digits without a leading zero.
    package init?(wireDigits digits: String) {
        guard (1...15).contains(digits.utf8.count), digits == "0" || !digits.hasPrefix("0"),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.init(digits)
    }
}
