/// The source form of an expression, for forms that show and edit it rule by rule.
///
/// It keeps what the evaluation does not need: order, parentheses and the texts of literals.
public indirect enum ConditionSyntax: Sendable, Hashable {
    /// `true` or `false`.
    case constant(Bool)
    /// A single rule.
    case rule(RuleSyntax)
    /// `!` and its operand.
    case not(ConditionSyntax)
    /// Operands of `&&`, at least two.
    case all([ConditionSyntax])
    /// Operands of `||`, at least two.
    case any([ConditionSyntax])

    /// Parses an expression of a client template.
    ///
    /// - Parameters:
    ///   - expression: The text, such as `device.os == 'ios' && percent <= 10`.
    ///   - budget: The budget shared by expressions that are parsed together.
    /// - Throws: ``ConditionSyntaxError`` with the column and what was expected.
    public init(
        expression: String, budget: ConditionBudget = ConditionBudget()
    ) throws(ConditionSyntaxError) {
        var parser = try ConditionParser(expression, budget: budget)
        try self.init(try parser.parse(), budget: budget)
    }

    private init(
        _ node: ConditionNode, budget: ConditionBudget
    ) throws(ConditionSyntaxError) {
        switch node {
        case .constant(let value): self = .constant(value)
        case .rule(let rule):
            var parser = try ConditionParser(rule.text, budget: budget)
            self = .rule(try parser.parseSyntax())
        case .not(let operand): self = .not(try ConditionSyntax(operand, budget: budget))
        case .all(let operands): self = .all(try Self.syntax(of: operands, budget: budget))
        case .any(let operands): self = .any(try Self.syntax(of: operands, budget: budget))
        }
    }

    private static func syntax(
        of nodes: [ConditionNode], budget: ConditionBudget
    ) throws(ConditionSyntaxError) -> [ConditionSyntax] {
        var result: [ConditionSyntax] = []
        for node in nodes { result.append(try ConditionSyntax(node, budget: budget)) }
        return result
    }
}

/// The source form of a rule, such as `app.customSignal['plan'].exactlyMatches(['gold'])`.
public struct RuleSyntax: Sendable, Hashable {
    /// The element, such as `app.customSignal`.
    public let element: String

    /// The name in brackets after the element, or the seed of `percent`; nil when there is none.
    public let key: String?

    /// The comparison or the method: `==`, `in`, `between`, `exactlyMatches`, `>=`.
    public let comparison: String

    /// The texts, numbers or dates to compare with; a time zone follows its date.
    public let values: [String]

    /// The whole rule.
    public let text: String
}

extension ConditionParser {
    /// Splits a rule, which is the whole expression and parses without error.
    ///
    /// - Throws: ``ConditionSyntaxError``; never for such a rule.
    fileprivate mutating func parseSyntax() throws(ConditionSyntaxError) -> RuleSyntax {
        let element = try parseElement()
        var key: String?
        var comparison = ""
        var values: [String] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "'"):
                let text = try parseLiteral("a text")
                // The key and the seed precede the comparison.
                if comparison.isEmpty { key = text } else { values.append(text) }
            case UInt8(ascii: "-"), UInt8(ascii: "+"), 0x30...0x39:
                values.append(takeNumberText())
            case UInt8(ascii: ".") where !comparison.isEmpty:
                values.append(takeNumberText())
            case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: "!"):
                comparison = takeComparison()?.rawValue ?? ""
            default:
                let word = word(at: position)
                position += max(1, word.utf8.count)
                // The `and` in `between`, and the names inside `version(…)` and `dateTime(…)`.
                if comparison.isEmpty, !word.isEmpty, !word.hasPrefix("app."), word != "dateTime" {
                    comparison = word
                }
            }
        }
        return RuleSyntax(
            element: element.rawValue, key: key, comparison: comparison, values: values,
            text: String(decoding: bytes, as: UTF8.self))
    }

    /// Skips a number, and returns its source text.
    private mutating func takeNumberText() -> String {
        let start = position
        position += 1
        while let byte = next, (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") {
            position += 1
        }
        return text(from: start)
    }
}
