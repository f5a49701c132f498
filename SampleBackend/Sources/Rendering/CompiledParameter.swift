import Targeting

/// A parameter with its values in the order of their conditions.
struct CompiledParameter: Sendable {
    /// A value that applies when a condition is true.
    struct Candidate: Sendable {
        /// Index of the condition in the template.
        let condition: Int
        let value: CompiledValue
    }

    let key: String

    /// The values with a condition, the most important first.
    let candidates: [Candidate]

    /// Indices of the conditions with a value that is not evaluated, such as a rollout's, which
    /// counts as if its condition were false; in their order.
    let unevaluated: [Int]

    /// The value when none of the conditions is true; nil leaves the setting out.
    let defaultValue: CompiledValue?

    /// The most places of the user's ID in one of its values.
    var maximumUserIDCount: Int {
        candidates.reduce(defaultValue?.userIDCount ?? 0) { max($0, $1.value.userIDCount) }
    }

    /// The candidate that applies, or nil for the default.
    func winner(for results: ConditionResults) -> Candidate? {
        candidates.first { results[$0.condition] }
    }

    /// The value for the results; `omitted` also when there is none.
    func value(for results: ConditionResults) -> CompiledValue {
        winner(for: results)?.value ?? defaultValue ?? .omitted
    }
}
