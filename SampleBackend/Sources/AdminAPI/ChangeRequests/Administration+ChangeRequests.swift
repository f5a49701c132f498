import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import OpenIDConnect
import TemplateStore
import Templates

// Reading and storing change requests.
extension Administration {
    /// Maximum number of attempts to publish a request over any version, or to add a comment, while
    /// others change the same.
    static let changeRequestAttempts = 16

    /// The headers of a project's requests that a caller sees, the last changed one first.
    func changeRequests(
        _ target: ChangeRequestTarget
    ) async throws(RequestError) -> [ChangeRequestHeader] {
        let found = try await callStore("change_requests", project: target.project) {
            () throws(TemplateStoreError) in
            try await store.changeRequests(inProject: target.project, date: now())
        }
        guard target.isLimitedToPresentProject, !found.isEmpty else { return found }
        let deleted = try await deletedVersion(ofProject: target.project)
        return found.filter { $0.deletedVersion == deleted }
    }

    /// A change request and its templates.
    ///
    /// - Throws: A ``RequestError`` with status 404 when there is none, or the caller must not see
    ///   it.
    func changeRequest(
        _ target: ChangeRequestTarget
    ) async throws(RequestError) -> StoredChangeRequest {
        if let stored = try await changeRequestIfPresent(target) { return stored }
        throw .notFound("There is no change request \"\(target.id.shortened)\": list them.")
    }

    /// A change request and its templates; nil when there is none that the caller sees.
    func changeRequestIfPresent(
        _ target: ChangeRequestTarget
    ) async throws(RequestError) -> StoredChangeRequest? {
        let stored = try await callStore("change_request", project: target.project) {
            () throws(TemplateStoreError) in
            try await store.changeRequest(id: target.id, inProject: target.project, date: now())
        }
        guard let stored, target.isLimitedToPresentProject else { return stored }
        let deleted = try await deletedVersion(ofProject: target.project)
        return stored.deletedVersion == deleted ? stored : nil
    }

    private func deletedVersion(ofProject project: String) async throws(RequestError) -> Int? {
        try await callStore("deleted_version", project: project) {
            () throws(TemplateStoreError) in
            try await store.deletedVersion(ofProject: project)
        }
    }

    /// A request that can be changed and is as expected.
    ///
    /// - Throws: A ``RequestError`` with status 412 for another state, and 409 when it has ended.
    func openChangeRequest(
        _ target: ChangeRequestTarget, expecting expectation: StateExpectation
    ) async throws(RequestError) -> StoredChangeRequest {
        let stored = try await changeRequest(target)
        guard stored.state == .open else {
            throw RequestError(
                .changeRequestEnded(target.id, stored.state), project: target.project)
        }
        guard expectation.isMet(byTag: stored.tag) else {
            throw RequestError(
                .changeRequestMismatch(target.id, isThere: true), project: target.project)
        }
        return stored
    }

    /// The submission of a changed request, which replaces exactly the state that was read.
    func submission(
        of changed: ChangeRequest, over stored: StoredChangeRequest,
        contents: ChangeRequestContents? = nil, _ action: AuditEntry.Action,
        by participant: ChangeRequest.Participant
    ) -> ChangeRequestSubmission {
        ChangeRequestSubmission(
            project: stored.project, id: stored.id, request: changed, contents: contents,
            expectation: .tag(stored.tag), action: action, date: now(), actor: participant.actor)
    }

    /// Stores a change of a request, and reviews the result.
    ///
    /// - Parameters:
    ///   - submission: The change.
    ///   - known: The request with its templates before the change; nil for a new one.
    /// - Returns: The stored request, reviewed.
    /// - Throws: A ``RequestError`` when it cannot be stored.
    func save(
        _ submission: ChangeRequestSubmission, over known: StoredChangeRequest? = nil
    ) async throws -> ReviewedChangeRequest {
        var stored = try await callStore("save_change_request", project: submission.project) {
            () throws(TemplateStoreError) in
            try await store.saveChangeRequest(submission)
        }
        stored.contents = submission.contents ?? known?.contents
        return try await reviewed(stored)
    }

    /// Adds a comment to the newest state of a request.
    func comment(
        _ comment: ChangeRequest.Comment, on target: ChangeRequestTarget
    ) async throws -> ReviewedChangeRequest {
        for attempt in 1... {
            let stored = try await openChangeRequest(target, expecting: .any)
            var request = stored.request
            request.add(comment)
            do {
                return try await save(
                    ChangeRequestSubmission(
                        project: target.project, id: target.id, request: request,
                        expectation: .tag(stored.tag), action: .commentChangeRequest,
                        date: now(), actor: comment.author.actor), over: stored)
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
