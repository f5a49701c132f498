public import Foundation
public import JSONTree

/// The conditions of a template, compiled together so that shared values are looked up once.
public struct ConditionSet: Sendable {
    /// The conditions in order.
    public let conditions: [TargetingCondition]

    /// The dates in the conditions, sorted and without duplicates.
    ///
    /// The results can change at these times without any other change.
    public let dates: [Date]

    /// True when a result can depend on more than its own condition: a condition exceeds a budget
    /// that all share, or there are more seeds than the longest ID is hashed with.
    public let sharesBudgets: Bool

    private let program: ConditionProgram

    /// Compiles conditions.
    ///
    /// - Parameter conditions: The conditions in the order of the template.
    public init(_ conditions: [TargetingCondition]) {
        self.conditions = conditions
        sharesBudgets =
            conditions.contains { $0.excess != nil }
            || conditions.reduce(0) { $0 + $1.seeds.count } > ConditionProgram.seedsOfLongestID
        dates = Set(conditions.flatMap(\.dates)).sorted()
        program = ConditionProgram(conditions)
    }

    /// Evaluates all conditions.
    ///
    /// - Parameter context: The user, the signals and the time.
    /// - Returns: The result of each condition.
    public func evaluate(_ context: TargetingContext) -> ConditionResults {
        program.evaluate(context)
    }

    /// Evaluates all conditions with a given percentile, for tests.
    ///
    /// - Parameters:
    ///   - context: The user, the signals and the time; without a user, `percent` remains unknown.
    ///   - forcedPercentile: The percentile for every seed, from 0 to 99,999,999.
    /// - Returns: The result of each condition.
    package func evaluate(
        _ context: TargetingContext, forcedPercentile: Int
    ) -> ConditionResults {
        program.evaluate(context, forcedPercentile: forcedPercentile)
    }

    /// Explains the result of a condition.
    ///
    /// - Parameters:
    ///   - index: The condition's index.
    ///   - context: The user, the signals and the time.
    /// - Returns: The result, the part that made it false, and the percentiles.
    public func explain(_ index: Int, in context: TargetingContext) -> ConditionExplanation {
        precondition(conditions.indices.contains(index), "There is no condition \(index).")
        let condition = conditions[index]
        let facts = RuleFacts(context)
        let percentiles = condition.seeds.compactMap { seed in
            facts.percentile(seed).map {
                ConditionExplanation.Percentile(seed: seed, microPercentile: $0)
            }
        }
        let isTrue = facts.value(of: condition.root) == true
        let failure = isTrue ? nil : facts.failure(of: condition.root)
        return ConditionExplanation(
            isTrue: isTrue, failedRule: failure?.text, reason: failure?.reason,
            percentiles: percentiles)
    }
}

/// An explanation of a condition's result for a user.
public struct ConditionExplanation: Sendable, Hashable {
    /// The percentile of a user for one seed.
    public struct Percentile: Sendable, Hashable {
        /// The seed of the rule; empty when it has none.
        public let seed: String
        /// The percentile, from 0 to 99,999,999 millionths of a percent.
        public let microPercentile: Int

        /// Creates a percentile.
        public init(seed: String, microPercentile: Int) {
            self.seed = seed
            self.microPercentile = microPercentile
        }
    }

    /// A Boolean value that indicates whether the condition is true.
    public let isTrue: Bool

    /// The text of the part that is false, such as `device.country in ['JP']`; nil when the
    /// condition is true.
    public let failedRule: String?

    /// The reason why that part was false, such as "device.country is 'US'" or "no signal
    /// device.country was sent"; nil when the condition is true.
    public let reason: String?

    /// The user's percentile for each seed of the condition; none without a user.
    public let percentiles: [Percentile]
}

extension ConditionSet {
    /// The unsent signals that leave conditions unknown.
    ///
    /// A condition that is unknown counts as false. A condition with the same result for every
    /// signal, such as `user.id == '1' || device.os == 'ios'` for user 1, misses none.
    ///
    /// - Parameter context: The user, the signals and the time.
    /// - Returns: The query names, such as `app.version` and `signal.plan`.
    public func missingSignals(in context: TargetingContext) -> Set<ExactText> {
        let facts = RuleFacts(context)
        var names: Set<ExactText> = []
        for condition in conditions {
            var missing: [String] = []
            condition.root.forEachRule { rule in
                guard let subject = rule.subject, subject.value(in: context) == nil else { return }
                if case .signal(let signal) = subject { missing.append(signal.queryName) }
            }
            if !missing.isEmpty, facts.value(of: condition.root) == nil {
                names.formUnion(missing.exactNames)
            }
        }
        return names
    }
}

extension Rule {
    /// The value that the rule tests; nil for the time and for elements that are not evaluated.
    fileprivate var subject: Subject? {
        switch test {
        case .isOneOf(let subject, _, _), .isInLanguages(let subject, _, _),
            .contains(let subject, _), .matches(let subject, _), .number(let subject, _, _),
            .version(let subject, _, _):
            subject
        case .percent: .userID
        case .date, .unevaluated, .never: nil
        }
    }
}
