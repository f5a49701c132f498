import Foundation
import LinearRegex

/// The tree of a condition.
///
/// The logic has three values (Kleene): a rule on a missing value is unknown, `!` of unknown is
/// unknown, `false &&` unknown is false, `true ||` unknown is true. A condition whose result is
/// unknown counts as false.
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

    /// The text as an operand of `&&`.
    private var operandText: String {
        if case .any = self { "(\(text))" } else { text }
    }

    /// Visits the rules in order.
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

/// A rule of a condition: a subject and a test.
struct Rule: Sendable, Hashable {
    enum Test: Sendable, Hashable {
        /// The user's percentile for a seed is above one bound and at most the other bound.
        case percent(seed: String, above: Int, upTo: Int)
        /// The value equals one of the texts; `isTrimmed` first trims the white space around the
        /// value.
        case isOneOf(Subject, [String], isTrimmed: Bool)
        /// The value is one of the language tags, or extends one.
        case isInLanguages(Subject, [LanguageRange], names: [String])
        /// The value contains one of the texts.
        case contains(Subject, [String])
        /// One of the regular expressions matches a part of the value.
        case matches(Subject, RegularExpression)
        /// The value compares as a number.
        case number(Subject, Comparison, Double)
        /// The value compares as a version.
        case version(Subject, Comparison, VersionNumber)
        /// The time of the request compares; with the name of the time zone as written.
        case date(Comparison, Date, zone: String?)
        /// An element that this backend does not evaluate, such as `app.audiences`.
        case unevaluated(element: String)
        /// A test that is never true, with the reason.
        case never(reason: String)
    }

    let test: Test

    /// True when negated, as by `!=` and `.notContains`.
    ///
    /// A rule on a missing value is unknown even then.
    let isNegated: Bool

    let text: String
}

extension Rule {
    /// Approximate cost; rules are evaluated cheapest first.
    var cost: Int {
        switch test {
        case .never, .unevaluated: 0
        case .isOneOf, .date, .number: 1
        case .isInLanguages: 2
        case .version: 2
        case .contains: 3
        case .matches: 4
        case .percent: 5
        }
    }

    /// Maximum number of ``ConditionBudget`` steps for the rule, without those that rules share:
    /// regular expressions and seeds.
    var steps: Int {
        switch test {
        case .never, .unevaluated: 0
        case .contains(_, let texts): Self.stepsPerValue + texts.count * Self.stepsPerPart
        case .isInLanguages(_, let ranges, _):
            Self.stepsPerValue + ranges.count * Self.stepsPerLanguage
        case .isOneOf, .number, .version, .matches: Self.stepsPerValue
        case .date, .percent: 20
        }
    }

    /// Steps to hash a seed and a user.
    static let stepsPerSeed = 300

    /// Steps to search the longest signal for a part.
    private static let stepsPerPart = 1_500

    /// Steps to compare a language; most differ in their first letters.
    private static let stepsPerLanguage = 10

    /// Steps to look up a value and compare it.
    private static let stepsPerValue = 100
}

/// Compares the actual value with the rule's value.
enum Comparison: String, Sendable, Hashable, CaseIterable {
    case less = "<"
    case lessOrEqual = "<="
    case equal = "=="
    case notEqual = "!="
    case greaterOrEqual = ">="
    case greater = ">"

    /// Returns true when `order` satisfies the comparison: negative when the actual value is
    /// smaller, 0 when both are equal.
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

    /// Returns true when `actual` and `target` satisfy the comparison; nil when one of them is NaN.
    func holds(_ actual: Double, _ target: Double) -> Bool? {
        if actual < target { return accepts(-1) }
        if actual > target { return accepts(1) }
        return actual == target ? accepts(0) : nil
    }
}
