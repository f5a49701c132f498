extension JSONNode {
    /// Returns a Boolean value that indicates whether two values are equal if numbers compare by
    /// value, as in RFC 6902, 4.6: `1`, `1.0` and `10e-1` are equal.
    ///
    /// - Parameter other: The other value.
    /// - Returns: False for numbers whose exponent exceeds 62 bits, unless their texts are
    ///   identical.
    func hasSameValue(as other: JSONNode) -> Bool {
        switch (self, other) {
        case (.number(let left), .number(let right)):
            guard left != right else { return true }
            guard let left = DecimalValue(left), let right = DecimalValue(right) else {
                return false
            }
            return left == right
        case (.array(let left), .array(let right)):
            return left.count == right.count
                && zip(left, right).allSatisfy { $0.hasSameValue(as: $1) }
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.allSatisfy { right[$0.key]?.hasSameValue(as: $0.value) ?? false }
        default: return self == other
        }
    }
}

/// The exact value of a decimal number; `Double` would round large ones.
private struct DecimalValue: Equatable {
    private var isNegative = false
    /// Without leading and trailing zeros; empty for 0.
    private var digits: [UInt8]
    /// The power of ten of the last digit; 0 for 0.
    private var exponent: Int

    /// Parses the text of a JSON number; nil if the exponent is too large.
    init?(_ text: String) {
        let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        guard let mantissa = parts.first, let power = parts.count > 1 ? Int(parts[1]) : 0,
            power.magnitude < 1 << 62
        else { return nil }
        let numerals = mantissa.utf8.filter { (0x30...0x39).contains($0) }
        digits = Array(numerals.drop { $0 == 0x30 })
        let fraction = mantissa.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst().count
        exponent = power - fraction
        while digits.last == 0x30 {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty {
            exponent = 0
        } else {
            isNegative = mantissa.utf8.first == UInt8(ascii: "-")
        }
    }
}
