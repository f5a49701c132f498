extension PatternParser {
    enum EscapedItem {
        /// A single scalar, as written.
        case scalar(UInt32)
        /// A class, with the flags applied.
        case set(ScalarSet)
    }

    /// Parses an escape outside brackets.
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
        let start = position
        switch try parseItemEscape() {
        case .scalar(let scalar): return .scalar(set(ScalarSet([scalar...scalar])))
        case .set(let set):
            try countRanges(set.ranges.count, at: start)
            return .scalar(set)
        }
    }

    /// Parses an escape for one or several scalars.
    mutating func parseItemEscape() throws(RegularExpressionError) -> EscapedItem {
        let start = position
        position += 1
        guard let scalar = next else {
            throw error("nothing follows this '\\'; write \\\\ for the character", at: start)
        }
        position += 1
        switch scalar {
        case "d": return .set(set(.digits))
        case "D": return .set(set(.digits).inverted)
        case "s": return .set(set(.spaces))
        case "S": return .set(set(.spaces).inverted)
        case "w": return .set(set(.words))
        case "W": return .set(set(.words).inverted)
        case "a": return .scalar(0x07)
        case "f": return .scalar(0x0C)
        case "t": return .scalar(0x09)
        case "n": return .scalar(0x0A)
        case "r": return .scalar(0x0D)
        case "v": return .scalar(0x0B)
        case "x": return .scalar(try parseHex(from: start))
        case "0": return .scalar(parseOctal(first: 0))
        case "1"..."7":
            if let following = next, ("0"..."7").contains(following) {
                return .scalar(parseOctal(first: scalar.value - 0x30))
            }
            throw error("references to groups are not supported: RE2 has none", at: start)
        case "8", "9":
            throw error("references to groups are not supported: RE2 has none", at: start)
        case "p", "P": return .set(try parseCategory(isNegated: scalar == "P", from: start))
        case "C":
            throw error(
                "\\C, a single byte, is not supported: texts are matched by characters; write . "
                    + "for one", at: start)
        case "Z": throw error("RE2 has no \\Z; write \\z for the end of the text", at: start)
        default:
            guard scalar.isASCII, !ScalarSet.named["alnum", default: .all].contains(scalar.value)
            else { throw error("unknown escape \\\(scalar)", at: start) }
            return .scalar(scalar.value)
        }
    }

    /// Parses the text after `\p` or `\P`: a letter, or a Unicode general category in braces.
    private mutating func parseCategory(
        isNegated: Bool, from start: Int
    ) throws(RegularExpressionError) -> ScalarSet {
        var isNegated = isNegated
        var name = ""
        if take("{") {
            if take("^") { isNegated.toggle() }
            while let scalar = next, scalar != "}" {
                name.unicodeScalars.append(scalar)
                position += 1
            }
            guard take("}") else { throw error("this '{' has no '}'", at: start) }
        } else if let scalar = next {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard let category = UnicodeCategory.set(named: name) else {
            let shown = String(String.UnicodeScalarView(name.unicodeScalars.prefix(60)))
            let end = name.unicodeScalars.count > 60 ? "…" : ""
            throw error(
                "'\(shown)\(end)' is no general category of Unicode, such as L, Lu or Nd; of a "
                    + "script, list the ranges of characters in [ ]", at: start)
        }
        return isNegated ? set(category).inverted : set(category)
    }

    /// Parses the text after `\x`: two hexadecimal digits, or any number in braces.
    ///
    /// A surrogate is accepted, as in RE2, but no text contains one.
    private mutating func parseHex(from start: Int) throws(RegularExpressionError) -> UInt32 {
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
        guard count > 0, isBraced ? take("}") : count == 2, value <= ScalarSet.maximum
        else { throw error("expected \\x41 or \\x{1F600}", at: start) }
        return value
    }

    /// Parses up to two more octal digits.
    private mutating func parseOctal(first: UInt32) -> UInt32 {
        var value = first
        for _ in 0..<2 {
            guard let scalar = next, ("0"..."7").contains(scalar) else { break }
            value = value * 8 + (scalar.value - 0x30)
            position += 1
        }
        return value
    }
}
