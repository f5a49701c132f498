import ActiveConfig
import Foundation
import JSONTree
import Rendering
import Targeting
import Templates

/// A type that says what users get now, what they would get of another template, and why (HTTP 3).
struct Preview: Sendable {
    /// The project as it is; nil before the first publish.
    let current: ProjectConfiguration?

    /// The project as it would be; nil when no other template is looked at.
    let proposed: ProjectConfiguration?

    /// The time of the preview.
    let date: Date

    /// The answer for one user.
    ///
    /// ```json
    /// {"userID": "3", "current": {…}, "proposed": {…}, "changes": {"Home": ["title"]},
    ///  "settings": {"Home": {"title": {"value": "x", "source": "CONDITION", "condition": "beta"}}},
    ///  "conditions": [{"name": "beta", "result": true, "percentiles": [{"seed": "",
    ///   "percentile": 12.5}]}], "missingSignals": ["app.version"]}
    /// ```
    ///
    /// `missingSignals` are those that the user is not said to send and that conditions of either
    /// template hang on: the conditions count as false here, and may be true for the user's app.
    /// `settings` and `conditions` are about the proposed template if there is one.
    func json(for user: PreviewUser) -> JSONNode {
        let context = TargetingContext(userID: user.userID, signals: user.signals, date: date)
        let now = current?.state(for: context)
        let then = proposed?.state(for: context)
        var node: JSONNode = ["userID": user.userID.map { .string($0) } ?? .null]
        node.setMember("current", now.map(Self.document))
        node.setMember("proposed", then.map(Self.document))
        if let then {
            node.setMember("changes", Self.changes(from: now ?? ConfigurationState(), to: then))
        }
        let missing = [current, proposed].compactMap { project in
            project?.compiled.conditions.missingSignals(in: context)
        }
        node.setMember(
            "missingSignals", .array(Set(missing.joined()).sorted().map { .string($0) }))
        if let explanation = (proposed ?? current)?.explanation(for: context) {
            node.setMember("settings", explanation.settingsJSON)
            node.setMember("conditions", explanation.conditionsJSON)
        }
        return node
    }

    /// A document of the exchange format.
    private static func document(_ state: ConfigurationState) -> JSONNode {
        // The framework wrote it, so it is JSON.
        (try? JSONNode(jsonData: state.jsonData())) ?? .null
    }

    /// The keys that differ, by section.
    private static func changes(
        from old: ConfigurationState, to new: ConfigurationState
    ) -> JSONNode {
        var result = JSONNode.emptyObject
        for section in Set(old.sectionNames).union(new.sectionNames).sorted() {
            let before = old.section(named: section)
            let after = new.section(named: section)
            let keys = Set(before?.settingKeys ?? []).union(after?.settingKeys ?? [])
            let changed = keys.sorted().filter { key in
                before?.value(forKey: key) != after?.value(forKey: key)
            }
            if !changed.isEmpty || (before == nil) != (after == nil) {
                result.setMember(section, .array(changed.map { .string($0) }))
            }
        }
        return result
    }
}

extension ConfigurationExplanation {
    /// The reasons by section and setting, sorted.
    var settingsJSON: JSONNode {
        var result = JSONNode.emptyObject
        for (section, reasons) in settings.sorted(by: { $0.key < $1.key }) {
            var node = JSONNode.emptyObject
            for (key, reason) in reasons.sorted(by: { $0.key < $1.key }) {
                node.setMember(key, reason.json)
            }
            result.setMember(section, node)
        }
        return result
    }

    /// The conditions in the order of the template.
    var conditionsJSON: JSONNode {
        .array(
            conditions.map { condition in
                let explanation = condition.explanation
                var node: JSONNode = [
                    "name": .string(condition.name), "result": .bool(explanation.isTrue),
                ]
                node.setMember("failedRule", explanation.failedRule.map { .string($0) })
                node.setMember("reason", explanation.reason.map { .string($0) })
                if !explanation.percentiles.isEmpty {
                    node.setMember("percentiles", .array(explanation.percentiles.map(\.json)))
                }
                return node
            })
    }
}

extension ConditionExplanation.Percentile {
    /// The percentile in percent, to the millionth.
    fileprivate var json: JSONNode {
        let percent = Double(microPercentile) / 1_000_000
        return ["seed": .string(seed), "percentile": JSONNode(.double(percent))]
    }
}

extension SettingReason {
    /// The reason: `source` is `OVERRIDE`, `CONDITION` or `DEFAULT`; without `value`, the setting is
    /// left out.
    fileprivate var json: JSONNode {
        var node = JSONNode.emptyObject
        node.setMember("value", value.map { JSONNode($0) })
        switch source {
        case .override: node.setMember("source", "OVERRIDE")
        case .defaultValue: node.setMember("source", "DEFAULT")
        case .condition(let name):
            node.setMember("source", "CONDITION")
            node.setMember("condition", .string(name))
        }
        if !falseConditions.isEmpty {
            node.setMember("falseConditions", .array(falseConditions.map { .string($0) }))
        }
        return node
    }
}
