/// Regular expressions in the syntax that the engines of Go, JavaScript, Java and Python share.
///
/// They use only non-capturing groups, classes, greedy repetitions, `^`, `$` and `\b`. Each begins
/// and ends where the text does, since Firebase's library for Java matches whole texts, and the
/// others search.
package enum PortablePattern {
    fileprivate static let anyCharacter = #"[\s\S]"#

    private static let anything = "\(anyCharacter)*"

    /// Maximum number of characters of a text that an expression excludes: each takes a group.
    private static let maximumExcluded = 60

    /// Translates expressions in RE2's syntax.
    ///
    /// - Returns: The translations in order; nil when an expression has no translation: it uses
    ///   `\B`, matches at line breaks, or has a class of characters beyond U+FFFF, which
    ///   JavaScript takes for two.
    package static func translating(_ expression: RegularExpression) -> [String]? {
        var translations: [String] = []
        for pattern in expression.patterns {
            var parser = PatternParser(pattern, limitsRepetitions: false)
            guard let text = (try? parser.parse())?.matchingWholeTexts.portableText,
                text.utf8.count <= RegularExpression.maximumLength
            else { return nil }
            translations.append(text)
        }
        return translations
    }

    /// An expression that finds only a text itself.
    ///
    /// - Returns: The expression; nil when the text has a line feed, before which `$` matches in
    ///   Python.
    package static func text(_ text: String) -> String? {
        guard let parts = parts(of: text) else { return nil }
        return "^\(parts.map(\.class).joined())$"
    }

    /// An expression that finds every text except one.
    ///
    /// - Returns: The expression; nil as in ``text(_:)``, and for a long text.
    package static func anythingBut(_ text: String) -> String? {
        parts(of: text).flatMap { excluding($0, unless: anyCharacter) }
    }

    /// An expression that finds a language tag and those that extend it; case does not count, and
    /// `_` is `-`.
    package static func language(_ tag: String) -> String? {
        languageParts(of: tag).map { "^\($0.map(\.class).joined())(?:$|[\\-_])\(anything)" }
    }

    /// An expression that finds every text that ``language(_:)`` does not find.
    package static func anythingBut(language tag: String) -> String? {
        languageParts(of: tag).flatMap { excluding($0, unless: #"[^\-_]"#) }
    }

    /// What matches one character, and what matches any other.
    private typealias Part = (class: String, others: String)

    private static func parts(of text: String) -> [Part]? {
        text.unicodeScalars.allSatisfy { $0 != "\n" && $0.value <= 0xFFFF }
            ? text.unicodeScalars.map { part(matching: [$0]) } : nil
    }

    private static func languageParts(of tag: String) -> [Part]? {
        guard tag.unicodeScalars.allSatisfy({ $0.isASCII && $0 != "\n" }) else { return nil }
        return tag.unicodeScalars.map { scalar in
            switch scalar {
            case "-", "_": part(matching: ["-", "_"])
            case "A"..."Z", "a"..."z":
                part(matching: [
                    Unicode.Scalar(UInt8(scalar.value) & ~0x20),
                    Unicode.Scalar(UInt8(scalar.value) | 0x20),
                ])
            default: part(matching: [scalar])
            }
        }
    }

    private static func part(matching scalars: [Unicode.Scalar]) -> Part {
        let text = scalars.map(\.portableLiteral).joined()
        return (class: scalars.count == 1 ? text : "[\(text)]", others: "[^\(text)]")
    }

    /// An expression that finds texts that end within some characters, differ from one of them, or
    /// continue after them with a match of `continuation`.
    private static func excluding(_ parts: [Part], unless continuation: String) -> String? {
        guard parts.count <= maximumExcluded else { return nil }
        let pattern = parts.reversed().reduce(continuation) { rest, part in
            "$|\(part.others)|\(part.class)(?:\(rest))"
        }
        return "^(?:\(pattern))\(anything)"
    }
}

extension Pattern {
    /// A pattern that matches the whole of each text in which this one finds something.
    fileprivate var matchingWholeTexts: Pattern {
        var parts = if case .sequence(let parts) = self { parts } else { [self] }
        let anything = Pattern.repetition(.scalar(.all), minimum: 0, maximum: nil)
        if case .anchor(.textStart)? = parts.first {
        } else {
            parts.insert(contentsOf: [.anchor(.textStart), anything], at: 0)
        }
        if case .anchor(.textEnd)? = parts.last {} else { parts.append(anything) }
        return .sequence(parts)
    }

    /// The pattern in the shared syntax; nil when it cannot be written in it.
    fileprivate var portableText: String? {
        switch self {
        case .empty: return "(?:)"
        case .scalar(let set): return set.portableText
        case .anchor(.textStart): return "^"
        case .anchor(.textEnd): return "$"
        case .anchor(.wordBoundary): return #"\b"#
        case .anchor: return nil
        case .sequence(let parts): return Self.portableTexts(of: parts)?.joined()
        case .choice(let parts):
            return Self.portableTexts(of: parts).map { "(?:\($0.joined(separator: "|")))" }
        case .repetition(let part, let minimum, let maximum):
            guard let text = part.portableText else { return nil }
            let operand = if case .scalar = part { text } else { "(?:\(text))" }
            return switch (minimum, maximum) {
            case (0, nil): "\(operand)*"
            case (1, nil): "\(operand)+"
            case (0, 1): "\(operand)?"
            case (_, nil): "\(operand){\(minimum),}"
            case (_, let maximum?): "\(operand){\(minimum),\(maximum)}"
            }
        }
    }

    private static func portableTexts(of parts: [Pattern]) -> [String]? {
        var texts: [String] = []
        for part in parts {
            guard let text = part.portableText else { return nil }
            texts.append(text)
        }
        return texts
    }
}

extension ScalarSet {
    /// The set as a character, a class, or a group with one character beyond U+FFFF; nil for a
    /// class with such characters.
    fileprivate var portableText: String? {
        guard let first = ranges.first, let last = ranges.last else { return #"[^\s\S]"# }
        if self == .all { return PortablePattern.anyCharacter }
        if first == last, first.count == 1 {
            guard let scalar = Unicode.Scalar(first.lowerBound) else { return nil }
            let literal = scalar.portableLiteral
            return scalar.value > 0xFFFF ? "(?:\(literal))" : literal
        }
        let isNegated = last.upperBound == Self.maximum
        var members = ""
        for range in isNegated ? inverted.ranges : ranges {
            guard range.upperBound <= 0xFFFF, let lower = Unicode.Scalar(range.lowerBound),
                let upper = Unicode.Scalar(range.upperBound)
            else { return nil }
            members += lower.portableLiteral
            if range.count > 2 { members += "-" }
            if range.count > 1 { members += upper.portableLiteral }
        }
        return isNegated ? "[^\(members)]" : "[\(members)]"
    }
}

extension Unicode.Scalar {
    /// The character in an expression, inside and outside a class.
    fileprivate var portableLiteral: String {
        switch self {
        case "0"..."9", "A"..."Z", "a"..."z", "_", " ": String(self)
        case "!"..."~": "\\\(self)"
        case "\u{0}"..."\u{7F}":
            "\\x" + (value < 0x10 ? "0" : "") + String(value, radix: 16, uppercase: true)
        default: String(self)
        }
    }
}
