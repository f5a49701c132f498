import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

extension Administration {
    /// Maximum number of attempts to publish a request over any version, or to add a comment, while
    /// others change the same.
    private static let changeRequestAttempts = 16

    /// A change request and its templates.
    ///
    /// - Throws: A ``RequestError`` with status 404.
    func changeRequest(
        _ id: String, inProject project: String
    ) async throws(RequestError) -> StoredChangeRequest {
        let stored = try await callStore("change_request", project: project) {
            () throws(TemplateStoreError) in
            try await store.changeRequest(id: id, inProject: project, date: now())
        }
        guard let stored else {
            throw .notFound("There is no change request \"\(id.shortened)\": list them.")
        }
        return stored
    }

    func changeRequests(
        inProject project: String
    ) async throws(RequestError) -> [StoredChangeRequest] {
        try await callStore("change_requests", project: project) {
            () throws(TemplateStoreError) in
            try await store.changeRequests(inProject: project, date: now())
        }
    }

    /// Stores a change of a request, and reviews the result.
    func save(_ submission: ChangeRequestSubmission) async throws -> ReviewedChangeRequest {
        let stored = try await callStore("save_change_request", project: submission.project) {
            () throws(TemplateStoreError) in
            try await store.saveChangeRequest(submission)
        }
        return try await reviewed(
            try await changeRequest(stored.id, inProject: submission.project))
    }

    /// A request with what decides about it now.
    func reviewed(_ stored: StoredChangeRequest) async throws -> ReviewedChangeRequest {
        guard let contents = stored.contents else { throw RequestError.storeUnavailable }
        let project = stored.project
        guard stored.state == .open else {
            let base = try Self.template(in: contents.base)
            return ReviewedChangeRequest(
                stored: stored, live: nil,
                review: ChangeReview(
                    base: base, edited: try Self.template(in: contents.edited), live: base),
                merged: nil, problems: [], outdatedVoters: [],
                count: ApprovalCount(
                    of: stored.request, inProject: project, protection: nil, tokens: [], at: now()))
        }
        let live = try await template(inProject: project)
        let review = ChangeReview(
            base: try Self.template(in: contents.base),
            edited: try Self.template(in: contents.edited),
            live: try live.validated().template)
        var merged: ValidatedTemplate?
        var problems: [TemplateProblem] = []
        do throws(TemplateValidationError) {
            switch review.outcome {
            case .upToDate: merged = try ValidatedTemplate(jsonData: contents.edited)
            case .merged(let template): merged = try ValidatedTemplate(json: template.json())
            case .conflict: break
            }
        } catch {
            problems = error.problems
        }
        let outdated = try await outdatedVoters(of: stored, review, live: live)
        let details = try await callStore("project_details", project: project) {
            () throws(TemplateStoreError) in
            try await store.projectDetails(ofProject: project)
        }
        return ReviewedChangeRequest(
            stored: stored, live: live, review: review, merged: merged, problems: problems,
            outdatedVoters: outdated,
            count: ApprovalCount(
                of: stored.request, inProject: project, protection: details?.details.protection,
                tokens: try await storedTokens(), at: now(), ignoring: outdated))
    }

    /// The people who approved before a publish that changed what the request uses.
    ///
    /// A version that is no longer kept cannot be compared, so approvals given over it are outdated.
    private func outdatedVoters(
        of stored: StoredChangeRequest, _ review: ChangeReview, live: StoredTemplate
    ) async throws -> [String] {
        let current = try live.validated().template
        var known: [Int: Bool] = [live.version.number: false]
        var outdated: [String] = []
        for vote in stored.request.votes where vote.verdict == .approve {
            var isTouched = known[vote.liveVersion] ?? true
            if known[vote.liveVersion] == nil {
                let seen = try await callStore("template", project: stored.project) {
                    () throws(TemplateStoreError) in
                    try await store.template(version: vote.liveVersion, inProject: stored.project)
                }
                if let seen {
                    isTouched = review.isTouched(
                        byChangeFrom: try seen.validated().template, to: current)
                }
                known[vote.liveVersion] = isTouched
            }
            if isTouched { outdated.append(vote.person) }
        }
        return outdated
    }

    /// A template of a stored request, which was valid when it was stored.
    private static func template(in content: Data) throws -> RemoteConfigTemplate {
        try ValidatedTemplate(jsonData: content, limits: .none).template
    }

    /// Publishes the changes of a request, merged into the current version.
    ///
    /// - Parameters:
    ///   - id: The request's identifier.
    ///   - project: The project's name.
    ///   - expectation: The state of the request that the publisher has seen.
    ///   - publisher: Who publishes, and on what grounds.
    /// - Returns: The published version.
    /// - Throws: A ``RequestError`` with status 409 for conflicts and for a request that has ended,
    ///   403 when approvals are missing, and 412 when the request is not as expected.
    func publishChangeRequest(
        _ id: String, inProject project: String, expecting expectation: StateExpectation,
        by publisher: ChangeRequestPublisher
    ) async throws -> StoredTemplate {
        for _ in 1..<Self.changeRequestAttempts {
            do {
                return try await publishOnce(
                    id, inProject: project, expecting: expectation, by: publisher)
            } catch let error as RequestError where error.statusName == "VERSION_MISMATCH" {
                // Another publish came between the merge and this one.
            }
        }
        return try await publishOnce(id, inProject: project, expecting: expectation, by: publisher)
    }

    private func publishOnce(
        _ id: String, inProject project: String, expecting expectation: StateExpectation,
        by publisher: ChangeRequestPublisher
    ) async throws -> StoredTemplate {
        let stored = try await openChangeRequest(id, inProject: project, expecting: expectation)
        let reviewed = try await reviewed(stored)
        guard let live = reviewed.live else { throw RequestError.unknownProject(project) }
        guard let merged = reviewed.merged else {
            guard reviewed.conflicts.isEmpty else {
                let authors = try await authors(
                    of: reviewed.conflicts, from: reviewed.review.base,
                    since: stored.request.baseVersion, to: live)
                throw RequestError.changeRequestConflicts(reviewed.conflicts, authors: authors)
            }
            throw RequestError.invalidTemplate(
                TemplateValidationError(problems: reviewed.problems))
        }
        var approval = publisher.approval
        approval.changeRequest = ChangeRequestReference(
            id: id, tag: stored.tag, outdatedVoters: reviewed.outdatedVoters)
        return try await publish(
            CheckedTemplate(
                validated: merged,
                submission: TemplateSubmission(
                    project: project, content: merged.json.jsonData(),
                    expectation: .version(live.version.number), date: now(),
                    user: publisher.user, description: stored.request.title,
                    origin: publisher.origin, approval: approval)))
    }

    /// A request that can be changed and is as expected.
    ///
    /// - Throws: A ``RequestError`` with status 412 for another state, and 409 when it has ended.
    func openChangeRequest(
        _ id: String, inProject project: String, expecting expectation: StateExpectation
    ) async throws(RequestError) -> StoredChangeRequest {
        let stored = try await changeRequest(id, inProject: project)
        guard stored.state == .open else {
            throw RequestError(.changeRequestEnded(id, stored.state), project: project)
        }
        guard expectation.isMet(byTag: stored.tag) else {
            throw RequestError(.changeRequestMismatch(id, isThere: true), project: project)
        }
        return stored
    }

    /// Adds a comment to the newest state of a request.
    func comment(
        _ comment: ChangeRequest.Comment, on id: String, inProject project: String
    ) async throws -> ReviewedChangeRequest {
        for attempt in 1... {
            let stored = try await openChangeRequest(id, inProject: project, expecting: .any)
            var request = stored.request
            request.add(comment)
            do {
                return try await save(
                    ChangeRequestSubmission(
                        project: project, id: id, request: request,
                        expectation: .tag(stored.tag), action: .commentChangeRequest,
                        date: now(), actor: comment.author.actor))
            } catch let error as RequestError
                where error.httpStatus == .preconditionFailed
                && attempt < Self.changeRequestAttempts
            {
                // Another act came first; a comment does not depend on it.
            }
        }
        throw RequestError.storeUnavailable
    }
}

/// Who publishes a change request, how, and on what grounds.
struct ChangeRequestPublisher: Sendable {
    let user: TemplateVersion.User
    let origin: TemplateVersion.Origin
    let approval: PublishApproval
}

extension RequestError {
    /// 409: what was published since changed the same parts; `details` lists them like the response
    /// of `remoteConfig:merge`.
    fileprivate static func changeRequestConflicts(
        _ conflicts: [TemplateMerge.Conflict], authors: NamedValues<TemplateVersion>
    ) -> RequestError {
        let places = conflicts.prefix(3).map(\.path.shortened).joined(separator: ", ")
        let more = conflicts.count > 3 ? " and \(conflicts.count - 3) more" : ""
        var error = RequestError(
            httpStatus: .conflict, statusName: "MERGE_CONFLICT",
            message: "What was published since changed the same as this request: \(places)\(more). "
                + "Merge the edit with the current version, and change the request to the result.")
        error.details = conflicts.map { conflict in
            var node = conflict.json
            node.setMember("changedBy", authors[conflict.path]?.json)
            return node
        }
        return error
    }
}
