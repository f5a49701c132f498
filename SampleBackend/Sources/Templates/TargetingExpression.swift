/// An expression of conditions to which another product's targeting is converted.
struct TargetingExpression: Sendable, Hashable {
    /// The operands of `||`, each of which may be an operand of `&&`; at least one.
    let alternatives: [String]

    /// True when it is never unknown for a user with an ID, so that its negation is true for
    /// whomever it is not.
    let isAlwaysKnown: Bool

    /// Creates an expression of one rule.
    init(_ rule: String, isAlwaysKnown: Bool = false) {
        self.init(alternatives: [rule], isAlwaysKnown: isAlwaysKnown)
    }

    private init(alternatives: [String], isAlwaysKnown: Bool) {
        self.alternatives = alternatives
        self.isAlwaysKnown = isAlwaysKnown
    }

    static let always = TargetingExpression("true", isAlwaysKnown: true)

    static let never = TargetingExpression("false", isAlwaysKnown: true)

    /// All of the expressions; `true` when there are none.
    static func all(_ operands: [TargetingExpression]) -> TargetingExpression {
        guard let first = operands.first else { return .always }
        guard operands.count > 1 else { return first }
        return TargetingExpression(
            operands.map(\.operand).joined(separator: " && "),
            isAlwaysKnown: operands.allSatisfy(\.isAlwaysKnown))
    }

    /// Any of the expressions; `false` when there are none.
    static func any(_ operands: [TargetingExpression]) -> TargetingExpression {
        operands.isEmpty
            ? .never
            : TargetingExpression(
                alternatives: operands.flatMap(\.alternatives),
                isAlwaysKnown: operands.allSatisfy(\.isAlwaysKnown))
    }

    /// True when the value of a subject is one of some texts; long lists are several alternatives.
    static func isOneOf(
        _ texts: [String], isAlwaysKnown: Bool, rule: (String) -> String
    ) -> TargetingExpression {
        var lists: [String] = []
        var length = Int.max
        for literal in texts.map(\.quotedLiteral) {
            if length > longestList - literal.utf8.count {
                lists.append(literal)
                length = literal.utf8.count
            } else {
                lists[lists.count - 1] += ", \(literal)"
                length += literal.utf8.count + 2
            }
        }
        return TargetingExpression(
            alternatives: lists.map { rule("[\($0)]") }, isAlwaysKnown: isAlwaysKnown)
    }

    /// Maximum number of bytes in the list of a rule, which leaves room for the rest of a condition.
    private static let longestList = 15_000

    var negated: TargetingExpression {
        TargetingExpression("!(\(text))", isAlwaysKnown: isAlwaysKnown)
    }

    /// The expression in `&&` with a text of ``conditionTexts``.
    func and(_ text: String, unless isOmitted: Bool) -> TargetingExpression {
        isOmitted ? self : TargetingExpression("(\(text)) && \(operand)")
    }

    /// Number of bytes of ``text``, which is not made for it.
    var length: Int { alternatives.reduce(4 * (alternatives.count - 1)) { $0 + $1.utf8.count } }

    var text: String { alternatives.joined(separator: " || ") }

    private var operand: String { alternatives.count > 1 ? "(\(text))" : text }

    /// Texts for conditions that follow each other, each as long as possible: the expression is
    /// true if one of them is.
    var conditionTexts: [String] {
        var texts: [String] = []
        for alternative in alternatives {
            if let last = texts.last,
                last.utf8.count + alternative.utf8.count < Self.longestList
            {
                texts[texts.count - 1] = "\(last) || \(alternative)"
            } else {
                texts.append(alternative)
            }
        }
        return texts
    }
}

/// Targeting that no expression can stand for, with the place and the reason.
struct InexpressibleTargeting: Error {
    let path: TemplatePath

    /// The reason, without a full stop.
    let reason: String
}

extension String {
    /// The text in single quotes, as a literal of an expression.
    var quotedLiteral: String {
        var literal = "'"
        for scalar in unicodeScalars {
            if scalar == "'" || scalar == "\\" { literal.unicodeScalars.append("\\") }
            literal.unicodeScalars.append(scalar)
        }
        return literal + "'"
    }

    /// A regular expression that matches the text itself.
    var escapedPattern: String {
        var pattern = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isASCII, !ParameterKey.isWord(UInt8(scalar.value)) {
                pattern.append("\\")
            }
            pattern.append(scalar)
        }
        return String(pattern)
    }
}
