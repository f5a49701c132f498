import ActiveConfig
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
        let results = compiled.conditions.evaluate(context)
        let names = compiled.template.conditions.map(\.name)
        var settings: [String: [String: SettingReason]] = [:]
        for (section, parameters) in compiled.sections {
            settings[section] = Dictionary(
                uniqueKeysWithValues: parameters.map { parameter in
                    (
                        parameter.key,
                        parameter.reason(
                            for: results, userID: context.userID, conditionNames: names)
                    )
                })
        }
        for (section, values) in overrides(for: context)?.sections ?? [:] {
            for (key, value) in values {
                settings[section, default: [:]][key] = SettingReason(
                    source: .override, value: value, falseConditions: [])
            }
        }
        return ConfigurationExplanation(
            settings: settings,
            conditions: names.enumerated().map { place, name in
                .init(
                    name: name, explanation: compiled.conditions.explain(place, in: context))
            })
    }
}

extension CompiledParameter {
    /// Why the setting has its value.
    func reason(
        for results: ConditionResults, userID: String?, conditionNames: [String]
    ) -> SettingReason {
        let failed = candidates.prefix { !results[$0.condition] }
        let names = failed.map { conditionNames[$0.condition] }
        if let winner = winner(for: results) {
            return SettingReason(
                source: .condition(conditionNames[winner.condition]),
                value: winner.value.value(forUserID: userID), falseConditions: names)
        }
        return SettingReason(
            source: .defaultValue, value: defaultValue?.value(forUserID: userID),
            falseConditions: names)
    }
}
