package import Foundation
import Templates

/// On what grounds a template may be published in a protected project.
public struct PublishApproval: Sendable, Hashable {
    /// No grounds; sufficient without protection.
    public static let none = PublishApproval()

    /// The change request whose changes are published; nil for other publishes.
    public var changeRequest: ChangeRequestReference?

    /// The reason for which the approvals are bypassed; nil when they are not.
    ///
    /// Whoever sets it has checked that the publisher may bypass approvals.
    public var bypassReason: String?

    /// The owner of the publisher's token; nil for a token of a program.
    public var person: String?

    /// Creates grounds.
    public init(
        changeRequest: ChangeRequestReference? = nil, bypassReason: String? = nil,
        person: String? = nil
    ) {
        self.changeRequest = changeRequest
        self.bypassReason = bypassReason
        self.person = person
    }
}

/// A state of a change request that a publisher has seen and merged.
public struct ChangeRequestReference: Sendable, Hashable {
    /// What leads to a publish of a change request.
    public enum Occasion: Sendable, Hashable {
        /// An administrator publishes it, whether or not it is scheduled.
        case administrator
        /// The start of its schedule.
        case scheduledStart
        /// The end of its schedule, which takes it back but for what was changed since.
        case scheduledEnd(kept: [String])
        /// The next percentage of its rollout.
        case rolloutStep
        /// The percentage before; from the first one, the undo of the start.
        case rolloutTakenBack(reason: String?, kept: [String])
    }

    /// The identifier in the project.
    public var id: String

    /// The tag of the state.
    public var tag: String

    /// The people whose votes do not count, since what was published after their votes concerns the
    /// request.
    public var outdatedVoters: [String]

    /// The voters without a stored token who may approve in the project, by the server's rules for
    /// people who sign in at an OpenID provider.
    ///
    /// They are those of the votes of this state, so the tag makes sure that they are complete.
    public var signedInVoters: [String]

    /// The publisher's approval, which is stored with the version or not at all; nil for none.
    public var vote: ChangeRequest.Vote?

    /// What leads to the publish.
    public var occasion: Occasion

    /// What apps reported before a step of a rollout; nil for other publishes.
    public var reports: Rollout.Reports?

    /// Creates a reference.
    public init(
        id: String, tag: String, outdatedVoters: [String] = [], signedInVoters: [String] = [],
        vote: ChangeRequest.Vote? = nil, occasion: Occasion = .administrator,
        reports: Rollout.Reports? = nil
    ) {
        self.reports = reports
        self.occasion = occasion
        self.id = id
        self.tag = tag
        self.outdatedVoters = outdatedVoters
        self.signedInVoters = signedInVoters
        self.vote = vote
    }
}

extension ChangeRequestReference.Occasion {
    /// True for a publish that was approved together with the start.
    fileprivate var followsStart: Bool {
        switch self {
        case .scheduledEnd, .rolloutStep: true
        case .administrator, .scheduledStart, .rolloutTakenBack: false
        }
    }
}

/// The votes of a change request that count at a time, by people and not by tokens.
package struct ApprovalCount: Sendable, Hashable {
    /// The people who approve the current content.
    package private(set) var approvals: [String] = []

    /// The people whose request for changes stands, for whatever content.
    package private(set) var rejections: [String] = []

    /// The number of approvals that are needed.
    package let required: Int

    /// The number of approvals that are still needed.
    package var missing: Int { max(required - approvals.count, 0) }

    package var isSufficient: Bool { missing == 0 && rejections.isEmpty }

    /// Counts the approvals of people who have a valid token with a role that may approve in the
    /// project, or who may by the rules for sign-ins; not those of the people who made the request,
    /// unless the protection allows it.
    ///
    /// A request for changes stands until the same person approves.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - project: The project's name.
    ///   - protection: The protection; nil needs no approval.
    ///   - tokens: All tokens.
    ///   - date: The current time.
    ///   - outdatedVoters: The people whose approvals do not count.
    ///   - signedInVoters: The voters who may approve without a stored token.
    package init(
        of request: ChangeRequest, inProject project: String, protection: ProjectProtection?,
        tokens: [StoredToken], at date: Date, ignoring outdatedVoters: [String] = [],
        admitting signedInVoters: [String] = []
    ) {
        required = protection?.requiredApprovals ?? 0
        let voters = Set(
            tokens.filter { token in
                token.isLiving(at: date)
                    && token.role(inProject: project).map(\.mayApprove) ?? false
            }.compactMap(\.owner).map { Data($0.utf8) } + signedInVoters.map { Data($0.utf8) })
        let outdated = Set(outdatedVoters.map { Data($0.utf8) })
        for vote in request.votes {
            let voter = Data(vote.person.utf8)
            if vote.verdict == .requestChanges {
                // Stands whatever becomes of the token, which others may revoke.
                rejections.append(vote.person)
            } else if voters.contains(voter), !outdated.contains(voter),
                request.isCurrent(vote),
                protection?.selfApproval == true
                    || !request.isMade(by: vote.person, identity: vote.identity)
            {
                approvals.append(vote.person)
            }
        }
    }
}

extension StoredToken.Role {
    /// True when a person with this role may approve change requests.
    package var mayApprove: Bool { self >= .editor }
}

/// The decision whether a template may be published, from what the transaction of the publish has
/// read.
///
/// All engines ask it before they store a version, so no route leads around it.
package struct PublishGate: Sendable {
    package let submission: TemplateSubmission

    /// The protection of the project; nil for none.
    package let protection: ProjectProtection?

    /// The change request that the submission names, as seen at the time of the publish; nil when it
    /// does not exist.
    package let request: StoredChangeRequest?

    /// All tokens.
    package let tokens: [StoredToken]

    /// The content of the published version that a rollback publishes again; nil for other
    /// publishes, and when it is not stored.
    package let sourceContent: Data?

    package init(
        submission: TemplateSubmission, protection: ProjectProtection?,
        request: StoredChangeRequest?, tokens: [StoredToken], sourceContent: Data?
    ) {
        self.submission = submission
        self.protection = protection
        self.request = request
        self.tokens = tokens
        self.sourceContent = sourceContent
    }

    /// Checks the publish of the version `number`.
    ///
    /// - Returns: The change request as published, to be stored with the version; nil without one.
    /// - Throws: ``TemplateStoreError`` with the code `approvalRequired`, or
    ///   `changeRequestMismatch` or `changeRequestEnded` for the request.
    package func check(publishing number: Int) throws(TemplateStoreError) -> StoredChangeRequest? {
        let request = try checkedRequest()
        try checkApprovals(of: request)
        return request.map { published($0, as: number) }
    }

    private func checkedRequest() throws(TemplateStoreError) -> StoredChangeRequest? {
        guard let reference = submission.approval.changeRequest else { return nil }
        guard var request, request.tag.utf8.elementsEqual(reference.tag.utf8) else {
            throw .changeRequestMismatch(reference.id, isThere: request != nil)
        }
        let part = request.request.schedule?.waitingPart
        let isDue = request.dueDate.map { $0 <= submission.date } ?? false
        switch reference.occasion {
        case .administrator:
            guard request.state == .open else {
                throw .changeRequestEnded(reference.id, request.state)
            }
            // Votes for its time do not count for another one.
            request.request.schedule?.cancelWaitingStart(at: submission.date)
        case .scheduledStart:
            guard request.state == .open, part == .start, isDue else {
                throw .changeRequestMismatch(reference.id, isThere: true)
            }
        case .scheduledEnd:
            guard request.state == .published, part == .end, isDue else {
                throw .changeRequestMismatch(reference.id, isThere: true)
            }
        case .rolloutStep:
            guard request.state == .published, part == .step, isDue,
                let rollout = request.request.schedule?.rollout, rollout.state == .running,
                rollout.nextBound != nil
            else { throw .changeRequestMismatch(reference.id, isThere: true) }
        case .rolloutTakenBack:
            guard request.state == .published, part == .step else {
                throw .changeRequestMismatch(reference.id, isThere: true)
            }
        }
        if let vote = reference.vote { request.request.add(vote) }
        return request
    }

    private func checkApprovals(of request: StoredChangeRequest?) throws(TemplateStoreError) {
        guard let protection, submission.approval.bypassReason == nil else { return }
        // Returns to content that was published before.
        if case .rolloutTakenBack? = submission.approval.changeRequest?.occasion { return }
        if submission.approval.changeRequest?.occasion.followsStart == true,
            request?.request.schedule?.startOutcome?.isApproved == true
        {
            // Approved together with the start.
            return
        }
        // The content decides, since a submission can claim to be a rollback.
        if protection.rollbackWithoutApproval, submission.updateType == .rollback,
            sourceContent == submission.content
        {
            return
        }
        // Which votes are outdated is known for one current version only.
        guard let request, case .version = submission.expectation else {
            throw .approvalRequired(
                inProject: submission.project, missing: protection.requiredApprovals)
        }
        let count = ApprovalCount(
            of: request.request, inProject: submission.project, protection: protection,
            tokens: tokens, at: submission.date,
            ignoring: submission.approval.changeRequest?.outdatedVoters ?? [],
            admitting: submission.approval.changeRequest?.signedInVoters ?? [])
        guard count.isSufficient else {
            throw .approvalRequired(
                inProject: submission.project, missing: count.missing,
                rejectedBy: count.rejections)
        }
    }

    private func published(_ stored: StoredChangeRequest, as number: Int) -> StoredChangeRequest {
        var request = stored.request
        switch submission.approval.changeRequest?.occasion {
        case .scheduledEnd(let kept):
            request.schedule?.endOutcome = .init(
                .published, version: number, kept: kept, date: submission.date)
        case .scheduledStart:
            request.schedule?.startOutcome = .init(
                .published, version: number, isApproved: protection != nil,
                date: submission.date)
            request.schedule?.rollout?.start(
                as: number, at: submission.date,
                after: submission.approval.changeRequest?.reports)
            request.ending = ending(publishing: number)
        case .rolloutStep:
            let place = request.schedule?.rollout?.place ?? 0
            request.schedule?.rollout?.publish(
                place + 1, as: number, at: submission.date,
                after: submission.approval.changeRequest?.reports)
        case .rolloutTakenBack(let reason, let kept):
            request.schedule?.rollout?.takeBack(
                as: number, at: submission.date, because: reason, keeping: kept)
        case .administrator, nil:
            request.ending = ending(publishing: number)
        }
        // As read, without the publisher's vote.
        let contentBytes = self.request.map { $0.size - $0.request.record.count } ?? 0
        return StoredChangeRequest(
            header: ChangeRequestHeader(
                of: request, project: stored.project, id: stored.id, updateTime: submission.date,
                deletedVersion: stored.deletedVersion, size: contentBytes + request.record.count),
            request: request, contents: stored.contents)
    }

    private func ending(publishing number: Int) -> ChangeRequest.Ending {
        ChangeRequest.Ending(
            participant: .init(
                person: submission.approval.person, actor: submission.user.name ?? ""),
            version: number, bypassReason: submission.approval.bypassReason,
            date: submission.date)
    }
}

extension TemplateSubmission {
    /// Maximum length of a description with its grounds, in characters, as of other descriptions.
    private static let maximumDescriptionLength = 1_024

    /// The description of the version: the change request, a bypass of approvals and its reason,
    /// then the publisher's description.
    package var storedDescription: String? {
        let grounds = [
            approval.changeRequest.map { "Change request \($0.id)" },
            approval.bypassReason.map { "Without approval: \($0)" }, description,
        ].compactMap { $0 }
        guard !grounds.isEmpty else { return nil }
        let text = grounds.joined(separator: ": ").unicodeScalars
        return String(text.prefix(Self.maximumDescriptionLength))
    }
}

extension TemplateStoreError {
    package static func approvalRequired(
        inProject project: String, missing: Int, rejectedBy people: [String] = []
    ) -> TemplateStoreError {
        let needs = [
            missing > 0 ? "needs \(missing) more \(missing == 1 ? "approval" : "approvals")" : nil,
            people.isEmpty ? nil : "has changes requested by \(people.joined(separator: ", "))",
        ].compactMap { $0 }.joined(separator: " and ")
        var error = TemplateStoreError(
            .approvalRequired,
            "The project '\(project)' is protected, and this publish \(needs): make a change "
                + "request, have it approved, and publish it.")
        error.missingApprovals = missing
        return error
    }
}
