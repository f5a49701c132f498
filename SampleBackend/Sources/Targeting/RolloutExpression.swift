/// An expression with one `percent` rule, whose upper bound a rollout raises.
///
/// ```swift
/// let expression = try RolloutExpression("device.os == 'ios' && percent('beta') <= 5")
/// expression.text(upTo: 25_000_000)  // device.os == 'ios' && percent('beta') <= 25
/// ```
public struct RolloutExpression: Sendable, Hashable {
    private let bytes: [UInt8]
    private let boundRange: Range<Int>

    /// The lower bound in millionths of a percent; 0 without one.
    public let lowerBound: Int

    /// The upper bound in millionths of a percent.
    public let upperBound: Int

    /// Reads an expression of a client template.
    ///
    /// - Parameter expression: The text.
    /// - Throws: ``ConditionSyntaxError`` when it cannot be parsed, or has not exactly one rule on
    ///   `percent`, which has an upper bound and is not negated.
    public init(_ expression: String) throws(ConditionSyntaxError) {
        var parser = try ConditionParser(expression, budget: ConditionBudget(isPublished: true))
        let root = try parser.parse()
        var rules: [(above: Int, upTo: Int)] = []
        root.forEachRule { rule in
            if case .percent(_, let above, let upTo) = rule.test { rules.append((above, upTo)) }
        }
        guard rules.count == 1, let rule = rules.first, parser.upperBounds.count == 1,
            let range = parser.upperBounds.first
        else {
            throw ConditionSyntaxError(
                column: 1,
                reason: "a rollout needs exactly one rule such as percent('seed') <= 5, found "
                    + "\(rules.count) on percent with \(parser.upperBounds.count) upper bounds")
        }
        guard !root.hasNegatedPercent else {
            throw ConditionSyntaxError(
                column: parser.column(of: range.lowerBound),
                reason:
                    "a rollout cannot raise a percentage inside '!(…)'; write the rule without it")
        }
        bytes = parser.bytes
        boundRange = range
        (lowerBound, upperBound) = (max(rule.above, 0), rule.upTo)
    }

    /// The expression with another upper bound.
    ///
    /// - Parameter bound: The bound in millionths of a percent.
    /// - Returns: The text, otherwise unchanged.
    public func text(upTo bound: Int) -> String {
        let number = Array(Percentile.percentText(bound).utf8)
        return String(
            decoding: bytes[..<boundRange.lowerBound] + number + bytes[boundRange.upperBound...],
            as: UTF8.self)
    }
}

extension ConditionNode {
    /// True when a `percent` rule is inside a negation.
    fileprivate var hasNegatedPercent: Bool {
        switch self {
        case .constant, .rule: return false
        case .not(let node):
            var isFound = false
            node.forEachRule { if case .percent = $0.test { isFound = true } }
            return isFound
        case .all(let nodes), .any(let nodes): return nodes.contains(where: \.hasNegatedPercent)
        }
    }
}
