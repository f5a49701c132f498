/// A namespace for reading numbers as JavaScript's `Number()` does, as Firebase's evaluator does.
enum ScriptNumber {
    /// Reads a number: white space around it is ignored, nothing is 0, and `0x1F`, `0o17`, `0b11`,
    /// `1e3` and `Infinity` are numbers.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The nearest number, or NaN.
    static func value(of text: some StringProtocol) -> Double {
        var digits: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            guard (0x30...0x39).contains(byte), count < 15 else { return general(text) }
            digits = digits &* 10 &+ UInt64(byte &- 0x30)
            count += 1
        }
        return Double(digits)
    }

    /// Removes white space around a text: what JavaScript's `trim()` removes.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The part between.
    static func trimmed(_ text: some StringProtocol) -> Substring {
        let scalars = Substring(text).unicodeScalars
        guard let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return Substring(scalars[first...last])
    }

    /// Whether `trim()` removes a character.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x20, 0xA0, 0xFEFF, 0x2028, 0x2029: true
        default: scalar.value > 0xA0 && scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// Reads all but plain digits.
    private static func general(_ text: some StringProtocol) -> Double {
        let trimmed = trimmed(text)
        let bytes = Array(trimmed.utf8)
        guard let first = bytes.first else { return 0 }
        if first == UInt8(ascii: "0"), bytes.count > 1, let radix = radix(bytes[1]) {
            return whole(bytes.dropFirst(2), radix: radix)
        }
        let isSigned = first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        let unsigned = bytes.dropFirst(isSigned ? 1 : 0)
        if unsigned.elementsEqual("Infinity".utf8) {
            return first == UInt8(ascii: "-") ? -.infinity : .infinity
        }
        guard isDecimal(unsigned) else { return .nan }
        // Swift does not read "5.": the parts are put together again with a digit on either side.
        return Double(String(trimmed).replacingPoint()) ?? .nan
    }

    /// The radix that a letter after 0 stands for.
    private static func radix(_ letter: UInt8) -> Double? {
        switch letter | 0x20 {
        case UInt8(ascii: "x"): 16
        case UInt8(ascii: "o"): 8
        case UInt8(ascii: "b"): 2
        default: nil
        }
    }

    /// Reads digits of a radix.
    private static func whole(_ digits: ArraySlice<UInt8>, radix: Double) -> Double {
        guard !digits.isEmpty else { return .nan }
        var value = 0.0
        for byte in digits {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, Double(digit) < radix
            else { return .nan }
            value = value * radix + Double(digit)
        }
        return value
    }

    /// Whether bytes are digits, maybe with a point and an exponent.
    private static func isDecimal(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        let whole = takeDigits(&rest)
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = takeDigits(&rest)
        }
        guard whole + fraction > 0 else { return false }
        guard let letter = rest.first else { return true }
        guard letter | 0x20 == UInt8(ascii: "e") else { return false }
        rest.removeFirst()
        if let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            rest.removeFirst()
        }
        return takeDigits(&rest) > 0 && rest.isEmpty
    }

    /// Removes leading digits and counts them.
    private static func takeDigits(_ bytes: inout ArraySlice<UInt8>) -> Int {
        let count = bytes.prefix { (0x30...0x39).contains($0) }.count
        bytes.removeFirst(count)
        return count
    }
}

extension String {
    /// Puts a 0 on each side of the point, so that `.5` and `5.` are read everywhere.
    fileprivate func replacingPoint() -> String {
        guard let point = firstIndex(of: ".") else { return self }
        let tail = self[index(after: point)...]
        let needsZero = tail.first.map { !$0.isNumber } ?? true
        var head = String(self[..<point])
        if head.last.map({ !$0.isNumber }) ?? true { head += "0" }
        return head + "." + (needsZero ? "0" : "") + tail
    }
}
