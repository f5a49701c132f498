import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import TemplateStore
import Templates

/// The routes of API 3 for change requests.
struct ChangeRequestRoutes: Sendable {
    let administration: Administration

    private static let path = "/v1/projects/{project}/changeRequests"
    private static let one = path + "/{changeRequestID}"

    var routes: [Route] {
        [
            Route(
                Self.path,
                [
                    .get: Endpoint(
                        access: RoleAccess(.viewer),
                        handler: ChangeRequestListRoute(administration: administration).list),
                    .post: Endpoint(access: RoleAccess(.editor), handler: create),
                ]),
            .get(
                Self.path + ":count", access: RoleAccess(.viewer),
                handler: ChangeRequestListRoute(administration: administration).count),
            Route(
                Self.one,
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: get),
                    .patch: Endpoint(access: RoleAccess(.editor), handler: patch),
                ]),
            Route(
                Self.one + "/template",
                [.get: Endpoint(access: RoleAccess(.viewer), handler: template)]),
            Self.post(Self.one + ":approve", .editor) { try await vote(.approve, $0) },
            Self.post(Self.one + ":requestChanges", .editor) {
                try await vote(.requestChanges, $0)
            },
            Self.post(Self.one + ":close", .editor, handler: close),
            Self.post(Self.one + ":publish", .publisher, query: ["bypass"], handler: publish),
            Self.post(Self.one + "/comments", .editor, handler: comment),
        ]
    }

    private static func post(
        _ path: String, _ role: StoredToken.Role, query: [String] = [],
        handler: @escaping @Sendable (RouteRequest) async throws -> RouteResponse
    ) -> Route {
        Route(path, [.post: Endpoint(access: RoleAccess(role, query: query), handler: handler)])
    }

    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        let stored = try await administration.changeRequest(request.changeRequestTarget)
        return Self.answer(try await administration.reviewed(stored))
    }

    /// The edited template of a request, which an author continues to edit.
    @Sendable
    private func template(_ request: RouteRequest) async throws -> RouteResponse {
        let stored = try await administration.changeRequest(request.changeRequestTarget)
        guard let contents = stored.contents else { throw RequestError.storeUnavailable }
        return .json(
            ByteBuffer(bytes: contents.edited), headerFields: [.cacheControl: "no-store"])
    }

    /// Makes a request of a template and the tag of its base, or of the caller's draft.
    @Sendable
    private func create(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(knows: ["title", "text", "template", "base", "draft"])
        let reviewed = try await administration.save(
            try await administration.newChangeRequest(in: body, of: request))
        return Self.answer(reviewed, status: .created)
    }

    /// Changes title, text or template; another template makes the votes outdated.
    @Sendable
    private func patch(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(knows: ["title", "text", "template", "base", "draft"])
        let stored = try await administration.openChangeRequest(
            request.changeRequestTarget, expecting: try request.seenState)
        guard case .object(let members) = body, !members.isEmpty else {
            throw RequestError.invalidArgument(
                "The body is empty: send the title, text or template to change.")
        }
        var changed = stored.request
        if let title = try body.changeRequestTitle { changed.title = title }
        if body["text"] != nil { changed.text = try body.changeRequestText }
        var contents: ChangeRequestContents?
        if let edit = try await administration.edit(
            in: body, of: request, replacing: stored)
        {
            // Another content at the same time is another publish.
            guard changed.schedule?.waitingPart == nil || request.roleInProject >= .publisher else {
                throw RequestError.permissionDenied(
                    "The publish of this request is scheduled, so only a publisher may change its "
                        + "template: ask one, or have the schedule cancelled.")
            }
            try edit.contents.checkBeginning(of: changed.schedule)
            contents = edit.contents
            changed.baseVersion = edit.baseVersion
            changed.addEditor(request.participant)
        }
        return Self.answer(
            try await administration.save(
                submission(
                    of: changed, over: stored, contents: contents, .editChangeRequest, request),
                over: stored))
    }

    /// Votes on the state that the reviewer has seen.
    @Sendable
    private func vote(
        _ verdict: ChangeRequest.Verdict, _ request: RouteRequest
    ) async throws -> RouteResponse {
        let body = try request.optionalBody(knows: ["comment", "liveVersionNumber"])
        let (vote, stored) = try await castVote(
            verdict, body, comment: try body.comment(named: "comment"), by: request)
        var changed = stored.request
        changed.add(vote)
        let action: AuditEntry.Action =
            verdict == .approve ? .approveChangeRequest : .rejectChangeRequest
        var submission = submission(of: changed, over: stored, action, request)
        submission.detail = [vote.person, vote.comment].compactMap { $0 }.joined(separator: ": ")
        return Self.answer(try await administration.save(submission, over: stored))
    }

    /// The vote of the caller, and the request that it is for; `isForNow`: not for the time of its
    /// schedule.
    ///
    /// - Throws: A ``RequestError`` with status 403 for a caller who may not vote on the request.
    private func castVote(
        _ verdict: ChangeRequest.Verdict, _ body: JSONNode, comment: String?,
        isForNow: Bool = false, by request: RouteRequest
    ) async throws -> (ChangeRequest.Vote, StoredChangeRequest) {
        guard case .tag = try request.seenState else {
            throw RequestError.invalidArgument(
                "If-Match is *: a vote is for the state that you have seen, so send its ETag.")
        }
        guard let person = request.administrator?.owner else {
            throw RequestError.permissionDenied(
                "This token has no owner, so it cannot vote: use the token of a person.")
        }
        let stored = try await administration.openChangeRequest(
            request.changeRequestTarget, expecting: try request.seenState)
        let details = try await administration.projectDetails(request.project)
        guard
            details.details.protection?.selfApproval == true
                || !stored.request.isMade(by: person, identity: request.administrator?.identity)
        else {
            throw RequestError.permissionDenied(
                "You have made or edited this request: somebody else must vote on it.")
        }
        let live = try await administration.template(inProject: request.project).version.number
        let seen =
            body["liveVersionNumber"].map { $0.versionNumber ?? .max } ?? request.seenVersion
            ?? live
        guard seen <= live else {
            throw RequestError.invalidArgument(
                "liveVersionNumber is not a version: send the current one that you have seen.")
        }
        // The times and the plan of a publish that waits.
        let schedule = stored.request.schedule.flatMap {
            isForNow || $0.waitingPart != .start ? nil : $0
        }
        let vote = ChangeRequest.Vote(
            person: person, actor: request.participant.actor,
            signIn: request.administrator?.person, identity: request.administrator?.identity,
            verdict: verdict, digest: stored.request.contentDigest,
            scheduledDates: schedule?.dates, rolloutPlan: schedule?.rollout?.plan,
            liveVersion: seen, comment: comment,
            date: administration.now())
        return (vote, stored)
    }

    /// Closes a request: those who made it, and publishers.
    @Sendable
    private func close(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.optionalBody(knows: ["comment"])
        let stored = try await administration.openChangeRequest(
            request.changeRequestTarget, expecting: try request.seenState)
        let closer = request.participant
        // The name of a token can be that of a revoked one, but people are known.
        let isOwn =
            closer.person.map { stored.request.isMade(by: $0, identity: closer.identity) }
            ?? (stored.request.author.person == nil
                && stored.request.author.actor.hasSameBytes(as: closer.actor))
        guard isOwn || request.roleInProject >= .publisher else {
            throw RequestError.permissionDenied(
                "You have not made this request: publishers may close it.")
        }
        let comment = try body.comment(named: "comment")
        let date = administration.now()
        var changed = stored.request
        if let comment {
            changed.add(ChangeRequest.Comment(author: closer, text: comment, date: date))
        }
        changed.ending = ChangeRequest.Ending(participant: closer, date: date)
        var closing = submission(of: changed, over: stored, .closeChangeRequest, request)
        closing.detail = comment
        return Self.answer(try await administration.save(closing, over: stored))
    }

    /// Publishes the changes of a request, merged into the current version; with `approve`, together
    /// with the publisher's approval, which counts.
    @Sendable
    private func publish(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.optionalBody(
            knows: ["comment", "approve", "liveVersionNumber", "cancelSchedule"])
        let comment = try body.comment(named: "comment")
        let vote =
            try body.flag(named: "approve")
            ? try await castVote(
                .approve, body, comment: comment, isForNow: true, by: request
            ).0 : nil
        let published = try await administration.publishChangeRequest(
            request.changeRequestTarget, expecting: try request.seenState,
            by: ChangeRequestPublisher(
                user: request.user, origin: request.origin, approval: try request.approval,
                comment: comment, vote: vote,
                replacesSchedule: try body.flag(named: "cancelSchedule")))
        let tag = TemplateTag(project: request.project, version: published.version.number)
        return .json(
            ByteBuffer(bytes: published.contentWithVersion),
            headerFields: [.eTag: tag.entityTag, .cacheControl: "no-store"])
    }

    @Sendable
    private func comment(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(knows: ["text", "path"])
        guard let text = try body.comment(named: "text") else {
            throw RequestError.invalidArgument("text is missing: send the comment.")
        }
        let path = try body.comment(named: "path")
        return Self.answer(
            try await administration.comment(
                ChangeRequest.Comment(
                    author: request.participant, text: text, path: path,
                    date: administration.now()),
                on: request.changeRequestTarget), status: .created)
    }

    private func submission(
        of changed: ChangeRequest, over stored: StoredChangeRequest,
        contents: ChangeRequestContents? = nil, _ action: AuditEntry.Action,
        _ request: RouteRequest
    ) -> ChangeRequestSubmission {
        administration.submission(
            of: changed, over: stored, contents: contents, action, by: request.participant)
    }

    static func answer(
        _ reviewed: ReviewedChangeRequest, status: HTTPResponse.Status = .ok
    ) -> RouteResponse {
        .json(
            ByteBuffer(bytes: reviewed.json.jsonData()), status: status,
            headerFields: [.eTag: "\"\(reviewed.tag)\"", .cacheControl: "no-store"])
    }
}

extension ChangeRequestContents {
    /// - Throws: A ``RequestError`` with status 400 when a rollout that waits would begin with another
    ///   percentage than planned.
    fileprivate func checkBeginning(of schedule: ScheduledPublish?) throws {
        guard let schedule, schedule.waitingPart == .start, let plan = schedule.rollout?.plan else {
            return
        }
        let template = try RemoteConfigTemplate(stored: edited)
        guard (try? TemplateRollout(plan.condition, in: template))?.upperBound == plan.bounds.first
        else {
            throw RequestError.invalidArgument(
                "The rollout of this request begins with another percentage of the condition "
                    + "\"\(plan.condition.shortened)\": keep that, or cancel the rollout first.")
        }
    }
}
