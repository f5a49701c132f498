import Foundation
import LinearRegex

/// The tree of a condition.
///
/// Its logic has three values (Kleene's): a rule on a missing value is unknown, `!` of unknown is
/// unknown, `false &&` unknown is false, `true ||` unknown is true. A condition that comes out
/// unknown is not true.
indirect enum ConditionNode: Sendable, Hashable {
    /// `true` or `false`.
    case constant(Bool)
    case rule(Rule)
    case not(ConditionNode)
    /// Operands of `&&`; true when there are none.
    case all([ConditionNode])
    /// Operands of `||`; false when there are none.
    case any([ConditionNode])

    var text: String {
        switch self {
        case .constant(let value): value ? "true" : "false"
        case .rule(let rule): rule.text
        case .not(.constant(let value)): value ? "!true" : "!false"
        case .not(let node): "!(\(node.text))"
        case .all(let nodes): nodes.map(\.operandText).joined(separator: " && ")
        case .any(let nodes): nodes.map(\.text).joined(separator: " || ")
        }
    }

    /// Its text as an operand of `&&`.
    private var operandText: String {
        if case .any = self { "(\(text))" } else { text }
    }

    /// Visits the rules in it, in order.
    func forEachRule(_ visit: (Rule) -> Void) {
        switch self {
        case .constant: break
        case .rule(let rule): visit(rule)
        case .not(let node): node.forEachRule(visit)
        case .all(let nodes), .any(let nodes):
            for node in nodes { node.forEachRule(visit) }
        }
    }
}

/// One rule of a condition: what it looks at, and what it asks.
struct Rule: Sendable, Hashable {
    enum Test: Sendable, Hashable {
        /// Whether the user's place for a seed is above one bound and not above the other.
        case percent(seed: String, above: Int, upTo: Int)
        /// Whether the value is one of some; white space around it is ignored if so asked.
        case isOneOf(Subject, [String], isTrimmed: Bool)
        /// Whether one of some texts stands in the value.
        case contains(Subject, [String])
        /// Whether one of some regular expressions is found in the value.
        case matches(Subject, RegularExpression)
        /// How the value, a number, compares.
        case number(Subject, Comparison, Double)
        /// How the value, a version, compares.
        case version(Subject, Comparison, VersionNumber)
        /// How the time of the request compares.
        case date(Comparison, Date)
        /// Something that this backend does not know of a user, such as `app.audiences`.
        case unevaluated(element: String)
        /// Nothing that can be true, and why.
        case never(reason: String)
    }

    let test: Test

    /// Whether it asks for the opposite, as `!=` and `.notContains` do; a missing value makes that
    /// false too.
    let isNegated: Bool

    let text: String
}

extension Rule {
    /// A rough measure of the time that a rule takes, to try cheap ones first.
    var cost: Int {
        switch test {
        case .never, .unevaluated: 0
        case .isOneOf, .date, .number: 1
        case .version: 2
        case .contains: 3
        case .matches: 4
        case .percent: 5
        }
    }

    /// The steps of a ``ConditionBudget`` that a rule takes at most, without those that rules share:
    /// regular expressions and seeds.
    var steps: Int {
        switch test {
        case .never, .unevaluated: 0
        case .contains(_, let texts): Self.stepsPerValue + texts.count * Self.stepsPerPart
        case .isOneOf, .number, .version, .matches: Self.stepsPerValue
        case .date, .percent: 20
        }
    }

    /// The steps of a user's place for a seed, a hash.
    static let stepsPerSeed = 300

    /// The steps of looking for a part in the longest signal.
    private static let stepsPerPart = 1_500

    /// The steps of looking a value up and of comparing it.
    private static let stepsPerValue = 100
}

/// The relation that a rule asks for between the actual value and its own.
enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// Below the value of the rule.
    case less = "<"
    /// Not above it.
    case lessOrEqual = "<="
    case equal = "=="
    /// Another.
    case notEqual = "!="
    /// Not below it.
    case greaterOrEqual = ">="
    /// Above it.
    case greater = ">"

    /// Whether an order satisfies it.
    ///
    /// - Parameter order: Negative when the actual value is the smaller, 0 when both are equal.
    /// - Returns: Whether the rule is true.
    func accepts(_ order: Int) -> Bool {
        switch self {
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .equal: order == 0
        case .notEqual: order != 0
        case .greaterOrEqual: order >= 0
        case .greater: order > 0
        }
    }

    /// Whether two numbers satisfy it.
    ///
    /// - Parameters:
    /// - actual: The number that a user has.
    /// - target: The number of the rule.
    /// - Returns: nil when one of them is not a number.
    func holds(_ actual: Double, _ target: Double) -> Bool? {
        if actual < target { return accepts(-1) }
        if actual > target { return accepts(1) }
        return actual == target ? accepts(0) : nil
    }
}
