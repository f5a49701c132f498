extension PatternParser {
    /// Parses an escape outside brackets.
    ///
    /// - Returns: An anchor or what one place accepts.
    /// - Throws: ``RegularExpressionError``.
    mutating func parseEscape() throws(RegularExpressionError) -> Pattern {
        let anchor: Pattern.Anchor? =
            switch position + 1 < scalars.count ? scalars[position + 1] : nil {
            case "b": .wordBoundary
            case "B": .noWordBoundary
            case "A": .textStart
            case "z": .textEnd
            default: nil
            }
        if let anchor {
            position += 2
            return .anchor(anchor)
        }
        return .scalar(folded(try parseSetEscape()))
    }

    /// Parses an escape that stands for scalars.
    ///
    /// - Returns: A scalar as written, or a class as the flags have it.
    /// - Throws: ``RegularExpressionError``.
    mutating func parseSetEscape() throws(RegularExpressionError) -> ScalarSet {
        let start = position
        position += 1
        guard let scalar = next else {
            throw error("nothing follows this '\\'; write \\\\ for the character", at: start)
        }
        position += 1
        switch scalar {
        case "d": return set(.digits)
        case "D": return set(.digits).inverted
        case "s": return set(.spaces)
        case "S": return set(.spaces).inverted
        case "w": return set(.words)
        case "W": return set(.words).inverted
        case "a": return ScalarSet("\u{07}")
        case "f": return ScalarSet("\u{0C}")
        case "t": return ScalarSet("\t")
        case "n": return ScalarSet("\n")
        case "r": return ScalarSet("\r")
        case "v": return ScalarSet("\u{0B}")
        case "x": return ScalarSet(try parseHex(from: start))
        case "0": return ScalarSet(parseOctal(first: 0))
        case "1"..."7":
            if let following = next, ("0"..."7").contains(following) {
                return ScalarSet(parseOctal(first: scalar.value - 0x30))
            }
            throw error("references to groups are not supported: RE2 has none", at: start)
        case "8", "9":
            throw error("references to groups are not supported: RE2 has none", at: start)
        case "p", "P":
            throw error(
                "classes of Unicode such as \\p{L} are not supported; list the characters in [ ]",
                at: start)
        case "Z": throw error("RE2 has no \\Z; write \\z for the end of the text", at: start)
        default:
            guard scalar.isASCII, !ScalarSet.named["alnum", default: .all].contains(scalar.value)
            else { throw error("unknown escape \\\(scalar)", at: start) }
            return ScalarSet(scalar)
        }
    }

    /// Parses what follows `\x`: two hexadecimal digits, or any in braces.
    private mutating func parseHex(from start: Int) throws(RegularExpressionError) -> Unicode.Scalar
    {
        let isBraced = take("{")
        var value: UInt32 = 0
        var count = 0
        while count < (isBraced ? 8 : 2), let scalar = next, scalar.isASCII,
            let digit = Character(scalar).hexDigitValue
        {
            value = value << 4 | UInt32(digit)
            count += 1
            position += 1
        }
        guard count > 0, isBraced ? take("}") : count == 2, let scalar = Unicode.Scalar(value)
        else { throw error("expected \\x41 or \\x{1F600}", at: start) }
        return scalar
    }

    /// Parses up to two more octal digits.
    private mutating func parseOctal(first: UInt32) -> Unicode.Scalar {
        var value = first
        for _ in 0..<2 {
            guard let scalar = next, ("0"..."7").contains(scalar) else { break }
            value = value * 8 + (scalar.value - 0x30)
            position += 1
        }
        return Unicode.Scalar(value) ?? "\0"
    }
}
