extension PatternParser {
    enum GroupHead {
        /// The start of a group; its content follows.
        case group
        /// Flags for the rest of the enclosing group; nothing follows.
        case flags
    }

    /// Parses the text after `(?`.
    mutating func parseGroupHead(
        from start: Int
    ) throws(RegularExpressionError) -> GroupHead {
        for lookaround in ["=", "!", "<=", "<!"] where isNext(lookaround) {
            throw error(
                "looking ahead or behind is not supported: RE2 has no (?\(lookaround)", at: start)
        }
        if isNext("P<") || isNext("<") {
            position += isNext("<") ? 1 : 2
            let name = position
            while let scalar = next, ScalarSet.words.contains(scalar.value) { position += 1 }
            guard position > name, take(">") else {
                throw error("expected a group's name of letters, digits and _, then '>'", at: start)
            }
            return .group
        }
        var isOn = true
        while let scalar = next {
            position += 1
            switch scalar {
            case "i": flags.ignoresCase = isOn
            case "m": flags.isMultiLine = isOn
            case "s": flags.dotMatchesNewline = isOn
            case "U": break
            case "-" where isOn: isOn = false
            case ":": return .group
            case ")": return .flags
            default:
                throw error("unknown flag '\(scalar)'; expected i, m, s or U", at: position - 1)
            }
        }
        throw error("this '(' has no ')'", at: start)
    }

    /// Parses `[…]`.
    mutating func parseClass() throws(RegularExpressionError) -> ScalarSet {
        let start = position
        position += 1
        let isNegated = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        var isFirst = true
        while isFirst || next != "]" {
            isFirst = false
            guard next != nil else {
                throw error("this '[' has no ']'; write \\[ for the character", at: start)
            }
            let added = try parseClassPart()
            try countRanges(added.ranges.count, at: start)
            ranges += added.ranges
        }
        position += 1
        let scalars = ScalarSet(ranges)
        return isNegated ? scalars.inverted : scalars
    }

    /// Parses a class such as `\d` or `[:alpha:]`, a character, or a range in brackets.
    ///
    /// As in RE2, a class cannot bound a range: the `-` in `[\w-.]` is a character.
    private mutating func parseClassPart() throws(RegularExpressionError) -> ScalarSet {
        if isNext("[:") { return try parseNamedClass() }
        let place = position
        let lower: UInt32
        switch try parseClassItem() {
        case .set(let set): return set
        case .scalar(let scalar): lower = scalar
        }
        guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
            return set(ScalarSet([lower...lower]))
        }
        position += 1
        guard case .scalar(let upper) = try parseClassItem(), lower <= upper else {
            throw error(
                "a range goes from one character to a later one; write \\- for the character",
                at: place)
        }
        return set(ScalarSet([lower...upper]))
    }

    /// Parses one scalar or escape in brackets.
    private mutating func parseClassItem() throws(RegularExpressionError) -> EscapedItem {
        guard let scalar = next else { throw error("expected a character or ']'") }
        if scalar == "\\" { return try parseItemEscape() }
        position += 1
        return .scalar(scalar.value)
    }

    /// Parses `[:alpha:]` or `[:^alpha:]`.
    private mutating func parseNamedClass() throws(RegularExpressionError) -> ScalarSet {
        let start = position
        position += 2
        let isNegated = take("^")
        var name = ""
        while let scalar = next, ("a"..."z").contains(scalar) {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take(":"), take("]"), let set = ScalarSet.named[name] else {
            let names = ScalarSet.named.keys.sorted().joined(separator: ", ")
            throw error("unknown class; expected one of \(names)", at: start)
        }
        return isNegated ? self.set(set).inverted : self.set(set)
    }
}
