import Foundation
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import OrderedCollections
import Rendering
import Targeting
import Templates

/// The current configuration of users, the configuration under another template, and the reasons
/// for both (API 3).
struct Preview: Sendable {
    /// The published project; nil before the first publish.
    let current: PublishedProject?

    /// The project with the other template; nil to evaluate only the published one.
    let proposed: PublishedProject?

    /// The evaluation time.
    let date: Date

    /// The response for one user.
    ///
    /// ```json
    /// {"userID": "3", "current": {…}, "proposed": {…}, "changes": {"Home": ["title"]},
    ///  "settings": {"Home": {"title": {"value": "x", "source": "CONDITION", "condition": "beta"}}},
    ///  "conditions": [{"name": "beta", "result": true, "percentiles": [{"seed": "",
    ///   "percentile": 12.5}]}], "missingSignals": ["app.version"]}
    /// ```
    ///
    /// `missingSignals` are the signals that conditions of either template use and the request
    /// lacks. Such conditions are false here but may be true for the user's app. `settings` and
    /// `conditions` describe the proposed template if there is one.
    func json(for user: PreviewUser) -> JSONNode {
        let context = TargetingContext(userID: user.userID, signals: user.signals, date: date)
        let now = current.map { Self.document($0, for: context) }
        let then = proposed.map { Self.document($0, for: context) }
        var node: JSONNode = ["userID": user.userID.map { .string($0) } ?? .null]
        node.setMember("current", now)
        node.setMember("proposed", then)
        if let then { node.setMember("changes", Self.changes(from: now, to: then)) }
        let missing = [current, proposed].compactMap { project in
            project?.compiled.conditions.missingSignals(in: context)
        }
        node.setMember(
            "missingSignals", .array(Set(missing.joined()).sortedByBytes().map { .string($0) }))
        if let project = proposed ?? current {
            let explanation = project.explanation(for: context)
            node.setMember(
                "settings",
                explanation.settingsJSON(archived: project.compiled.archivedSettings))
            node.setMember("conditions", explanation.conditionsJSON)
        }
        return node
    }

    /// The maximum number of bytes that the user's ID can take in the response for the user: in
    /// each document, and in the settings with their reasons.
    func maximumUserIDBytes(for user: PreviewUser) -> Int {
        guard let userID = user.userID else { return 0 }
        let count = [current, proposed, proposed ?? current].reduce(1) { count, project in
            count + (project?.compiled.maximumUserIDCount ?? 0)
        }
        return count * JSONNode.string(userID).jsonData().count
    }

    /// The document of a user in the exchange format.
    private static func document(
        _ project: PublishedProject, for context: TargetingContext
    ) -> JSONNode {
        let bytes = project.rendered(for: context).document.jsonBytes
        // Cannot fail, since the project wrote this JSON.
        return (try? JSONNode(jsonData: Data(buffer: bytes), keys: .lastCounts)) ?? .null
    }

    /// The changed keys by section.
    private static func changes(from old: JSONNode?, to new: JSONNode) -> JSONNode {
        let (old, new) = (old?["config_sections"], new["config_sections"])
        var result = JSONNode.emptyObject
        for section in names(in: old, new) {
            let (before, after) = (old?[section], new?[section])
            let (was, now) = (before?["settings"], after?["settings"])
            let changed = names(in: was, now).filter { was?[$0] != now?[$0] }
            if !changed.isEmpty || (before == nil) != (after == nil) {
                result.setMember(section, .array(changed.map { .string($0) }))
            }
        }
        return result
    }

    /// The names of all members of the objects, sorted.
    private static func names(in objects: JSONNode?...) -> [String] {
        Set(objects.flatMap { $0?.objectValue?.keys.map(\.self) ?? [] }).sortedByBytes()
    }
}

extension DocumentExplanation {
    /// The reasons by section and setting, sorted by name; an archived setting has the source
    /// `ARCHIVED` and no value.
    func settingsJSON(archived: [ExactText: Set<ExactText>]) -> JSONNode {
        var sections = settings.mapValues { $0.mapValues(\.json) }
        for (section, keys) in archived {
            for key in keys {
                sections[section.text, default: [:]][key.text] = ["source": "ARCHIVED"]
            }
        }
        return JSONNode(
            sorting: sections.map { section, reasons in
                (
                    key: section,
                    value: JSONNode(sorting: reasons.map { (key: $0.key, value: $0.value) })
                )
            })
    }

    /// The conditions in template order.
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
    /// The percentile in percent, precise to a millionth.
    fileprivate var json: JSONNode {
        let percent = Double(microPercentile) / 1_000_000
        return ["seed": .string(seed), "percentile": .number("\(percent)")]
    }
}

extension SettingReason {
    /// `source` is `OVERRIDE`, `CONDITION` or `DEFAULT`; without `value` the document omits the
    /// setting.
    fileprivate var json: JSONNode {
        var node = JSONNode.emptyObject
        node.setMember("value", value)
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
        if !unevaluatedConditions.isEmpty {
            node.setMember(
                "unevaluatedConditions", .array(unevaluatedConditions.map { .string($0) }))
        }
        return node
    }
}
