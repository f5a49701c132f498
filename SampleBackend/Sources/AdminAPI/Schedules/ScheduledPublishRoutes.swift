import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import Targeting
import TemplateStore

/// The routes of API 3 for publishes at a time; each is the schedule of a change request.
struct ScheduledPublishRoutes: Sendable {
    let administration: Administration

    private static let path = "/v1/projects/{project}/scheduledPublishes"

    var routes: [Route] {
        [
            Route(
                Self.path,
                [
                    .get: Endpoint(
                        access: RoleAccess(.viewer),
                        handler: ChangeRequestListRoute(
                            administration: administration, name: "scheduledPublishes",
                            isOfSchedules: true, isListed: { $0.scheduledDate != nil }
                        ).list),
                    .post: Endpoint(access: RoleAccess(.publisher), handler: create),
                ]),
            Route(
                Self.path + "/{changeRequestID}",
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: get),
                    .patch: Endpoint(access: RoleAccess(.publisher), handler: move),
                    .delete: Endpoint(access: RoleAccess(.publisher), handler: cancel),
                ]),
        ]
    }

    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        let stored = try await administration.changeRequest(request.changeRequestTarget)
        _ = try Self.schedule(of: stored)
        return ChangeRequestRoutes.answer(try await administration.reviewed(stored))
    }

    /// Schedules an open change request, or a new one that it makes of a template or the draft.
    @Sendable
    private func create(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(
            knows: [
                "at", "until", "zone", "after", "changeRequest", "title", "text", "template",
                "base",
                "draft",
            ])
        let times = try ScheduledTimes(in: body, at: administration.now())
        let predecessor = try await predecessor(in: body, before: times, of: request)
        let schedule = ScheduledPublish(
            start: times.start, end: times.end, zone: times.zone, scheduler: request.participant,
            signIn: request.administrator?.person, tokenID: request.tokenID,
            predecessor: predecessor?.id)
        var submission: ChangeRequestSubmission
        var known: StoredChangeRequest?
        if let id = body["changeRequest"] {
            let stored = try await administration.requestToSchedule(id, body, of: request)
            try await administration.checkFollowers(of: stored, endingAt: times.end)
            known = stored
            submission = administration.submission(
                of: stored.request, over: stored, .schedulePublish, by: request.participant)
        } else {
            submission = try await administration.newChangeRequest(
                in: body, of: request, after: predecessor)
            submission.action = .schedulePublish
        }
        submission.request.schedule = schedule
        submission.detail = schedule.auditText
        return ChangeRequestRoutes.answer(
            try await administration.save(submission, over: known), status: .created)
    }

    /// The request that `after` names, whose publish is scheduled and not later; nil without one.
    private func predecessor(
        in body: JSONNode, before times: ScheduledTimes, of request: RouteRequest
    ) async throws -> StoredChangeRequest? {
        guard let node = body["after"], node != .null else { return nil }
        guard let id = node.stringValue else {
            throw RequestError.invalidArgument(
                "after is \(node.kindDescription): send the identifier of a scheduled publish.")
        }
        let found = try await administration.openChangeRequest(
            ChangeRequestTarget(
                project: request.project, id: id,
                isLimitedToPresentProject: request.administrator?.projects != nil),
            expecting: .any)
        guard let schedule = found.request.schedule, schedule.waitingPart == .start else {
            throw RequestError.invalidArgument(
                "The publish of \(id.shortened) is not scheduled, so nothing can come after it: "
                    + "schedule it first.")
        }
        try Self.check(times, after: schedule, of: id)
        try await administration.checkChain(of: body["changeRequest"]?.stringValue, after: found)
        return found
    }

    /// - Throws: A ``RequestError`` with status 400 when a publish would come before the other one, or
    ///   too long after it.
    private static func check(
        _ times: ScheduledTimes, after schedule: ScheduledPublish, of id: String
    ) throws(RequestError) {
        let gap = times.start.date.timeIntervalSince(schedule.start.date)
        guard gap >= 0 else {
            throw .invalidArgument(
                "at is before \(schedule.start.text), the time of the publish \(id.shortened) after "
                    + "which this one is to be: send a later time.")
        }
        guard gap <= TemplateStoreLimits.schedulingGap else {
            throw .invalidArgument(
                "at is more than 60 days after \(schedule.start.text), the time of the publish "
                    + "\(id.shortened): schedule this one without after.")
        }
        try checkEnd(of: times, before: schedule, of: id)
    }

    /// - Throws: A ``RequestError`` with status 400 when what a publish has set would stay, since its end
    ///   brings back what the publish before it has set.
    private static func checkEnd(
        of times: ScheduledTimes, before schedule: ScheduledPublish, of id: String
    ) throws(RequestError) {
        guard let end = schedule.end else { return }
        guard let own = times.end, own.date <= end.date else {
            throw .invalidArgument(
                "until is missing or after \(end.text), the end of the publish \(id.shortened): send a "
                    + "time that is not later.")
        }
    }

    /// Moves a schedule that waits, or an end that has failed; votes for the former times do not count
    /// any more.
    @Sendable
    private func move(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(knows: ["at", "until", "zone"])
        guard case .object(let members) = body, !members.isEmpty else {
            throw RequestError.invalidArgument(
                "The body is empty: send at, until or zone to change.")
        }
        let stored = try await seenRequest(request)
        let schedule = try Self.schedule(of: stored)
        if stored.state == .published, schedule.hasFailedEnd {
            return try await endAnew(stored, schedule, at: body, by: request)
        }
        try Self.checkWaits(stored)
        guard schedule.waitingPart == .start else {
            throw RequestError.notWaiting(
                "Its start has been published: cancel the end, or schedule another publish.")
        }
        guard schedule.rollout == nil || body["until"] == nil else {
            throw RequestError.invalidArgument(
                "A rollout has no until: take it back instead, or schedule another publish.")
        }
        let times = try ScheduledTimes(in: body, replacing: schedule, at: administration.now())
        try await checkOrder(of: stored, movedTo: times)
        var changed = stored.request
        let moved = ScheduledPublish(
            start: times.start, end: times.end, zone: times.zone, scheduler: request.participant,
            signIn: request.administrator?.person, tokenID: request.tokenID,
            predecessor: schedule.predecessor, rollout: schedule.rollout)
        changed.schedule = moved
        return try await save(
            changed, over: stored, .schedulePublish, detail: moved.auditText, by: request)
    }

    /// Checks other times against those of the publishes directly before and after this one.
    private func checkOrder(
        of stored: StoredChangeRequest, movedTo times: ScheduledTimes
    ) async throws(RequestError) {
        if let id = stored.request.schedule?.predecessor,
            let before = try await administration.changeRequestIfPresent(
                ChangeRequestTarget(
                    project: stored.project, id: id, isLimitedToPresentProject: false)),
            let other = before.request.schedule
        {
            if before.state == .open {
                try Self.check(times, after: other, of: id)
            } else if other.waitingPart == .end {
                try Self.checkEnd(of: times, before: other, of: id)
            }
        }
        try await administration.checkFollowers(of: stored, endingAt: times.end)
    }

    /// Gives another time to an end that was missed or refused.
    private func endAnew(
        _ stored: StoredChangeRequest, _ schedule: ScheduledPublish, at body: JSONNode,
        by request: RouteRequest
    ) async throws -> RouteResponse {
        guard body["at"] == nil else {
            throw RequestError.invalidArgument(
                "Its start has been published: send until, the time of another end, without at.")
        }
        let times = try ScheduledTimes(in: body, replacing: schedule, at: administration.now())
        guard let end = times.end, let until = body["until"], until != .null else {
            throw RequestError.invalidArgument(
                "until is missing: send the time at which the changes are taken back.")
        }
        try await checkMayEndAnew(stored, by: request)
        try await checkOrder(of: stored, movedTo: times)
        // The version of the start must still be known.
        _ = try await administration.undoOfStart(of: stored)
        var changed = stored.request
        let moved = schedule.ending(
            at: end, zone: times.zone, by: request.participant,
            signIn: request.administrator?.person, tokenID: request.tokenID)
        changed.schedule = moved
        return try await save(
            changed, over: stored, .schedulePublish, detail: moved.auditText, by: request)
    }

    /// - Throws: A ``RequestError`` with status 403 when approvals are needed, which nobody can give to a
    ///   request that is published.
    private func checkMayEndAnew(
        _ stored: StoredChangeRequest, by request: RouteRequest
    ) async throws {
        let details = try await administration.callStore(
            "project_details", project: stored.project
        ) { () throws(TemplateStoreError) in
            try await administration.store.projectDetails(ofProject: stored.project)
        }
        guard details?.details.protection != nil else { return }
        let schedule = try Self.schedule(of: stored)
        if schedule.startOutcome?.isApproved == true, request.administrator?.mayBypass == true {
            return
        }
        let number = schedule.startOutcome?.version ?? 0
        throw RequestError.permissionDenied(
            "Nobody has approved another end, and the project is protected: "
                + (schedule.startOutcome?.isApproved == true
                    ? "that needs the permission to bypass approvals. Or make" : "make")
                + " a change request that takes back version \(number).")
    }

    /// Cancels what waits; the change request stays as it is.
    @Sendable
    private func cancel(_ request: RouteRequest) async throws -> RouteResponse {
        let stored = try await seenRequest(request)
        try Self.checkWaits(stored)
        guard let part = try Self.schedule(of: stored).waitingPart else {
            throw RequestError.notWaiting("Nothing is left to cancel.")
        }
        var changed = stored.request
        changed.schedule?.end(part, with: .init(.cancelled, date: administration.now()))
        return try await save(changed, over: stored, .cancelScheduledPublish, by: request)
    }

    private func save(
        _ changed: ChangeRequest, over stored: StoredChangeRequest, _ action: AuditEntry.Action,
        detail: String? = nil, by request: RouteRequest
    ) async throws -> RouteResponse {
        var submission = administration.submission(
            of: changed, over: stored, action, by: request.participant)
        submission.detail = detail
        return ChangeRequestRoutes.answer(
            try await administration.save(submission, over: stored))
    }

    /// The request in the path as the caller has seen it.
    private func seenRequest(_ request: RouteRequest) async throws -> StoredChangeRequest {
        let expectation = try request.seenState
        let stored = try await administration.changeRequest(request.changeRequestTarget)
        _ = try Self.schedule(of: stored)
        guard expectation.isMet(byTag: stored.tag) else {
            throw RequestError(
                .changeRequestMismatch(stored.id, isThere: true), project: stored.project)
        }
        return stored
    }

    /// - Throws: A ``RequestError`` with status 409 when the schedule does not wait for a time.
    private static func checkWaits(_ stored: StoredChangeRequest) throws(RequestError) {
        guard stored.dueDate == nil else { return }
        let schedule = stored.request.schedule
        let advice: String
        if schedule?.hasFailedEnd == true {
            advice = "PATCH it with until, the time of another end."
        } else if let version = schedule?.startOutcome?.version {
            advice = "Undo version \(version) to take it back."
        } else {
            advice = "Look at its state, and schedule it anew if need be."
        }
        throw .notWaiting(advice)
    }

    private static func schedule(
        of stored: StoredChangeRequest
    ) throws(RequestError) -> ScheduledPublish {
        guard let schedule = stored.request.schedule else {
            throw .notFound(
                "The publish of the change request \(stored.id) was never scheduled: schedule it.")
        }
        return schedule
    }
}

extension ScheduledPublish {
    /// The times in the audit trail, and the percentages of a rollout.
    var auditText: String {
        let percents = rollout.map { rollout in
            rollout.plan.bounds.map { Percentile.percentText($0) }.joined(separator: ", ")
        }
        return "for \(start.text)" + (end.map { " until \($0.text)" } ?? "")
            + (percents.map { " to \($0) %" } ?? "")
    }
}

extension RequestError {
    /// 409: the schedule does not wait for a time.
    fileprivate static func notWaiting(_ advice: String) -> RequestError {
        RequestError(
            httpStatus: .conflict, statusName: "SCHEDULE_ENDED",
            message: "This publish does not wait for a time any more. \(advice)")
    }
}

extension Administration {
    /// The open change request that a body names, with the tag in `If-Match`, whose publish is not
    /// scheduled.
    func requestToSchedule(
        _ id: JSONNode, _ body: JSONNode, of request: RouteRequest
    ) async throws -> StoredChangeRequest {
        guard let id = id.stringValue else {
            throw RequestError.invalidArgument(
                "changeRequest is \(id.kindDescription): send its identifier.")
        }
        let others = ["title", "text", "template", "base", "draft"]
        guard others.allSatisfy({ body[$0] == nil }) else {
            throw RequestError.invalidArgument(
                "Send either changeRequest, or title and template of a new one.")
        }
        let stored = try await openChangeRequest(
            ChangeRequestTarget(
                project: request.project, id: id,
                isLimitedToPresentProject: request.administrator?.projects != nil),
            expecting: try request.seenState)
        guard stored.request.schedule?.waitingPart == nil else {
            throw RequestError.invalidArgument(
                "The publish of this change request is scheduled: move it by PATCH.")
        }
        return stored
    }
}
