import ActiveConfig
public import Targeting
import Templates

/// Why a user has the settings they have; each is worked out when it is asked for.
///
/// ```swift
/// project.reasons(for: context).reason(forKey: "title", inSection: "Home")?.value
/// ```
public struct SettingReasons: Sendable {
    /// The version.
    private let compiled: CompiledTemplate

    /// Who asks.
    private let userID: String?

    /// Whether each condition is true for the user.
    private let results: ConditionResults

    /// What is pinned for the user.
    private let overrides: OverridesDocument?

    /// Evaluates the conditions for a user.
    fileprivate init(_ project: ProjectConfiguration, context: TargetingContext) {
        compiled = project.compiled
        userID = context.userID
        results = project.compiled.conditions.evaluate(context)
        overrides = project.overrides(for: context)
    }

    /// The names of all sections, also of those that only pinned values have; each once, in no
    /// order.
    public var sectionNames: Set<String> {
        Set(compiled.sections.map(\.name)).union(overrides?.sections.keys ?? [:].keys)
    }

    /// Why one setting has its value.
    ///
    /// - Parameters:
    ///   - key: The setting's name.
    ///   - section: The section's name.
    /// - Returns: The reason, also of a setting that is left out for this user; nil when there is no
    ///   such setting.
    public func reason(forKey key: String, inSection section: String) -> SettingReason? {
        if let value = overrides?.sections[section]?[key] { return Self.override(value) }
        let parameters = compiled.sections.first { $0.name == section }?.parameters
        return parameters?.first { $0.key == key }.map(reason)
    }

    /// The reasons of all settings by section and setting, those that are left out included.
    public var all: [String: [String: SettingReason]] {
        var settings: [String: [String: SettingReason]] = [:]
        for (section, parameters) in compiled.sections {
            settings[section] = Dictionary(
                uniqueKeysWithValues: parameters.map { ($0.key, reason(of: $0)) })
        }
        for (section, values) in overrides?.sections ?? [:] {
            for (key, value) in values {
                settings[section, default: [:]][key] = Self.override(value)
            }
        }
        return settings
    }

    /// Why a setting has its value when none is pinned.
    private func reason(of parameter: CompiledParameter) -> SettingReason {
        let failed = parameter.candidates.prefix { !results[$0.condition] }
        let names = failed.map { compiled.template.conditions[$0.condition].name }
        if let winner = parameter.winner(for: results) {
            return SettingReason(
                source: .condition(compiled.template.conditions[winner.condition].name),
                value: winner.value.value(forUserID: userID), falseConditions: names,
                usesPercent: compiled.conditions.conditions[winner.condition].usesPercent)
        }
        return SettingReason(
            source: .defaultValue, value: parameter.defaultValue?.value(forUserID: userID),
            falseConditions: names)
    }

    /// The reason of a pinned value.
    private static func override(_ value: SettingValue) -> SettingReason {
        SettingReason(source: .override, value: value, falseConditions: [])
    }
}

extension ProjectConfiguration {
    /// Says why a user has the settings they have.
    ///
    /// - Parameter context: Who asks, with what signals, and when.
    /// - Returns: The reasons; the values are those of ``state(for:)``.
    public func reasons(for context: TargetingContext) -> SettingReasons {
        SettingReasons(self, context: context)
    }
}
