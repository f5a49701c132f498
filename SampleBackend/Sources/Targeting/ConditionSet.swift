public import Foundation

/// The conditions of a template, put together so that what they share is looked up once.
public struct ConditionSet: Sendable {
    /// The conditions in order.
    public let conditions: [TargetingCondition]

    /// The times that they compare the time of a request with, sorted, each once: when the results
    /// may change while nothing else does.
    public let dates: [Date]

    /// The conditions as a program.
    private let program: ConditionProgram

    /// Puts conditions together.
    ///
    /// - Parameter conditions: The conditions in the order of the template.
    public init(_ conditions: [TargetingCondition]) {
        self.conditions = conditions
        dates = Set(conditions.flatMap(\.dates)).sorted()
        program = ConditionProgram(conditions)
    }

    /// Evaluates all conditions.
    ///
    /// - Parameter context: Who asks, with what signals, and when.
    /// - Returns: For each condition, whether it is true.
    public func evaluate(_ context: TargetingContext) -> ConditionResults {
        program.evaluate(context)
    }

    /// Evaluates all conditions for a user whose place is given, not computed.
    ///
    /// - Parameters:
    ///   - context: Who asks; without a user, `percent` is unknown as ever.
    ///   - forcedPercentile: The place for every seed, from 0 to 99,999,999.
    /// - Returns: For each condition, whether it is true.
    package func evaluate(
        _ context: TargetingContext, forcedPercentile: Int
    ) -> ConditionResults {
        program.evaluate(context, forcedPercentile: forcedPercentile)
    }

    /// Says why a condition is true or false.
    ///
    /// - Parameters:
    ///   - index: The condition's place.
    ///   - context: Who asks, with what signals, and when.
    /// - Returns: The result, with the part that made it false, and the percentiles.
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
