import Foundation
import LinearRegex

/// One rule of a condition: what it looks at, and what it asks.
struct Rule: Sendable, Hashable {
    /// What a rule asks.
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

    /// What it asks.
    let test: Test

    /// Whether it asks for the opposite, as `!=` and `.notContains` do; a missing value makes that
    /// false too.
    let isNegated: Bool

    /// Its text, for an explanation.
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
