import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import Targeting
import TemplateStore
import Templates

/// The routes of API 3 for rollouts; each is a part of the schedule of a change request.
struct RolloutRoutes: Sendable {
    let administration: Administration

    private static let path = "/v1/projects/{project}/rollouts"
    private static let one = path + "/{changeRequestID}"

    var routes: [Route] {
        [
            Route(
                Self.path,
                [
                    .get: Endpoint(
                        access: RoleAccess(.viewer),
                        handler: ChangeRequestListRoute(
                            administration: administration, name: "rollouts",
                            isListed: { $0.scheduledDate != nil },
                            isShown: { $0.request.schedule?.rollout != nil }
                        ).list),
                    .post: Endpoint(
                        access: RoleAccess(.publisher, query: ["validateOnly"]), handler: create),
                ]),
            .get(Self.one, access: RoleAccess(.viewer), handler: get),
            Self.post(":hold", handler: hold),
            Self.post(":resume", handler: resume),
            Self.post(":takeBack", handler: takeBack),
        ]
    }

    private static func post(
        _ verb: String,
        handler: @escaping @Sendable (RouteRequest) async throws -> RouteResponse
    ) -> Route {
        Route(
            one + verb,
            [.post: Endpoint(access: RoleAccess(.publisher), handler: handler)])
    }

    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        let stored = try await administration.changeRequest(request.changeRequestTarget)
        guard stored.request.schedule?.rollout != nil else {
            throw RequestError.notFound(
                "The change request \(stored.id) is no rollout: list the rollouts.")
        }
        return try await answer(try await administration.reviewed(stored))
    }

    /// Plans a rollout, of an open change request or of a new one; with `validateOnly`, only shows
    /// it.
    @Sendable
    private func create(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(
            knows: Rollout.Plan.memberNames + [
                "at", "zone", "changeRequest", "title", "text", "template", "base", "draft",
            ])
        let isDryRun = try request.flag(named: "validateOnly")
        var (submission, known) = try await edit(in: body, of: request)
        submission.action = .schedulePublish
        submission.detail = submission.request.schedule?.auditText
        let preview = try await administration.reviewed(
            submission.preview(over: known))
        try preview.checkRises()
        try await checkNoOtherRollout(submission)
        if isDryRun { return try await answer(preview) }
        if body["at"] == nil, preview.outlook != .willPublish {
            throw preview.cannotStart
        }
        return try await answer(
            try await administration.save(submission, over: known), status: .created)
    }

    /// The submission of the request with its rollout, and the stored one.
    private func edit(
        in body: JSONNode, of request: RouteRequest
    ) async throws -> (ChangeRequestSubmission, StoredChangeRequest?) {
        let condition = try Rollout.Plan.condition(in: body)
        var submission: ChangeRequestSubmission
        var known: StoredChangeRequest?
        if let id = body["changeRequest"] {
            let stored = try await administration.requestToSchedule(id, body, of: request)
            known = stored
            submission = administration.submission(
                of: stored.request, over: stored, .schedulePublish, by: request.participant)
        } else {
            submission = try await newRequest(for: condition, in: body, of: request)
        }
        guard let contents = submission.contents ?? known?.contents else {
            throw RequestError.storeUnavailable
        }
        let rollout = try TemplateRollout.checked(condition, in: contents.edited)
        let plan = try Rollout.Plan(in: body, above: rollout.lowerBound)
        if let first = plan.bounds.first, first != rollout.upperBound {
            throw RequestError.invalidArgument(
                "The change request sets the condition to another percentage than the first of "
                    + "percents: change one of them.")
        }
        let date = administration.now()
        let times = body["at"] == nil ? nil : try ScheduledTimes(in: body, at: date)
        submission.request.schedule = ScheduledPublish(
            start: times?.start ?? .init(date: date, text: date.timestamp),
            zone: try times?.zone ?? ScheduledTimes.zone(in: body),
            scheduler: request.participant, signIn: request.administrator?.person,
            tokenID: request.tokenID, rollout: Rollout(plan: plan))
        return (submission, known)
    }

    /// Maximum number of rollouts of a project that wait, run or are held.
    private static let mostRollouts = 16

    /// - Throws: A ``RequestError`` with status 409 when another rollout of the same condition waits or
    ///   runs, or many others. Of two that are planned at the same moment, the second one is held at its second step.
    private func checkNoOtherRollout(_ submission: ChangeRequestSubmission) async throws {
        guard let condition = submission.request.schedule?.rollout?.plan.condition else { return }
        let target = { (id: String) in
            ChangeRequestTarget(
                project: submission.project, id: id, isLimitedToPresentProject: false)
        }
        var count = 0
        for header in try await administration.changeRequests(target(""))
        where header.dueDate != nil && !header.id.hasSameBytes(as: submission.id) {
            let other = try await administration.changeRequestIfPresent(target(header.id))
            guard let plan = other?.request.schedule?.rollout?.plan else { continue }
            count += 1
            if count == Self.mostRollouts {
                throw RequestError(
                    httpStatus: .conflict, statusName: "ROLLOUT_STATE",
                    message: "\(count) rollouts of this project wait, run or are held: stop one of "
                        + "them first, or wait for its end.")
            }
            guard plan.condition.hasSameBytes(as: condition) else { continue }
            throw RequestError(
                httpStatus: .conflict, statusName: "ROLLOUT_STATE",
                message: "The condition \"\(condition.shortened)\" is rolled out by the change "
                    + "request \(header.id): stop that one first, or wait for its end.")
        }
    }

    /// A new request, whose template has the condition at the first percentage.
    private func newRequest(
        for condition: String, in body: JSONNode, of request: RouteRequest
    ) async throws -> ChangeRequestSubmission {
        var body = body
        if body["title"] == nil {
            body.setMember("title", .string("Roll out \(condition.shortened)"))
        }
        if try body["template"] == nil && !body.flag(named: "draft") {
            let live = try await administration.template(inProject: request.project)
            let rollout = try TemplateRollout.checked(condition, in: live.content)
            let first = try Rollout.Plan(in: body, above: rollout.lowerBound).bounds[0]
            guard rollout.upperBound != first else {
                throw RequestError.invalidArgument(
                    "The condition has \(Percentile.percentText(first)) % already: send percents "
                        + "that begin above it.")
            }
            let template = rollout.template(try live.validated().template, to: first)
            body.setMember("template", template?.json())
            let tag = TemplateTag(project: request.project, version: live.version.number)
            body.setMember("base", .string(tag.entityTag))
        }
        var submission = try await administration.newChangeRequest(in: body, of: request)
        guard let contents = submission.contents else { throw RequestError.storeUnavailable }
        let rollout = try TemplateRollout.checked(condition, in: contents.edited)
        let edited = rollout.template(
            try RemoteConfigTemplate(stored: contents.edited),
            to: try Rollout.Plan(in: body, above: rollout.lowerBound).bounds[0])
        submission.contents = ChangeRequestContents(
            base: contents.base, edited: edited?.json().jsonData() ?? contents.edited)
        return submission
    }

    /// Holds a rollout that runs.
    @Sendable
    private func hold(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.optionalBody(knows: ["reason"])
        let reason = try body.rolloutReason
        let started = try await started(request, in: [.running])
        let date = administration.now()
        return try await answer(
            try await administration.saveRollout(
                started, .holdRollout, detail: reason, by: request.participant
            ) { $0.hold(at: date, because: reason) })
    }

    /// Resumes a rollout that is held, in the name of the caller.
    @Sendable
    private func resume(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.optionalBody(knows: ["ignoreReports", "now"])
        let ignoresReports = try body.flag(named: "ignoreReports")
        let isAtOnce = try body.flag(named: "now")
        let started = try await started(request, in: [.held])
        // The interval and the bounds were approved, too.
        if ignoresReports || isAtOnce, started.schedule.startOutcome?.isApproved == true,
            request.administrator?.mayBypass != true
        {
            throw RequestError.permissionDenied(
                "The plan of this rollout was approved, so ignoreReports and now need the permission "
                    + "to bypass approvals: resume it without them, or make another rollout.")
        }
        var changed = started.stored.request
        changed.schedule = started.schedule.scheduled(
            by: request.participant, signIn: request.administrator?.person,
            tokenID: request.tokenID)
        changed.schedule?.rollout?.resume(
            at: administration.now(), atOnce: isAtOnce, ignoringReports: ignoresReports)
        var submission = administration.submission(
            of: changed, over: started.stored, .resumeRollout, by: request.participant)
        let details = [isAtOnce ? "now" : nil, ignoresReports ? "ignoring reports" : nil]
        submission.detail = details.compactMap { $0 }.joined(separator: ", ")
        return try await answer(try await administration.save(submission, over: started.stored))
    }

    /// Publishes the percentage before, and holds the rollout.
    @Sendable
    private func takeBack(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.optionalBody(knows: ["reason"])
        let reason = try body.rolloutReason
        let started = try await started(request, in: [.running, .held])
        let publish = RolloutPublish(
            user: request.user, origin: request.origin,
            approval: PublishApproval(person: request.administrator?.owner))
        try await administration.retryingOverNewerVersions {
            try await administration.takeBack(started, because: reason, by: publish)
        }
        let stored = try await administration.changeRequest(request.changeRequestTarget)
        return try await answer(try await administration.reviewed(stored))
    }

    /// The rollout in the path, as the caller has seen it.
    private func started(
        _ request: RouteRequest, in states: [Rollout.State]
    ) async throws -> StartedRollout {
        let expectation = try request.seenState
        let stored = try await administration.changeRequest(request.changeRequestTarget)
        guard expectation.isMet(byTag: stored.tag) else {
            throw RequestError(
                .changeRequestMismatch(stored.id, isThere: true), project: stored.project)
        }
        guard let started = StartedRollout(stored), states.contains(started.rollout.state) else {
            let rollout = stored.request.schedule?.rollout
            throw RequestError(
                httpStatus: .conflict, statusName: "ROLLOUT_STATE",
                message: "The rollout is \(rollout?.state.rawValue ?? "not one"), and has to be "
                    + "\(states.map(\.rawValue).joined(separator: " or ")) for this: look at it "
                    + "again.")
        }
        return started
    }

    /// A response with what apps report on a rollout that has started, or before it.
    private func answer(
        _ reviewed: ReviewedChangeRequest, status: HTTPResponse.Status = .ok
    ) async throws -> RouteResponse {
        var node = reviewed.json
        var schedule = reviewed.schedule ?? .emptyObject
        var rollout = schedule["rollout"] ?? .emptyObject
        if let started = StartedRollout(reviewed.stored) {
            let reports = try await administration.reports(of: started)
            rollout.setMember("check", reports.json)
        } else if reviewed.stored.state == .open {
            let reports = try await administration.reportsNow(of: reviewed.stored)
            rollout.setMember("reportsBefore", reports.json)
        }
        schedule.setMember("rollout", rollout)
        node.setMember("schedule", schedule)
        return .json(
            ByteBuffer(bytes: node.jsonData()), status: status,
            headerFields: [.eTag: "\"\(reviewed.tag)\"", .cacheControl: "no-store"])
    }
}

extension ChangeRequestSubmission {
    /// The request as it would be stored.
    fileprivate func preview(over known: StoredChangeRequest?) -> StoredChangeRequest {
        StoredChangeRequest(
            header: ChangeRequestHeader(
                project: project, id: id, state: .open, tag: known?.tag ?? "preview",
                updateTime: date, deletedVersion: known?.deletedVersion, size: known?.size ?? 0,
                scheduledDate: request.schedule?.start.date, dueDate: request.schedule?.dueDate),
            request: request, contents: contents ?? known?.contents)
    }
}

extension ReviewedChangeRequest {
    /// - Throws: A ``RequestError`` with status 400 when a rollout would begin below the percentage that
    ///   is live.
    fileprivate func checkRises() throws(RequestError) {
        guard let plan = stored.request.schedule?.rollout?.plan, let first = plan.bounds.first,
            let live = current.flatMap({ try? TemplateRollout(plan.condition, in: $0) }),
            live.upperBound > first
        else { return }
        throw .invalidArgument(
            "percents begins with \(Percentile.percentText(first)), and "
                + "\(Percentile.percentText(live.upperBound)) % have the condition now: begin with "
                + "that or above, or publish the lower percentage first.")
    }

    /// 409: a rollout without a time cannot start now.
    fileprivate var cannotStart: RequestError {
        let reason =
            switch outlook {
            case .needsApproval: lackingApprovals
            case .conflict: "what was published since changed the same"
            case .notPermitted: "you may not publish in this project"
            default: "the template cannot be published"
            }
        return RequestError(
            httpStatus: .conflict, statusName: "ROLLOUT_STATE",
            message:
                "The rollout cannot start now, since \(reason): send at, a time by which it can.")
    }
}

extension TemplateRollout {
    /// A rollout of a condition of a template.
    ///
    /// - Throws: A ``RequestError`` with status 400 when its percentage cannot be raised.
    fileprivate static func checked(
        _ condition: String, in content: Data
    ) throws -> TemplateRollout {
        do {
            return try TemplateRollout(
                condition, in: try RemoteConfigTemplate(stored: content))
        } catch let error as TemplateRolloutError {
            throw RequestError.invalidArgument(error.message)
        }
    }
}

extension JSONNode {
    /// Why a rollout is held or taken back; nil when it is missing or empty.
    fileprivate var rolloutReason: String? {
        get throws(RequestError) {
            guard let reason = try comment(named: "reason") else { return nil }
            try ShownText.check(
                reason, named: "reason", maximumLength: Rollout.maximumReasonLength)
            return reason
        }
    }
}

extension Rollout.Reports {
    /// What apps report before a rollout.
    fileprivate var json: JSONNode {
        let advice =
            clients == 0
            ? "No app reports: a server with --acknowledgements asks apps to. Without reports, no "
                + "problem stops the rollout."
            : "\(clients) clients report, \(withProblems) of them problems."
        return [
            "clients": .number("\(clients)"), "withProblems": .number("\(withProblems)"),
            "text": .string(advice),
        ]
    }
}
