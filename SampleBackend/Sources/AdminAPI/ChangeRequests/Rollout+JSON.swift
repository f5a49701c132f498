import Foundation
import JSONTree
import Targeting
import TemplateStore

extension ScheduledPublish {
    /// The rollout in responses; nil when the start is all.
    ///
    /// - Parameter isOver: True when nothing more happens, since the request was closed or its project
    ///   deleted.
    /// - Returns: The rollout.
    func rolloutJSON(isOver: Bool) -> JSONNode? {
        guard let rollout else { return nil }
        var node = rollout.plan.json
        let hasFailed = startOutcome.map { $0.kind != .published } ?? false
        let state: Rollout.State = hasFailed || isOver ? .stopped : rollout.state
        node.setMember("state", .string(state.rawValue))
        node.setMember("percent", rollout.bound.map(\.percentNode))
        node.setMember("steps", .array(rollout.stepNodes(startingAt: start.date, as: state)))
        if [.waiting, .running, .held].contains(state) {
            node.setMember("nextPercent", rollout.nextBound.map(\.percentNode))
        }
        let nextDate = state == .running ? rollout.nextDate : nil
        node.setMember("nextTime", nextDate.map { .string($0.timestamp) })
        let stop = rollout.hold ?? rollout.stop
        node.setMember("reason", stop?.reason.map { .string($0) })
        node.setMember("takenBackVersionNumber", stop?.version.map { .string("\($0)") })
        let kept = stop?.kept ?? []
        node.setMember("kept", kept.isEmpty ? nil : .array(kept.map { .string($0) }))
        node.setMember(
            "endTime",
            (rollout.completionDate ?? rollout.stop?.date).map { .string($0.timestamp) })
        return node
    }
}

extension Rollout {
    /// The steps that were taken, then those that are planned.
    fileprivate func stepNodes(startingAt date: Date, as state: State) -> [JSONNode] {
        var nodes = steps.map { step -> JSONNode in
            var node: JSONNode = [
                "percent": plan.bounds[step.place].percentNode,
                "time": .string(step.date.timestamp),
                "versionNumber": .string("\(step.version)"),
            ]
            if step.isTakenBack { node.setMember("isTakenBack", .bool(true)) }
            return node
        }
        guard let next = [.waiting: date, .running: nextDate][state] ?? nil else { return nodes }
        let left = plan.bounds.dropFirst(place.map { $0 + 1 } ?? 0)
        for (index, bound) in left.enumerated() {
            let time = next + Double(index) * plan.interval
            nodes.append(["percent": bound.percentNode, "time": .string(time.timestamp)])
        }
        return nodes
    }
}

extension Rollout.Plan {
    /// The plan, with the names of the members that make it.
    fileprivate var json: JSONNode {
        var node: JSONNode = [
            "condition": .string(condition), "percents": .array(bounds.map(\.percentNode)),
            "intervalMinutes": .number("\(Int(interval / 60))"),
            "minimumClients": .number("\(minimumClients)"),
            "onProblems": .string(response.rawValue),
        ]
        for (name, percent) in [
            ("maximumProblemPercent", maximumProblemPercent),
            ("maximumLostStreamPercent", maximumLostStreamPercent),
        ] {
            node.setMember(name, percent.map { .number("\($0)") })
        }
        return node
    }
}

extension Int {
    /// Millionths of a percent as a percentage.
    fileprivate var percentNode: JSONNode { .number(Percentile.percentText(self)) }
}
