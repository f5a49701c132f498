import Foundation

/// Literals that the compiler reads back as exactly the value.
enum SwiftLiteral {
    /// An expression of a string: a literal with invisible characters escaped.
    static func string(_ text: String) -> String {
        // The compiler accepts these noncharacters in no form.
        if text.unicodeScalars.contains(where: { (0xFDD0...0xFDEF).contains($0.value) }) {
            let bytes = text.utf8.map { "\($0)" }.joined(separator: ", ")
            return "String(decoding: [\(bytes)] as [UInt8], as: UTF8.self)"
        }
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case "\0": literal += "\\0"
            default:
                // At the start, a combining mark would combine with the quotation mark.
                let isAtStart = literal.utf8.count == 1
                if scalar.isInvisible || isAtStart && scalar.properties.isGraphemeExtend {
                    literal += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                } else {
                    literal.unicodeScalars.append(scalar)
                }
            }
        }
        return literal + "\""
    }

    /// An expression of a number: decimal where every compiler reads it exactly, else hexadecimal.
    static func number(_ value: Double) -> String {
        // The compiler warns of subnormal literals, also of exact ones.
        value.isSubnormal
            ? "Double(bitPattern: 0x\(String(value.bitPattern, radix: 16))) /* \(value) */"
            : number(
                value, text: value.description, precision: Double.significandBitCount + 1)
    }

    /// An expression of a number: decimal where every compiler reads it exactly, else hexadecimal.
    static func number(_ value: Float) -> String {
        value.isSubnormal
            ? "Float(bitPattern: 0x\(String(value.bitPattern, radix: 16))) /* \(value) */"
            : number(
                Double(value), text: value.description, precision: Float.significandBitCount + 1)
    }

    /// `text` is the shortest decimal that reads as the value, `precision` the number of bits of the
    /// type's significand.
    private static func number(_ value: Double, text: String, precision: Int) -> String {
        if value.isNaN { return ".nan" }
        if value.isInfinite { return value < 0 ? "-.infinity" : ".infinity" }
        if DecimalNumber(text)?.isExactLiteral(precision: precision) ?? false { return text }
        let digits = String(value.significandBitPattern, radix: 16)
        let fraction = String(repeating: "0", count: 13 - digits.count) + digits
        let trimmed = String(fraction.reversed().drop { $0 == "0" }.reversed())
        let sign = value.sign == .minus ? "-" : ""
        let point = trimmed.isEmpty ? "" : ".\(trimmed)"
        return "\(sign)0x1\(point)p\(value.exponent) /* \(text) */"
    }

    /// A call that makes a duration.
    static func duration(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return attoseconds == 0
            ? ".seconds(\(seconds))"
            : "Duration(secondsComponent: \(seconds), attosecondsComponent: \(attoseconds))"
    }

    /// A call that makes a UUID.
    static func uuid(_ uuid: UUID) -> String {
        let bytes = uuid.uuidString.utf8.filter { $0 != UInt8(ascii: "-") }
        let pairs = stride(from: 0, to: bytes.count, by: 2).map { start in
            "0x" + String(decoding: bytes[start..<(start + 2)], as: UTF8.self)
        }
        return "UUID(uuid: (\(pairs.joined(separator: ", "))))"
    }
}

extension Unicode.Scalar {
    /// True for controls, white space other than " ", and characters that change the look of the
    /// surrounding text.
    ///
    /// Except joiners and variation selectors, which emoji and some scripts need.
    var isInvisible: Bool {
        switch self {
        case " ", "\u{200C}", "\u{200D}", "\u{FE00}"..."\u{FE0F}": return false
        default: break
        }
        return switch properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .privateUse:
            true
        default: properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
        }
    }
}

/// A decimal number as its digits and its power of ten.
struct DecimalNumber {
    /// Without zeros at the end.
    private var digits: UInt64
    private var exponent: Int

    /// Nil when the text is not a number of at most 19 digits.
    init?(_ text: String) {
        let parts = text.drop { $0 == "-" }.split(separator: "e")
        guard let number = parts.first, let exponent = parts.count > 1 ? Int(parts[1]) : 0 else {
            return nil
        }
        let halves = number.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = halves.count > 1 ? halves[1] : ""
        guard let digits = UInt64(halves[0] + fraction) else { return nil }
        self.digits = digits
        self.exponent = exponent - fraction.count
        while self.digits > 0, self.digits.isMultiple(of: 10) {
            self.digits /= 10
            self.exponent += 1
        }
    }

    /// Powers of ten beyond these are too large for exact arithmetic with 128 bits.
    private static let exactExponents = -22...22

    /// True when rounding to `precision` bits gives the same number after rounding to the 64 bits
    /// of the x87, as the compiler does on x86-64 only.
    func isExactLiteral(precision: Int) -> Bool {
        guard digits > 0 else { return true }
        guard Self.exactExponents.contains(exponent) else { return false }
        // Powers of two are exact: 10ⁿ leaves 5ⁿ, of at most 52 bits.
        let power = (0..<abs(exponent)).reduce(UInt64(1)) { power, _ in power * 5 }
        // The significand, its highest bit set: 64 bits, 64 more, and whether there is a remainder.
        var (high, low, hasRest) = (UInt64(0), UInt64(0), false)
        if exponent > 0 {
            (high, low) = digits.multipliedFullWidth(by: power)
        } else {
            let (quotient, rest) = (digits << digits.leadingZeroBitCount)
                .quotientAndRemainder(dividingBy: power)
            let fraction = power.dividingFullWidth((rest, 0))
            (high, low, hasRest) = (quotient, fraction.quotient, fraction.remainder != 0)
        }
        if high == 0 { (high, low) = (low, 0) }
        let shift = high.leadingZeroBitCount
        high = shift == 0 ? high : high << shift | low >> (64 - shift)
        low <<= shift
        let direct = Self.rounded(high, hasRest: low != 0 || hasRest, bits: precision)
        let half = UInt64(1) << 63
        let isUp = low > half || low == half && (hasRest || high % 2 == 1)
        let (first, overflows) = high.addingReportingOverflow(isUp ? 1 : 0)
        return overflows || Self.rounded(first, hasRest: false, bits: precision) == direct
    }

    /// The highest bits of a significand, rounded to nearest, ties to even; `hasRest` is true when
    /// it is slightly greater.
    private static func rounded(_ significand: UInt64, hasRest: Bool, bits: Int) -> UInt64 {
        let unit = UInt64(1) << (64 - bits)
        let kept = significand / unit
        let dropped = significand % unit
        let isUp = dropped > unit / 2 || dropped == unit / 2 && (hasRest || kept % 2 == 1)
        return kept + (isUp ? 1 : 0)
    }
}
