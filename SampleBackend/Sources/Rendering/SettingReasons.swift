public import JSONTree
public import Targeting
import Templates

/// The reasons for the values of a user's settings, computed on access.
///
/// ```swift
/// project.reasons(for: context).reason(forKey: "title", inSection: "Home")?.value
/// ```
public struct SettingReasons: Sendable {
    private let compiled: CompiledTemplate

    /// Nil means the generic user.
    private let userID: String?

    /// The results of the conditions for the user.
    private let results: ConditionResults

    private let overrides: OverridesDocument?

    /// Evaluates the conditions for a user.
    fileprivate init(_ project: PublishedProject, context: TargetingContext) {
        compiled = project.compiled
        userID = context.userID
        results = project.compiled.conditions.evaluate(context)
        overrides = project.overrides(for: context)
    }

    /// The names of all sections, including those that exist only in pinned values.
    public var sectionNames: Set<ExactText> {
        compiled.sections.map(\.name).exactNames.union(overrides?.sections.keys ?? [:].keys)
    }

    /// Returns the reason for a setting's value.
    ///
    /// - Parameters:
    ///   - key: The setting's key.
    ///   - section: The section's name.
    /// - Returns: The reason, also for a setting that this user's document omits; nil when the
    ///   setting does not exist.
    public func reason(forKey key: String, inSection section: String) -> SettingReason? {
        if let value = overrides?.sections[name: section]?[name: key] {
            return Self.override(value)
        }
        return compiled.parameter(forKey: key, inSection: section).map(reason)
    }

    /// The reasons of all settings by section and key, including omitted settings.
    public var all: NamedValues<NamedValues<SettingReason>> {
        var settings: NamedValues<NamedValues<SettingReason>> = [:]
        for (section, parameters) in compiled.sections {
            settings[section] = NamedValues(
                parameters.map { (key: $0.key, value: reason(of: $0)) },
                uniquingKeysWith: { first, _ in first })
        }
        for (section, values) in overrides?.sections ?? [:] {
            for (key, value) in values {
                settings[section.text, default: [:]][key] = Self.override(value)
            }
        }
        return settings
    }

    /// The reason for a value that is not pinned.
    private func reason(of parameter: CompiledParameter) -> SettingReason {
        let failed = parameter.candidates.prefix { !results[$0.condition] }
        let names = failed.map { compiled.template.conditions[$0.condition].name }
        let winner = parameter.winner(for: results)
        let passedOver = parameter.unevaluated.prefix { $0 < winner?.condition ?? .max }
        var reason = SettingReason(
            source: .defaultValue, value: parameter.defaultValue?.value(forUserID: userID),
            falseConditions: names)
        if let winner {
            reason = SettingReason(
                source: .condition(compiled.template.conditions[winner.condition].name),
                value: winner.value.value(forUserID: userID), falseConditions: names,
                usesPercent: compiled.conditions.conditions[winner.condition].usesPercent)
        }
        reason.unevaluatedConditions = passedOver.filter { results[$0] }.map {
            compiled.template.conditions[$0].name
        }
        return reason
    }

    private static func override(_ value: JSONNode) -> SettingReason {
        SettingReason(source: .override, value: value, falseConditions: [])
    }
}

extension PublishedProject {
    /// Returns the reasons for a user's settings, computed lazily.
    ///
    /// - Parameter context: The user, the signals and the time.
    /// - Returns: The reasons; the values are those of ``rendered(for:)``.
    public func reasons(for context: TargetingContext) -> SettingReasons {
        SettingReasons(self, context: context)
    }
}

/// The reason for a setting's value.
public struct SettingReason: Sendable, Hashable {
    /// The origin of a value.
    public enum Source: Sendable, Hashable {
        /// The value is pinned for the user.
        case override
        /// The condition with this name is the first true condition that has a value.
        case condition(String)
        /// No condition with a value is true.
        case defaultValue
    }

    /// The origin of the value.
    public let source: Source

    /// The value; nil when the setting is omitted and the app uses its own default.
    public let value: JSONNode?

    /// The false conditions above the one that applies, in order.
    public let falseConditions: [String]

    /// A Boolean value that indicates whether the condition that applies uses `percent`.
    public var usesPercent = false

    /// The true conditions above the one that applies whose kind of value this backend does not
    /// evaluate, such as a rollout's; in order.
    public var unevaluatedConditions: [String] = []
}

/// The reasons for a user's document, per setting and per condition.
public struct DocumentExplanation: Sendable, Hashable {
    /// The reasons by section and key.
    public let settings: NamedValues<NamedValues<SettingReason>>

    /// The result of each condition, in the order of the template.
    public let conditions: [NamedCondition]

    /// A condition with its result.
    public struct NamedCondition: Sendable, Hashable {
        /// The name of the condition.
        public let name: String
        /// The result and the reason.
        public let explanation: ConditionExplanation
    }
}

extension PublishedProject {
    /// Explains the document of a user.
    ///
    /// - Parameter context: The user, the signals and the time.
    /// - Returns: The reasons; the values are those of ``rendered(for:)``.
    public func explanation(for context: TargetingContext) -> DocumentExplanation {
        let names = compiled.template.conditions.map(\.name)
        return DocumentExplanation(
            settings: reasons(for: context).all,
            conditions: names.enumerated().map { place, name in
                .init(
                    name: name, explanation: compiled.conditions.explain(place, in: context))
            })
    }
}
