import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import TemplateStore
import Templates

/// A change request together with what decides about it now: the current version and the votes that
/// count.
struct ReviewedChangeRequest: Sendable {
    /// The states that a list can be filtered by; all but the stored ones are derived.
    enum State: String, Sendable, CaseIterable {
        case open
        case changesRequested
        case approved
        /// Its changes conflict with the current version, or the merged template is invalid.
        case needsAttention
        case published
        case closed
        case expired

        /// The state that stores keep.
        var stored: StoredChangeRequest.State {
            switch self {
            case .open, .changesRequested, .approved, .needsAttention: .open
            case .published: .published
            case .closed: .closed
            case .expired: .expired
            }
        }
    }

    let stored: StoredChangeRequest

    /// What decides about the request; nil for one that has ended, whose project may be deleted.
    let basis: ReviewBasis?

    /// What the request is published into: the current template, with the changes of the requests
    /// that are to be published first; nil for one that has ended.
    let current: RemoteConfigTemplate?

    /// The request that is to be published first and has not been; nil for none.
    let predecessor: SchedulePredecessor?

    /// What the schedule of the request that is to be published first will come to; nil unless it
    /// waits.
    let predecessorOutlook: Outlook?

    /// False when who scheduled the request may no longer publish in the project.
    let isSchedulerPermitted: Bool

    let review: ChangeReview

    /// The template that a publish would store; nil when it cannot be published.
    let merged: ValidatedTemplate?

    /// Why the merged template cannot be published.
    let problems: [TemplateProblem]

    /// The people whose approvals were given before something was published that the request uses.
    let outdatedVoters: [String]

    /// The voters who may approve without a stored token.
    let signedInVoters: [String]

    let count: ApprovalCount

    /// A request that has ended, whose votes no longer count; in a list without its changes.
    init(ended stored: StoredChangeRequest, inList isInList: Bool = false) throws {
        guard let contents = stored.contents else { throw RequestError.storeUnavailable }
        let nothing = RemoteConfigTemplate()
        let base = isInList ? nothing : try RemoteConfigTemplate(stored: contents.base)
        self.init(
            stored: stored, basis: nil, current: nil, predecessor: nil, predecessorOutlook: nil,
            isSchedulerPermitted: true,
            review: ChangeReview(
                base: base,
                edited: isInList ? nothing : try RemoteConfigTemplate(stored: contents.edited),
                live: base),
            merged: nil, problems: [], outdatedVoters: [], signedInVoters: [],
            count: ApprovalCount(
                of: stored.request, inProject: stored.project, protection: nil, tokens: [],
                at: stored.updateTime))
    }

    init(
        stored: StoredChangeRequest, basis: ReviewBasis?, current: RemoteConfigTemplate?,
        predecessor: SchedulePredecessor?, predecessorOutlook: Outlook?,
        isSchedulerPermitted: Bool, review: ChangeReview,
        merged: ValidatedTemplate?, problems: [TemplateProblem], outdatedVoters: [String],
        signedInVoters: [String], count: ApprovalCount
    ) {
        self.stored = stored
        self.basis = basis
        self.current = current
        self.predecessor = predecessor
        self.predecessorOutlook = predecessorOutlook
        self.isSchedulerPermitted = isSchedulerPermitted
        self.review = review
        self.merged = merged
        self.problems = problems
        self.outdatedVoters = outdatedVoters
        self.signedInVoters = signedInVoters
        self.count = count
    }

    var state: State {
        switch stored.state {
        case .published: .published
        case .closed: .closed
        case .expired: .expired
        case .open where merged == nil: .needsAttention
        case .open where !count.rejections.isEmpty: .changesRequested
        case .open: count.required > 0 && count.isSufficient ? .approved : .open
        }
    }

    /// The tag of the state that the response shows: that of the request, and the current version.
    var tag: String { stored.tag + (basis.map { ".\($0.live.version.number)" } ?? "") }

    /// The conflicts with the current version.
    var conflicts: [TemplateMerge.Conflict] {
        guard case .conflict(let conflicts) = review.outcome else { return [] }
        return conflicts
    }

    /// True when a vote does not count for the current content over the current version.
    func isOutdated(_ vote: ChangeRequest.Vote) -> Bool {
        guard vote.verdict == .approve else { return false }
        return !stored.request.isCurrent(vote)
            || outdatedVoters.contains { $0.utf8.elementsEqual(vote.person.utf8) }
    }

    /// Maximum size of a list of differences in a response, in bytes.
    private static let maximumListBytes = 2 << 20

    /// The request in lists, without what it changes and the comments.
    var summary: JSONNode {
        var node = stored.json
        node.setMember("commentCount", .number("\(stored.request.comments.count)"))
        node.setMember("state", .string(state.rawValue))
        node.setMember("etag", .string(tag))
        node.setMember("schedule", schedule)
        if stored.state == .open {
            node.setMember("requiredApprovals", .number("\(count.required)"))
            node.setMember("missingApprovals", .number("\(count.missing)"))
        }
        node.setMember(
            "votes",
            .array(
                stored.request.votes.map { vote in
                    var node = vote.json
                    node.setMember("outdated", isOutdated(vote) ? .bool(true) : nil)
                    return node
                }))
        return node
    }

    /// The request with what it changes, against its base and against the current version.
    var json: JSONNode {
        var node = summary
        node.setMember("comments", .array(stored.request.comments.map(\.json)))
        node.setMember(
            "changes",
            TemplateDiff(from: review.base, to: review.edited)
                .json(maximumBytes: Self.maximumListBytes))
        if let basis {
            if let merged, let current {
                node.setMember(
                    "liveChanges",
                    TemplateDiff(from: current, to: merged.template)
                        .json(maximumBytes: Self.maximumListBytes))
            }
            node.setMember("liveVersionNumber", .string("\(basis.live.version.number)"))
            let listed = TemplateMerge.Conflict.json(
                of: conflicts, maximumBytes: Self.maximumListBytes)
            node.setMember("conflicts", .array(listed))
            if listed.count < conflicts.count {
                node.setMember("omittedConflicts", .number("\(conflicts.count - listed.count)"))
            }
            node.setMember("problems", .array(problems.map(\.json)))
        }
        return node
    }
}

extension StoredChangeRequest {
    /// The stored parts of the request in responses.
    var json: JSONNode {
        var node: JSONNode = [
            "id": .string(header.id), "etag": .string(header.tag),
            "state": .string(header.state.rawValue.lowercased()),
            "title": .string(request.title),
            "author": request.author.json,
            "baseVersionNumber": .string("\(request.baseVersion)"),
            "creationTime": .string(request.creationDate.timestamp),
            "updateTime": .string(header.updateTime.timestamp),
            "editors": .array(request.editors.map(\.json)),
            "votes": .array(request.votes.map(\.json)),
        ]
        node.setMember("text", request.text.map { .string($0) })
        node.setMember("ending", request.ending?.json)
        return node
    }
}

extension ChangeRequest.Participant {
    /// The owner and the name of the token in responses.
    var json: JSONNode {
        var node: JSONNode = ["actor": .string(actor)]
        node.setMember("person", person.map { .string($0) })
        node.setMember("creator", creator.map { .string($0) })
        return node
    }
}

extension ChangeRequest.Vote {
    fileprivate var json: JSONNode {
        var node: JSONNode = [
            "person": .string(person), "actor": .string(actor),
            "verdict": .string(verdict == .approve ? "approve" : "requestChanges"),
            "liveVersionNumber": .string("\(liveVersion)"), "time": .string(date.timestamp),
        ]
        node.setMember("comment", comment.map { .string($0) })
        return node
    }
}

extension ChangeRequest.Comment {
    fileprivate var json: JSONNode {
        var node = author.json
        node.setMember("text", .string(text))
        node.setMember("path", path.map { .string($0) })
        node.setMember("time", .string(date.timestamp))
        return node
    }
}

extension ChangeRequest.Ending {
    fileprivate var json: JSONNode {
        var node = participant.json
        node.setMember("versionNumber", version.map { .string("\($0)") })
        node.setMember("bypassReason", bypassReason.map { .string($0) })
        node.setMember("time", .string(date.timestamp))
        return node
    }
}
