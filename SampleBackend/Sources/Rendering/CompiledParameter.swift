import Targeting

/// A parameter with its values in the order in which their conditions count.
struct CompiledParameter: Sendable {
    /// A value that counts when a condition is true.
    struct Candidate: Sendable {
        /// The place of the condition in the template.
        let condition: Int
        /// What the setting becomes.
        let value: CompiledValue
    }

    /// The parameter's key: the setting's name.
    let key: String

    /// The values with a condition, the most important first.
    let candidates: [Candidate]

    /// The value when none of the conditions is true; nil leaves the setting out.
    let defaultValue: CompiledValue?

    /// Whether any of its values holds the user's ID.
    var showsUserID: Bool {
        (candidates.map(\.value) + [defaultValue].compactMap { $0 }).contains { value in
            if case .withUserID = value { true } else { false }
        }
    }

    /// The candidate that counts, or nil for the default.
    func winner(for results: ConditionResults) -> Candidate? {
        candidates.first { results[$0.condition] }
    }
}
