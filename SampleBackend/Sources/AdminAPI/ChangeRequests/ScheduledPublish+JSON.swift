import Foundation
import JSONTree
import TemplateStore
import Templates

extension ReviewedChangeRequest {
    /// What a schedule that waits will come to if nothing changes.
    enum Outlook: String, Sendable {
        case willPublish
        case needsApproval
        case conflict
        case invalid
        case notPermitted
        case waitsForPredecessor
    }

    /// Nil unless the start of the schedule waits.
    var outlook: Outlook? {
        guard stored.state == .open, let schedule = stored.request.schedule,
            schedule.waitingPart == .start
        else { return nil }
        if !isSchedulerPermitted { return .notPermitted }
        if let predecessor {
            guard let earlier = predecessor.stored, earlier.state == .open else {
                return .conflict
            }
            guard predecessorOutlook == .willPublish,
                earlier.dueDate.map({ $0 <= schedule.start.date }) ?? false
            else { return .waitsForPredecessor }
        }
        guard merged != nil else { return conflicts.isEmpty ? .invalid : .conflict }
        return lacksApprovals ? .needsApproval : .willPublish
    }

    /// True when a publish needs further approvals.
    var lacksApprovals: Bool { basis?.protection != nil && !count.isSufficient }

    /// What a publish needs, such as "2 more approvals are needed".
    var lackingApprovals: String {
        let verb = count.missing == 1 ? "approval is" : "approvals are"
        return [
            count.missing > 0 ? "\(count.missing) more \(verb) needed" : nil,
            count.rejections.isEmpty
                ? nil : "changes are requested by \(count.rejections.shownNames)",
        ].compactMap(\.self).joined(separator: ", and ")
    }

    /// Why nothing will be published as things are now; nil when it will be.
    private func reason(for outlook: Outlook) -> String? {
        let text: String
        switch outlook {
        case .willPublish: return nil
        case .needsApproval: text = lackingApprovals
        case .conflict:
            if let predecessor, predecessor.stored?.state != .open {
                let state = predecessor.stored?.state.rawValue.lowercased() ?? "not there any more"
                text = "the change request \(predecessor.id), which comes first, is \(state)"
            } else {
                text =
                    "what was published since changed the same: "
                    + conflicts.map(\.path).shownNames
            }
        case .invalid:
            let first = problems.first.map { ": \($0.description(in: "the template"))" } ?? ""
            text = "the template cannot be published\(first)"
        case .notPermitted:
            let name = stored.request.schedule?.scheduler.shownName ?? ""
            text = "\(name) may no longer publish in this project"
        case .waitsForPredecessor:
            text =
                "the change request \(predecessor?.id ?? ""), which comes first, has to be "
                + "published until then"
        }
        let sentence = text.prefix(1).uppercased() + text.dropFirst()
        return sentence.hasSuffix(".") ? sentence : sentence + "."
    }

    /// The schedule in responses; nil when the request was never scheduled.
    var schedule: JSONNode? {
        guard let schedule = stored.request.schedule else { return nil }
        var node = schedule.json
        if schedule.startOutcome == nil, stored.state != .open {
            node.setMember("state", .string("cancelled"))
        }
        if stored.dueDate == nil, schedule.waitingPart == .end {
            // The project was deleted, and made again.
            node.setMember("end", ["state": "dropped"])
        }
        let isOver =
            schedule.startOutcome == nil && stored.state != .open
            || schedule.waitingPart == .step && stored.dueDate == nil
        node.setMember("rollout", schedule.rolloutJSON(isOver: isOver))
        let outlook = outlook
        node.setMember("outlook", outlook.map { .string($0.rawValue) })
        node.setMember(
            "outlookReason", outlook.flatMap { reason(for: $0) }.map { .string($0) })
        return node
    }
}

extension [String] {
    /// Maximum number of names in a sentence.
    private static let mostShown = 3

    /// The first names, and the number of the others.
    fileprivate var shownNames: String {
        let more = count > Self.mostShown ? " and \(count - Self.mostShown) more" : ""
        return prefix(Self.mostShown).map(\.shortened).joined(separator: ", ") + more
    }
}

extension ScheduledPublish {
    fileprivate var json: JSONNode {
        var node: JSONNode = [
            "at": .string(start.text), "time": .string(start.date.timestamp),
            "scheduler": scheduler.json,
            "state": .string(startOutcome?.kind.apiName ?? "waiting"),
        ]
        node.setMember("until", end.map { .string($0.text) })
        node.setMember("untilTime", end.map { .string($0.date.timestamp) })
        node.setMember("zone", zone.map { .string($0) })
        node.setMember("after", predecessor.map { .string($0) })
        startOutcome?.add(to: &node)
        if let startOutcome, startOutcome.kind == .published,
            startOutcome.date.timeIntervalSince(start.date) > Self.punctuality
        {
            node.setMember("late", .bool(true))
        }
        node.setMember("end", end == nil ? nil : endJSON)
        return node
    }

    /// A publish is called late after this many seconds.
    private static let punctuality = 60.0

    private var endJSON: JSONNode {
        guard startOutcome.map({ $0.kind == .published }) ?? true else {
            return ["state": "dropped"]
        }
        var node: JSONNode = ["state": .string(endOutcome?.kind.apiName ?? "waiting")]
        endOutcome?.add(to: &node)
        return node
    }
}

extension ScheduledPublish.Outcome {
    fileprivate func add(to node: inout JSONNode) {
        node.setMember("reason", reason.map { .string($0) })
        node.setMember("versionNumber", version.map { .string("\($0)") })
        node.setMember("kept", kept.isEmpty ? nil : .array(kept.map { .string($0) }))
        node.setMember("outcomeTime", .string(date.timestamp))
    }
}

extension ScheduledPublish.Outcome.Kind {
    fileprivate var apiName: String {
        switch self {
        case .published: "published"
        case .conflict: "conflict"
        case .invalid: "invalid"
        case .notApproved: "notApproved"
        case .notPermitted: "notPermitted"
        case .missed: "missed"
        case .cancelled: "cancelled"
        }
    }
}
