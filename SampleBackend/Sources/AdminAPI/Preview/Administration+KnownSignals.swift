import ClientAPI
import JSONTree
import Targeting
import TemplateStore
import Templates

extension Administration {
    /// What the clients of a project send, as far as it is known.
    ///
    /// Values of `app.id` are those of recent requests and of the apps to which templates were
    /// delivered; the other values are those of recent requests of several users.
    func knownSignals(inProject project: String) async -> KnownSignals {
        // Only remarks depend on it.
        let usage = try? await callStore("usage", project: project) {
            () throws(TemplateStoreError) in try await store.usage(inProject: project)
        }
        return KnownSignals(
            names: sample?.commonNames(inProject: project) ?? [],
            values: sample?.commonValues(inProject: project) ?? [:],
            apps: usage?.knownApps ?? [])
    }
}

extension ProjectUsage {
    /// The identifiers of all apps to which templates were delivered; empty when some are unknown, as
    /// those of users whom a service evaluates.
    fileprivate var knownApps: Set<ExactText> {
        let unknown: [UsedApp] = [.unknown, .other, .service]
        guard unknown.allSatisfy({ deliveries[$0] == nil }) else { return [] }
        return Set(deliveries.keys.compactMap(\.id))
    }
}

extension ValidatedTemplate {
    /// The rules of the named conditions that probably no client satisfies:
    /// `[{"condition": "beta", "rule": "device.os == 'iOS'", "message": "…", "likely": "ios"}]`.
    func doubtsJSON(of names: Set<ExactText>, knowing signals: KnownSignals) -> JSONNode {
        .doubts(about: zip(template.conditions.map(\.name), conditions), of: names, signals)
    }
}

extension JSONNode {
    /// Maximum number of doubts in a response.
    private static let maximumDoubts = 200

    /// The rules of the named conditions that probably no client satisfies.
    static func doubts(
        about conditions: some Sequence<(String, TargetingCondition)>, of names: Set<ExactText>,
        _ signals: KnownSignals
    ) -> JSONNode {
        var nodes: [JSONNode] = []
        for (name, condition) in conditions where names.contains(name: name) {
            let room = maximumDoubts - nodes.count
            guard room > 0 else { break }
            nodes += condition.doubts(knowing: signals, atMost: room).map { doubt in
                var node: JSONNode = [
                    "condition": .string(name), "rule": .string(doubt.rule),
                    "message": .string(doubt.message),
                ]
                node.setMember("likely", doubt.likely.map { .string($0) })
                return node
            }
        }
        return .array(nodes)
    }
}
