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

    /// The conditional values, highest priority first.
    let candidates: [Candidate]

    /// Indexes of the conditions whose value this backend does not evaluate, such as a rollout's,
    /// in ascending order.
    ///
    /// Such a condition counts as false.
    let unevaluated: [Int]

    /// The value when none of the conditions is true; nil leaves the setting out.
    let defaultValue: CompiledValue?

    /// The maximum number of occurrences of the user's ID in any of its values.
    var maximumUserIDCount: Int {
        candidates.reduce(defaultValue?.userIDCount ?? 0) { max($0, $1.value.userIDCount) }
    }

    /// The candidate that applies, or nil for the default.
    func winner(for results: ConditionResults) -> Candidate? {
        candidates.first { results[$0.condition] }
    }

    /// The value for the results; `omitted` when no value applies.
    func value(for results: ConditionResults) -> CompiledValue {
        winner(for: results)?.value ?? defaultValue ?? .omitted
    }
}
