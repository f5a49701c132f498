package import Templates

/// A step of a change request, with what webhooks are told of it: no templates, comments or votes'
/// reasons, and texts of bounded size.
public struct ChangeRequestStep: Sendable, Hashable, Codable {
    /// The kind of a step; stores and messages have the raw value.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case opened
        /// The content was changed, so earlier approvals no longer count.
        case edited
        case approved
        case changesRequested
        case published
        /// Published without the approvals that the project needs.
        case bypassed
        case closed
        /// A publish at a time was planned, or moved to another time.
        case scheduled
        case scheduleCancelled
        /// Approvals are lacking some time before the start of a schedule.
        case approvalsLacking
        /// Nothing was published at the time.
        case scheduleFailed
        /// The end of the schedule was published, or a rollout's percentage taken back.
        case takenBack
        /// A further percentage of a rollout was published.
        case rolloutStep
        case rolloutHeld
        case rolloutResumed
        /// It ended after its last step, or where it was.
        case rolloutEnded
        /// Nobody changed it for too long.
        case expired
    }

    /// The kind.
    public let kind: Kind

    /// The identifier of the request in its project.
    public let requestID: String

    /// The title.
    public let title: String

    /// Who made the request.
    public let author: ChangeRequest.Participant

    /// Who took the step; nil for an expiry, and for what the server itself decided.
    public let actor: ChangeRequest.Participant?

    /// The people who approve the current content, whether or not their votes count; the first
    /// ``mostApprovers``.
    public let approvers: [String]

    /// The number of approvals that an edit made outdated; nil for other steps.
    public let clearedApprovals: Int?

    /// The number of approvals that are lacking before the start of a schedule; nil for other steps.
    public let missingApprovals: Int?

    /// The people whose request for changes stands then; the first ``mostApprovers``.
    public let rejections: [String]?

    /// The version that was current before a publish; nil for other steps and when there was none.
    public let versionBefore: Int?

    /// The version that was published; nil for other steps.
    public let versionAfter: Int?

    /// The reason for which the approvals were bypassed; nil when they were not.
    public let bypassReason: String?

    /// The times of the schedule as they were given, the start and then the end; nil for a request
    /// that was never scheduled.
    public let scheduledTimes: [String]?

    /// Why nothing was published at a time, or a rollout was held or taken back; nil for other steps.
    public let failure: String?

    /// The percentage of a rollout that is published after the step; nil for other requests.
    public let percent: Double?
}

extension ChangeRequestStep {
    /// Maximum number of approvers in a step.
    public static let mostApprovers = 10

    // Bounds in bytes: etcd has a limit for the transaction that queues a step for each webhook.
    private static let (mostTitleBytes, mostNameBytes, mostReasonBytes) = (600, 200, 1_000)

    /// The step of a submission; nil for an act that webhooks are not told of.
    ///
    /// - Parameters:
    ///   - submission: The submission.
    ///   - known: The request before; nil for a new one.
    ///   - stored: The request after.
    init?(
        of submission: ChangeRequestSubmission, over known: StoredChangeRequest?,
        storing stored: StoredChangeRequest
    ) {
        var clearedApprovals: Int?
        let kind: Kind
        switch submission.action {
        case .createChangeRequest: kind = .opened
        case .editChangeRequest:
            guard let digest = known?.request.contentDigest,
                digest != stored.request.contentDigest
            else { return nil }
            kind = .edited
            clearedApprovals = known?.request.approvals.count
        case .approveChangeRequest: kind = .approved
        case .rejectChangeRequest: kind = .changesRequested
        case .closeChangeRequest: kind = .closed
        case .schedulePublish: kind = .scheduled
        case .cancelScheduledPublish:
            kind =
                known?.request.schedule?.waitingPart == .step ? .rolloutEnded : .scheduleCancelled
        case .warnOfLackingApprovals: kind = .approvalsLacking
        case .endScheduledPublish:
            let schedule = stored.request.schedule
            // Nothing may have been left to take back.
            let isDone = (schedule?.endOutcome ?? schedule?.startOutcome)?.kind == .published
            kind = isDone ? .takenBack : .scheduleFailed
        case .holdRollout: kind = .rolloutHeld
        case .resumeRollout: kind = .rolloutResumed
        case .endRollout: kind = .rolloutEnded
        default: return nil
        }
        self.init(
            kind, of: stored, by: submission.actor.isEmpty ? nil : submission.participant,
            clearedApprovals: clearedApprovals)
    }

    /// The publish of a request, stored as published over a version.
    package init(
        publishing stored: StoredChangeRequest, by user: TemplateVersion.User, over known: Int?
    ) {
        let ending = stored.request.ending
        let later = stored.request.schedule?.laterPublish
        let participant =
            later == nil
            ? ending?.participant : ChangeRequest.Participant(person: nil, actor: user.name ?? "")
        self.init(
            later ?? (ending?.bypassReason == nil ? .published : .bypassed), of: stored,
            by: participant ?? stored.request.author,
            versionBefore: known == 0 ? nil : known)
    }

    /// The expiry of a request.
    package init(expiryOf stored: StoredChangeRequest) {
        self.init(.expired, of: stored, by: nil)
    }

    private init(
        _ kind: Kind, of stored: StoredChangeRequest, by actor: ChangeRequest.Participant?,
        clearedApprovals: Int? = nil, versionBefore: Int? = nil
    ) {
        let request = stored.request
        self.kind = kind
        requestID = stored.id
        title = Self.bounded(request.title, Self.mostTitleBytes)
        author = Self.bounded(request.author)
        self.actor = actor.map { Self.bounded($0) }
        approvers = request.approvals.prefix(Self.mostApprovers)
            .map { Self.bounded($0.person, Self.mostNameBytes) }
        self.clearedApprovals = clearedApprovals
        self.versionBefore = versionBefore
        let schedule = request.schedule
        let notice = kind == .approvalsLacking ? schedule?.approvalNotice : nil
        missingApprovals = notice?.missing
        rejections = notice?.rejections.prefix(Self.mostApprovers)
            .map { Self.bounded($0, Self.mostNameBytes) }
        versionAfter =
            switch kind {
            case .takenBack, .rolloutStep:
                schedule?.rollout?.lastVersion ?? schedule?.endOutcome?.version
            case .published, .bypassed: request.ending?.version
            default: nil
            }
        scheduledTimes = schedule.map { schedule in
            [schedule.start.text] + (schedule.end.map { [$0.text] } ?? [])
        }
        percent = (schedule?.rollout?.bound).map { Double($0) / 1_000_000 }
        let reason: String? =
            switch kind {
            case .scheduleFailed: (schedule?.endOutcome ?? schedule?.startOutcome)?.failure
            case .rolloutHeld, .rolloutEnded, .takenBack:
                (schedule?.rollout?.hold ?? schedule?.rollout?.stop)?.reason
            default: nil
            }
        failure = reason.map { Self.bounded($0, Self.mostReasonBytes) }
        bypassReason = request.ending?.bypassReason
            .map { Self.bounded($0, Self.mostReasonBytes) }
    }

    private static func bounded(
        _ participant: ChangeRequest.Participant
    ) -> ChangeRequest.Participant {
        ChangeRequest.Participant(
            person: participant.person.map { bounded($0, mostNameBytes) },
            actor: bounded(participant.actor, mostNameBytes))
    }

    /// The start of a text with at most a number of bytes.
    private static func bounded(_ text: String, _ most: Int) -> String {
        guard text.utf8.count > most else { return text }
        var (start, size) = (String.UnicodeScalarView(), 0)
        for scalar in text.unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= most else { break }
            start.append(scalar)
        }
        return String(start)
    }
}

extension ScheduledPublish.Outcome {
    fileprivate var failure: String { kind.rawValue + (reason.map { ": \($0)" } ?? "") }
}

extension ScheduledPublish {
    /// The kind of a publish after the start; nil when the start is the last one.
    fileprivate var laterPublish: ChangeRequestStep.Kind? {
        if let rollout {
            if rollout.stop?.version != nil || rollout.steps.last?.isTakenBack == true {
                return .takenBack
            }
            return rollout.steps.count > 1 ? .rolloutStep : nil
        }
        return endOutcome?.version == nil ? nil : .takenBack
    }
}

extension ChangeRequest {
    /// The approvals of the current content.
    fileprivate var approvals: [Vote] {
        votes.filter { $0.verdict == .approve && isCurrent($0) }
    }
}

extension ChangeRequestSubmission {
    /// Who acts.
    fileprivate var participant: ChangeRequest.Participant {
        switch action {
        case .approveChangeRequest, .rejectChangeRequest:
            if let vote = request.votes.last {
                return .init(person: vote.person, actor: vote.actor)
            }
        case .closeChangeRequest:
            if let ending = request.ending { return ending.participant }
        case .cancelScheduledPublish, .holdRollout, .endRollout:
            return .init(person: nil, actor: actor)
        case .schedulePublish, .endScheduledPublish, .resumeRollout:
            if let schedule = request.schedule { return schedule.scheduler }
        default: break
        }
        return ([request.author] + request.editors)
            .last { $0.actor.utf8.elementsEqual(actor.utf8) } ?? .init(person: nil, actor: actor)
    }
}
