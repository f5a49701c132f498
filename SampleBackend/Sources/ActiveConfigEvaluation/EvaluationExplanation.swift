public import ActiveConfig
import JSONTree
import Rendering
import Targeting
import Templates

/// Why a user's settings have their values.
///
/// ```swift
/// print(evaluator.explain(forUserID: "42", signals: signals))
/// ```
public struct EvaluationExplanation: Sendable {
    /// A setting and the origin of its value.
    public struct Setting: Sendable, Hashable {
        /// The origin of a value.
        public enum Source: Sendable, Hashable {
            /// The value is pinned for the user.
            case pinned
            /// The condition with this name is the first true one that has a value.
            case condition(String)
            /// No condition with a value is true.
            case defaultValue
        }

        /// The setting.
        public let path: SettingPath
        /// The value; nil when the document omits the setting, and the default of its key counts.
        public let value: SettingValue?
        /// The origin of the value.
        public let source: Source
        /// The false conditions above the one that applies, in order.
        public let falseConditions: [String]
    }

    /// A condition and its result.
    public struct Condition: Sendable, Hashable {
        /// The name.
        public let name: String
        /// A Boolean value that indicates whether the condition is true.
        public let isTrue: Bool
        /// Why the condition is false, such as "device.country is 'US'"; nil when it is true.
        public let reason: String?
    }

    /// The version of the template; nil while there is none, which leaves the rest empty.
    public let templateVersion: Int?
    /// The settings, sorted by section and key, also those that the user's document omits.
    public let settings: [Setting]
    /// The conditions, in the order of the template.
    public let conditions: [Condition]

    /// The setting of a path; nil when the template and the user's pinned values have none.
    public subscript(path: SettingPath) -> Setting? {
        settings.first {
            $0.path.sectionName.hasSameBytes(as: path.sectionName)
                && $0.path.name.hasSameBytes(as: path.name)
        }
    }

    init(templateVersion: Int? = nil) {
        (self.templateVersion, settings, conditions) = (templateVersion, [], [])
    }

    init(_ project: PublishedProject, _ context: TargetingContext) {
        let explanation = project.explanation(for: context)
        templateVersion = project.compiled.version.number
        var settings: [Setting] = []
        for (section, reasons) in explanation.settings.sorted(by: { $0.key.precedes($1.key) }) {
            for (key, reason) in reasons.sorted(by: { $0.key.precedes($1.key) }) {
                settings.append(
                    Setting(
                        path: SettingPath(section, key), value: reason.value?.settingValue,
                        source: Setting.Source(reason.source),
                        falseConditions: reason.falseConditions))
            }
        }
        self.settings = settings
        conditions = explanation.conditions.map {
            Condition(
                name: $0.name, isTrue: $0.explanation.isTrue, reason: $0.explanation.reason)
        }
    }
}

extension EvaluationExplanation.Setting.Source {
    fileprivate init(_ source: SettingReason.Source) {
        switch source {
        case .override: self = .pinned
        case .condition(let name): self = .condition(name)
        case .defaultValue: self = .defaultValue
        }
    }
}

extension EvaluationExplanation: CustomStringConvertible {
    /// A line for each condition and setting.
    public var description: String {
        let conditions = conditions.map {
            "\($0.name): \($0.reason.map { "false, \($0)" } ?? "\($0.isTrue)")"
        }
        let settings = settings.map { setting in
            let source =
                switch setting.source {
                case .pinned: "pinned"
                case .condition(let name): "by the condition \(name)"
                case .defaultValue: "default"
                }
            return "\(setting.path): \(setting.value.map { "\($0)" } ?? "omitted"), \(source)"
        }
        return (conditions + settings).joined(separator: "\n")
    }
}
