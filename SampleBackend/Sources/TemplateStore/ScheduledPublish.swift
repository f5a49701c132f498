public import Foundation

/// When the server publishes a change request by itself, and what came of that.
///
/// It is part of the request: who stores one of them has seen the other, and a publish at its time
/// stores both with the version.
public struct ScheduledPublish: Sendable, Hashable, Codable {
    /// An instant, and the text by which it was given.
    public struct Time: Sendable, Hashable, Codable {
        /// The instant, to the millisecond.
        public let date: Date

        /// The time as it was sent, in the format of RFC 3339 with an offset.
        public let text: String

        /// Creates a time.
        public init(date: Date, text: String) {
            self.date = date.roundedToMilliseconds
            self.text = text
        }
    }

    /// The outcome of a start or an end.
    public struct Outcome: Sendable, Hashable, Codable {
        /// The kinds of outcomes; stores keep the raw value.
        public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
            case published = "PUBLISHED"
            /// What was published since changed the same.
            case conflict = "CONFLICT"
            /// The merged template cannot be published.
            case invalid = "INVALID"
            case notApproved = "NOT_APPROVED"
            /// Who scheduled it may no longer publish in the project.
            case notPermitted = "NOT_PERMITTED"
            /// The time passed while no server ran, or before the store was restored.
            case missed = "MISSED"
            case cancelled = "CANCELLED"
        }

        /// The kind.
        public let kind: Kind

        /// Why nothing was published, or only a part taken back; nil when there is nothing to say.
        public let reason: String?

        /// The published version; nil when none was.
        public let version: Int?

        /// The settings and conditions that an end left as they are, since they were changed after
        /// the start.
        public let kept: [String]

        /// True when people had to approve what was published.
        public let isApproved: Bool

        /// When this was decided.
        public let date: Date

        /// Creates an outcome.
        public init(
            _ kind: Kind, reason: String? = nil, version: Int? = nil, kept: [String] = [],
            isApproved: Bool = false, date: Date
        ) {
            self.isApproved = isApproved
            self.kind = kind
            self.reason = reason
            self.version = version
            self.kept = kept
            self.date = date.roundedToMilliseconds
        }
    }

    /// When the changes are published.
    public let start: Time

    /// When they are taken back; nil for never.
    public let end: Time?

    /// The IANA name of the time zone in which the times were chosen; nil when it was not given.
    public let zone: String?

    /// Who scheduled it, and publishes.
    public let scheduler: ChangeRequest.Participant

    /// The person who scheduled it after a sign-in without a token; nil for the holder of a token.
    public let signIn: SignedInPerson?

    /// The identifier of the token with which it was scheduled, which decides for a program.
    public let tokenID: String

    /// The identifier of the request that is published first, on which this one is based; nil for
    /// none.
    public let predecessor: String?

    /// The steps after the start; nil when the start is all.
    public var rollout: Rollout?

    /// The last warning that approvals are lacking; nil for none.
    public internal(set) var approvalNotice: ApprovalNotice?

    /// The last check of the approvals before the start that has led to a warning, or is left out.
    var lastLead: ApprovalNotice.Lead?

    /// What came of the start; nil while it waits.
    public internal(set) var startOutcome: Outcome?

    /// What came of the end; nil while it waits, and without an end.
    public internal(set) var endOutcome: Outcome?

    /// Creates a schedule that waits.
    public init(
        start: Time, end: Time? = nil, zone: String? = nil, scheduler: ChangeRequest.Participant,
        signIn: SignedInPerson? = nil, tokenID: String, predecessor: String? = nil,
        rollout: Rollout? = nil
    ) {
        self.rollout = rollout
        self.tokenID = tokenID
        self.start = start
        self.end = end
        self.zone = zone
        self.scheduler = scheduler
        self.signIn = signIn
        self.predecessor = predecessor
    }
}

extension ScheduledPublish {
    /// A time of a schedule.
    public enum Part: Sendable, Hashable {
        case start
        /// A step of a rollout, or its end after the last one.
        case step
        case end
    }

    /// The instants of start and end, which votes are for.
    public var dates: [Date] { [start.date] + (end.map { [$0.date] } ?? []) }

    /// The part that waits for its time; nil when nothing more happens.
    public var waitingPart: Part? {
        guard let startOutcome else { return .start }
        guard startOutcome.kind == .published else { return nil }
        if rollout?.dueDate != nil { return .step }
        return end != nil && endOutcome == nil ? .end : nil
    }

    /// The instant of the waiting part; nil when nothing more happens.
    public var dueDate: Date? {
        switch waitingPart {
        case .start: start.date
        case .step: rollout?.dueDate
        case .end: end?.date
        case nil: nil
        }
    }

    /// Cancels a start that waits, since the request is published before its time.
    package mutating func cancelWaitingStart(at date: Date) {
        guard waitingPart == .start else { return }
        startOutcome = Outcome(.cancelled, reason: "Published before its time.", date: date)
    }

    /// The schedule with somebody else who publishes from now on.
    public func scheduled(
        by scheduler: ChangeRequest.Participant, signIn: SignedInPerson?, tokenID: String
    ) -> ScheduledPublish {
        var changed = ScheduledPublish(
            start: start, end: end, zone: zone, scheduler: scheduler, signIn: signIn,
            tokenID: tokenID, predecessor: predecessor, rollout: rollout)
        (changed.startOutcome, changed.endOutcome) = (startOutcome, endOutcome)
        (changed.approvalNotice, changed.lastLead) = (approvalNotice, lastLead)
        return changed
    }

    /// True for a publish whose changes were not taken back at its end, although nobody cancelled that.
    public var hasFailedEnd: Bool {
        guard startOutcome?.kind == .published, rollout == nil, let endOutcome else { return false }
        return ![.published, .cancelled].contains(endOutcome.kind)
    }

    /// The schedule with another end that waits, in the name of who chooses it.
    public func ending(
        at end: Time, zone: String?, by scheduler: ChangeRequest.Participant,
        signIn: SignedInPerson?, tokenID: String
    ) -> ScheduledPublish {
        var changed = ScheduledPublish(
            start: start, end: end, zone: zone, scheduler: scheduler, signIn: signIn,
            tokenID: tokenID, predecessor: predecessor)
        changed.startOutcome = startOutcome
        return changed
    }

    /// Records what came of the waiting part.
    public mutating func end(_ part: Part, with outcome: Outcome) {
        switch part {
        case .start: startOutcome = outcome
        case .step: rollout?.end(at: outcome.date, because: outcome.reason)
        case .end: endOutcome = outcome
        }
    }
}

/// The decision at a time of a schedule.
package enum DueAction: Sendable, Hashable {
    /// Nothing yet.
    case wait
    case publish
    /// Too late: a person decides.
    case miss(reason: String)

    /// Decides about a time.
    ///
    /// - Parameters:
    ///   - due: The time of the schedule.
    ///   - date: The current time.
    ///   - restoreDate: When the store was last restored; nil for never. What was due before it may
    ///     have happened in the state that was lost.
    package init(due: Date, at date: Date, restoredAt restoreDate: Date?) {
        if date < due {
            self = .wait
        } else if let restoreDate, restoreDate >= due {
            self = .miss(reason: "The store was restored from a backup after this time.")
        } else if date.timeIntervalSince(due) > TemplateStoreLimits.schedulingGrace {
            self = .miss(reason: "No server could publish it within an hour.")
        } else {
            self = .publish
        }
    }
}

extension TemplateStoreLimits {
    /// How long after its time a scheduled publish still happens, in seconds: an hour.
    public static let schedulingGrace: TimeInterval = 3_600

    /// How far ahead a publish can be scheduled, in seconds: two years.
    public static let schedulingHorizon: TimeInterval = 2 * 366 * 86_400

    /// Maximum time between a scheduled publish and the one that follows it, in seconds: 60 days, since
    /// an ended request is kept for 90.
    public static let schedulingGap: TimeInterval = 60 * 86_400
}
