/// Reads and writes numbers as JavaScript's `Number()` and `String()`, which Firebase's evaluator
/// uses.
public enum ScriptNumber: Sendable {
    /// Reads a number.
    ///
    /// White space around it is ignored, the empty text is 0, and `0x1F`, `0o17`, `0b11`, `1e3` and
    /// `Infinity` are numbers.
    static func value(of text: String) -> Double {
        var text = text
        return text.withUTF8 { unsafe value(of: $0) }
    }

    /// Reads a number in UTF-8.
    static func value(of text: UnsafeBufferPointer<UInt8>) -> Double {
        var digits: UInt64 = 0
        var count = 0
        for index in 0..<text.count {
            let byte = unsafe text[index]
            guard (0x30...0x39).contains(byte), count < 15 else {
                return unsafe general(String(decoding: text, as: UTF8.self))
            }
            digits = digits &* 10 &+ UInt64(byte &- 0x30)
            count += 1
        }
        return Double(digits)
    }

    /// Formats a JSON number as JavaScript's `String()` does after `JSON.parse`, as Firebase's
    /// evaluator compares it: `5.0` is "5", `1e3` is "1000".
    ///
    /// - Parameter number: The text of a valid number.
    /// - Returns: The text of the nearest double.
    public static func text(ofJSON number: String) -> String {
        guard let value = Double(number) else { return number }
        guard value.isFinite else { return value < 0 ? "-Infinity" : "Infinity" }
        guard value != 0 else { return "0" }
        // Swift's description has the same digits: the fewest that read back as the same number.
        let parts = value.magnitude.description.utf8.split(separator: UInt8(ascii: "e"))
            .map { String(Substring($0)) }
        let halves = (parts.first ?? "").split(separator: ".", omittingEmptySubsequences: false)
        let whole = String(halves.first ?? "")
        var digits = whole + (halves.count > 1 ? String(halves[1]) : "")
        // The value is 0.digits times ten to the power of `point`.
        var point = whole.utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.utf8.first == UInt8(ascii: "0") {
            digits.removeFirst()
            point -= 1
        }
        while digits.utf8.last == UInt8(ascii: "0") { digits.removeLast() }
        return (value < 0 ? "-" : "") + script(digits: digits, point: point)
    }

    /// Writes digits as JavaScript does: with an exponent below 1e-6, and from 1e21.
    private static func script(digits: String, point: Int) -> String {
        let count = digits.utf8.count
        switch point {
        case count...21 where point >= count:
            return digits + String(repeating: "0", count: point - count)
        case 1...21: return "\(digits.prefix(point)).\(digits.dropFirst(point))"
        case -5...0: return "0." + String(repeating: "0", count: -point) + digits
        default:
            let fraction = count > 1 ? ".\(digits.dropFirst())" : ""
            return "\(digits.prefix(1))\(fraction)e\(point > 0 ? "+" : "-")\(abs(point - 1))"
        }
    }

    /// Removes the surrounding white space that JavaScript's `trim()` removes.
    static func trimmed(_ text: some StringProtocol) -> Substring {
        let text = Substring(text)
        let plain: ClosedRange<UInt8> = 0x21...0x7F
        if let first = text.utf8.first, let last = text.utf8.last, plain ~= first, plain ~= last {
            return text
        }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return Substring(scalars[first...last])
    }

    /// True when `trim()` removes the character.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x20, 0xA0, 0xFEFF, 0x2028, 0x2029: true
        default: scalar.value > 0xA0 && scalar.properties.generalCategory == .spaceSeparator
        }
    }

    private static func general(_ text: String) -> Double {
        let trimmed = trimmed(text)
        let bytes = Array(trimmed.utf8)
        guard let first = bytes.first else { return 0 }
        if first == UInt8(ascii: "0"), bytes.count > 1, let radix = radix(bytes[1]) {
            return whole(bytes.dropFirst(2), bitsPerDigit: radix)
        }
        let isSigned = first == UInt8(ascii: "-") || first == UInt8(ascii: "+")
        let unsigned = bytes.dropFirst(isSigned ? 1 : 0)
        if unsigned.elementsEqual("Infinity".utf8) {
            return first == UInt8(ascii: "-") ? -.infinity : .infinity
        }
        guard isDecimal(unsigned) else { return .nan }
        // Swift does not read "5.", so add a digit on both sides of the point.
        return Double(String(trimmed).replacingPoint()) ?? .nan
    }

    /// The bits per digit, by the letter after 0.
    private static func radix(_ letter: UInt8) -> Int? {
        switch letter | 0x20 {
        case UInt8(ascii: "x"): 4
        case UInt8(ascii: "o"): 3
        case UInt8(ascii: "b"): 1
        default: nil
        }
    }

    /// Reads digits of a radix and rounds once.
    private static func whole(_ digits: ArraySlice<UInt8>, bitsPerDigit: Int) -> Double {
        guard !digits.isEmpty else { return .nan }
        var leading: UInt64 = 0
        var droppedBits = 0
        for byte in digits {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
                digit >> bitsPerDigit == 0
            else { return .nan }
            if leading.leadingZeroBitCount > bitsPerDigit {
                leading = leading << bitsPerDigit | UInt64(digit)
            } else {
                // Matters only for rounding: the bits before it exceed the precision of a Double.
                droppedBits += bitsPerDigit
                leading |= digit == 0 ? 0 : 1
            }
        }
        return Double(sign: .plus, exponent: min(droppedBits, 2_000), significand: Double(leading))
    }

    /// True when the bytes are digits, with an optional point and exponent.
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

    /// Removes leading digits and returns their number.
    private static func takeDigits(_ bytes: inout ArraySlice<UInt8>) -> Int {
        let count = bytes.prefix { (0x30...0x39).contains($0) }.count
        bytes.removeFirst(count)
        return count
    }
}

extension String {
    /// Adds a 0 on each side of the point, so that `.5` and `5.` can be read on every platform.
    fileprivate func replacingPoint() -> String {
        guard let point = firstIndex(of: ".") else { return self }
        let tail = self[index(after: point)...]
        let needsZero = tail.first.map { !$0.isNumber } ?? true
        var head = String(self[..<point])
        if head.last.map({ !$0.isNumber }) ?? true { head += "0" }
        return head + "." + (needsZero ? "0" : "") + tail
    }
}
