import ClientAPI
package import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import Logging
package import TemplateStore
import Templates
package import WebhookDelivery

/// Publishes change requests at the times of their schedules, and takes them back.
///
/// The stored request decides: a publish replaces exactly the state that was read, so however many
/// servers try, one of them publishes.
package struct ScheduledPublisher: Sendable {
    private let administration: Administration
    private let rollouts: RolloutPublisher

    /// Creates a publisher; `inquiry` asks webhooks before the steps of rollouts.
    package init(administration: Administration, inquiry: WebhookInquiry) {
        self.administration = administration
        rollouts = RolloutPublisher(administration: administration, inquiry: inquiry)
    }

    /// What a look at the schedules has found.
    package struct Look: Sendable {
        /// What is due, the earliest first, by project.
        package let due: [String: [ChangeRequestHeader]]  // names: names of projects are ASCII

        /// The next time after now; nil when nothing is scheduled.
        package let nextDate: Date?

        /// Rollouts to look at by ``performRollout(_:)``, first those that have started.
        ///
        /// That can take as long as a webhook needs to answer. Other schedules, which it leaves alone,
        /// are among them.
        package let rollouts: [ChangeRequestHeader]

        /// The checks of approvals whose time has come, for ``warn(by:)``.
        package let checks: [ApprovalCheck]
    }

    /// Reads the schedules.
    ///
    /// - Throws: ``TemplateStoreError`` when they cannot be read.
    package func look() async throws(TemplateStoreError) -> Look {
        let date = administration.now()
        let scheduled = try await administration.store.scheduledChangeRequests(date: date)
        // names: names of projects, and identifiers, are ASCII
        let names = Set(scheduled.map { [$0.project, $0.id] })
        administration.acknowledgements?.keepWatching { names.contains([$0, $1]) }
        return Look(
            due: Dictionary(
                grouping: scheduled.filter { $0.dueDate.map { $0 <= date } ?? false },
                by: \.project),
            nextDate: (scheduled.compactMap(\.dueDate) + scheduled.flatMap(ApprovalCheck.dates))
                .filter { $0 > date }.min(),
            rollouts: scheduled.filter { $0.state == .published }
                + scheduled.filter { request in
                    request.state != .published && request.dueDate.map { $0 > date } ?? false
                },
            checks: scheduled.compactMap { ApprovalCheck(of: $0, at: date) })
    }

    /// Warns when the start of a schedule that waits lacks approvals.
    ///
    /// - Returns: False when the check is to be repeated.
    /// - Throws: An error of the store; the next look tries again.
    @discardableResult
    package func warn(by check: ApprovalCheck) async throws -> Bool {
        if try await isArchived(check.request.project) { return false }
        return try await withTaskExecutorPreference(WorkThreads.schedules) {
            try await administration.warn(by: check)
        }
    }

    /// Performs the starts and ends of one project that are due, in their order; what fails is due
    /// again at the next look.
    ///
    /// Projects wait for each other only for ``WorkThreads/schedules``, which they have in turns.
    ///
    /// - Parameters:
    ///   - requests: The requests.
    ///   - onFailure: Receives the errors, which stop no other schedule.
    /// - Returns: True when something is to be tried again soon.
    package func perform(
        _ requests: [ChangeRequestHeader],
        onFailure: (_ request: ChangeRequestHeader, _ error: any Error) -> Void
    ) async -> Bool {
        var isLeft = false
        for request in requests {
            do {
                // What is due in an archived project waits until it is not archived.
                if try await isArchived(request.project) { break }
                let isPerformed = try await withTaskExecutorPreference(WorkThreads.schedules) {
                    // It may have been moved or cancelled since the list was read.
                    let stored = try await administration.changeRequestIfPresent(request.target)
                    guard let stored, StartedRollout(stored) == nil else { return true }
                    if try await waitsForReports(stored) { return false }
                    try await perform(stored)
                    return true
                }
                if !isPerformed { isLeft = true }
            } catch let error as RequestError where error.statusName == "PROJECT_ARCHIVED" {
                // It was archived a moment ago.
            } catch {
                isLeft = true
                onFailure(request, error)
            }
        }
        return isLeft
    }

    /// Time within which all servers count the places of a rollout that is to start.
    private static let watchTime = 15.0

    /// True for a rollout whose start has to know what apps report at all servers, with which later
    /// reports are compared.
    private func waitsForReports(_ stored: StoredChangeRequest) async throws -> Bool {
        guard let schedule = stored.request.schedule, schedule.rollout != nil,
            administration.now().timeIntervalSince(schedule.start.date) < Self.watchTime
        else { return false }
        try administration.watch(stored)
        return await !administration.isWatchedByOthers(stored)
    }

    /// Takes the step of a rollout that is due, or looks at what apps report in between.
    ///
    /// - Returns: False when nothing is to be seen before it is due or changes.
    /// - Throws: An error of the store; the next look tries again.
    @discardableResult
    package func performRollout(_ header: ChangeRequestHeader) async throws -> Bool {
        let stored = try await administration.changeRequestIfPresent(header.target)
        guard let stored, stored.request.schedule?.rollout != nil, let due = stored.dueDate else {
            return false
        }
        // It goes on when the project is no longer archived, which does not change the request.
        if try await isArchived(header.project) { return true }
        return try await withTaskExecutorPreference(WorkThreads.schedules) {
            try administration.watch(stored)
            guard let started = StartedRollout(stored) else { return false }
            let right = administration.access.right(
                to: started.schedule, inProject: header.project,
                tokens: try await administration.storedTokens())
            guard due <= administration.now() else {
                return try await rollouts.watch(started, right: right)
            }
            try await rollouts.perform(
                started, restoredAt: try await lastRestore(after: due, in: header.project),
                right: right)
            return true
        }
    }

    private func isArchived(_ project: String) async throws -> Bool {
        try await administration.store.projectDetails(ofProject: project)?.details.isArchived
            ?? false
    }

    private func perform(_ stored: StoredChangeRequest) async throws {
        guard let due = stored.dueDate, let schedule = stored.request.schedule,
            let part = schedule.waitingPart
        else { return }
        let date = administration.now()
        let predecessor = try await administration.predecessor(of: stored)
        let tokens = try await administration.storedTokens()
        let right = administration.access.right(
            to: schedule, inProject: stored.project, tokens: tokens)
        let restoreDate = try await lastRestore(after: due, in: stored.project)
        switch DueAction(due: due, at: date, restoredAt: restoreDate) {
        case .wait: return
        case .miss(let reason):
            let cause =
                predecessor.map {
                    "The change request \($0.id), which comes first, was not published in time."
                }
                ?? (right == .unknown
                    ? "No server that knows \(schedule.scheduler.shownName) ran in time."
                    : administration.lacksVoters(of: stored)
                        ? "No server that signs in those who approved ran in time." : nil)
            return try await end(part, of: stored, as: .missed, because: cause ?? reason)
        case .publish: break
        }
        if let predecessor {
            // It waits until the other one is published, or its own time is over.
            if predecessor.stored?.state == .open { return }
            return try await end(
                part, of: stored, as: .conflict,
                because: "The change request \(predecessor.id), which comes first, is "
                    + "\(predecessor.stored?.state.rawValue.lowercased() ?? "not there any more").")
        }
        switch right {
        case .granted: break
        // Another server may know.
        case .unknown: return
        case .refused:
            return try await end(
                part, of: stored, as: .notPermitted,
                because: "\(schedule.scheduler.shownName) may no longer publish in this project.")
        }
        try await publish(part, of: stored, by: schedule)
    }

    private func publish(
        _ part: ScheduledPublish.Part, of stored: StoredChangeRequest, by schedule: ScheduledPublish
    ) async throws {
        do {
            switch part {
            case .start: try await publish(stored, by: schedule)
            // `RolloutPublisher` takes steps.
            case .step: break
            case .end: try await takeBack(stored, by: schedule)
            }
        } catch let error as RequestError where error.httpStatus.code < 500 {
            let kind: ScheduledPublish.Outcome.Kind
            switch error.statusName {
            // Somebody else changed the request, which wakes the next call.
            case "CHANGE_REQUEST_MISMATCH", "CHANGE_REQUEST_ENDED": return
            // Somebody else published: it is tried again soon.
            case "PROJECT_ARCHIVED", "VERSION_MISMATCH": throw error
            case "MERGE_CONFLICT": kind = .conflict
            case "APPROVAL_REQUIRED":
                // Another server may know whose approvals count.
                if administration.lacksVoters(of: stored) { return }
                kind = .notApproved
            default: kind = .invalid
            }
            try await end(part, of: stored, as: kind, because: error.message)
        }
    }

    private func publish(_ stored: StoredChangeRequest, by schedule: ScheduledPublish) async throws
    {
        _ = try await administration.publishChangeRequest(
            ChangeRequestTarget(
                project: stored.project, id: stored.id, isLimitedToPresentProject: false),
            expecting: .tag(stored.tag),
            by: ChangeRequestPublisher(
                user: schedule.user, origin: .schedule,
                approval: PublishApproval(person: schedule.scheduler.person),
                comment: "scheduled for \(schedule.start.text)", occasion: .scheduledStart,
                reports: schedule.rollout == nil
                    ? nil : try await administration.reportsNow(of: stored)))
    }

    /// Takes back what the start has changed and is still as it has set it.
    private func takeBack(
        _ stored: StoredChangeRequest, by schedule: ScheduledPublish
    ) async throws {
        let undo = try await administration.undoOfStart(of: stored)
        guard undo.changesLive else {
            return try await end(
                .end, of: stored, as: undo.kept.isEmpty ? .published : .conflict,
                because: "Nothing was left to take back.", keeping: undo.listedKept)
        }
        var approval = PublishApproval(person: schedule.scheduler.person)
        approval.changeRequest = ChangeRequestReference(
            id: stored.id, tag: stored.tag, occasion: .scheduledEnd(kept: undo.listedKept))
        try await administration.publishUndo(
            undo, of: stored, describedAs: "\(stored.request.title): taken back at its end",
            by: schedule.user, origin: .schedule, approval: approval)
    }

    /// Records why nothing was published.
    private func end(
        _ part: ScheduledPublish.Part, of stored: StoredChangeRequest,
        as kind: ScheduledPublish.Outcome.Kind, because reason: String, keeping kept: [String] = []
    ) async throws {
        let scheduler = stored.request.schedule?.scheduler ?? stored.request.author
        var changed = stored.request
        changed.schedule?.end(
            part,
            with: .init(
                kind, reason: String(reason.unicodeScalars.prefix(Rollout.maximumReasonLength)),
                kept: kept, date: administration.now()))
        var submission = administration.submission(
            of: changed, over: stored, .endScheduledPublish, by: scheduler)
        submission.detail = reason
        do {
            _ = try await administration.callStore(
                "save_change_request", project: stored.project
            ) { () throws(TemplateStoreError) in
                try await administration.store.saveChangeRequest(submission)
            }
        } catch {
            // When somebody else changed the request, the next call looks again.
            guard error.statusName == "CHANGE_REQUEST_MISMATCH" else { throw error }
        }
    }

    /// Maximum number of entries of the audit trail in which a restore is looked for; an hour has
    /// fewer.
    private static let mostEntries = 10_000

    /// When the store was restored after a time; nil when it was not.
    private func lastRestore(
        after time: Date, in project: String
    ) async throws(RequestError) -> Date? {
        // A store that was never restored has no entry to find.
        let floor = try await administration.callStore("version_floor", project: project) {
            () throws(TemplateStoreError) in try await administration.store.versionFloor()
        }
        if floor == 0 { return nil }
        let page = try await administration.callStore("audit", project: project) {
            () throws(TemplateStoreError) in
            try await administration.store.auditPage(
                inProject: project, matching: AuditQuery(limit: 1, actions: [.raiseVersions]),
                searching: Self.mostEntries)
        }
        return page.entries.first.map(\.date).flatMap { $0 >= time ? $0 : nil }
    }
}

extension ScheduledPublish {
    fileprivate var user: TemplateVersion.User { TemplateVersion.User(name: scheduler.actor) }
}

extension ChangeRequest.Participant {
    var shownName: String { person ?? actor }
}

extension ChangeRequestHeader {
    var target: ChangeRequestTarget {
        ChangeRequestTarget(project: project, id: id, isLimitedToPresentProject: false)
    }
}

extension WorkThreads {
    /// The threads that merge and check templates at the times of schedules: neither administrators nor
    /// apps wait for them.
    fileprivate static let schedules = WorkThreads(count: 2)
}
