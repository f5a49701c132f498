extension PatternParser {
    /// What stands behind `(?`.
    enum GroupHead {
        /// The beginning of a group; its content follows.
        case group
        /// Flags for the rest of the group around; nothing follows.
        case flags
    }

    /// Parses what stands behind `(?`.
    ///
    /// - Parameter start: The place of the parenthesis, for errors.
    /// - Returns: Whether a group's content follows.
    /// - Throws: ``RegularExpressionError``.
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
    ///
    /// - Returns: The scalars it accepts.
    /// - Throws: ``RegularExpressionError``.
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
            if isNext("[:") {
                ranges += try parseNamedClass().ranges
                continue
            }
            let place = position
            let low = try parseClassItem()
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                ranges += folded(low).ranges
                continue
            }
            position += 1
            let high = try parseClassItem()
            guard let lower = single(low), let upper = single(high), lower <= upper else {
                throw error(
                    "a range goes from one character to a later one; write \\- for the character",
                    at: place)
            }
            ranges += set(ScalarSet([lower...upper])).ranges
        }
        position += 1
        let scalars = ScalarSet(ranges)
        return isNegated ? scalars.inverted : scalars
    }

    /// The scalars as the flags have them; an escape for more than one is so already.
    ///
    /// - Parameter item: What was read.
    /// - Returns: With those of the other case, when case makes no difference.
    func folded(_ item: ScalarSet) -> ScalarSet {
        single(item) == nil ? item : set(item)
    }

    /// The scalar of a set that has one.
    private func single(_ set: ScalarSet) -> UInt32? {
        guard let range = set.ranges.first, set.ranges.count == 1, range.count == 1 else {
            return nil
        }
        return range.lowerBound
    }

    /// Parses one scalar or escape in brackets.
    private mutating func parseClassItem() throws(RegularExpressionError) -> ScalarSet {
        guard let scalar = next else { throw error("expected a character or ']'") }
        if scalar == "\\" { return try parseSetEscape() }
        position += 1
        return ScalarSet(scalar)
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
