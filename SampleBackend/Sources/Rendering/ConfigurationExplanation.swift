public import Targeting
import Templates

/// Why a user gets the document they get: each setting, and each condition.
public struct ConfigurationExplanation: Sendable, Hashable {
    /// The reasons by section and setting.
    public let settings: [String: [String: SettingReason]]

    /// What each condition gave, in the order of the template.
    public let conditions: [NamedCondition]

    /// A condition with its result.
    public struct NamedCondition: Sendable, Hashable {
        /// The name of the condition.
        public let name: String
        /// Whether it is true, and why not.
        public let explanation: ConditionExplanation
    }
}

extension ProjectConfiguration {
    /// Says why a user gets what they get.
    ///
    /// - Parameter context: Who asks, with what signals, and when.
    /// - Returns: The reasons; the values are those of ``state(for:)``.
    public func explanation(for context: TargetingContext) -> ConfigurationExplanation {
        let names = compiled.template.conditions.map(\.name)
        return ConfigurationExplanation(
            settings: reasons(for: context).all,
            conditions: names.enumerated().map { place, name in
                .init(
                    name: name, explanation: compiled.conditions.explain(place, in: context))
            })
    }
}
