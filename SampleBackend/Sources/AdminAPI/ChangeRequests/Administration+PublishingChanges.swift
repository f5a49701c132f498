import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// Who publishes a change request, how, and on what grounds.
struct ChangeRequestPublisher: Sendable {
    let user: TemplateVersion.User
    let origin: TemplateVersion.Origin
    let approval: PublishApproval
    /// Added to the version's description; nil for none.
    let comment: String?
    /// The publisher's approval, which is stored with the version or not at all; nil for none.
    var vote: ChangeRequest.Vote?
    /// True to publish a request before the time for which it is scheduled.
    var replacesSchedule = false
    /// What leads to the publish.
    var occasion = ChangeRequestReference.Occasion.administrator
    /// What apps report before a rollout; nil without one.
    var reports: Rollout.Reports?
}

extension Administration {
    /// Publishes the changes of a request, merged into the current version.
    ///
    /// - Parameters:
    ///   - target: The request.
    ///   - expectation: The state of the request that the publisher has seen.
    ///   - publisher: Who publishes, and on what grounds.
    /// - Returns: The published version.
    /// - Throws: A ``RequestError`` with status 409 for conflicts and for a request that has ended,
    ///   403 when approvals are missing, and 412 when the request is not as expected.
    func publishChangeRequest(
        _ target: ChangeRequestTarget, expecting expectation: StateExpectation,
        by publisher: ChangeRequestPublisher
    ) async throws -> StoredTemplate {
        try await retryingOverNewerVersions {
            try await publishOnce(target, expecting: expectation, by: publisher)
        }
    }

    /// Publishes what was merged with the current version; merges and publishes again when another
    /// publish comes between.
    func retryingOverNewerVersions<Result>(
        _ publish: () async throws -> Result
    ) async throws -> Result {
        for _ in 1..<Self.changeRequestAttempts {
            do {
                return try await publish()
            } catch {
                guard let mismatch = error as? RequestError,
                    mismatch.statusName == "VERSION_MISMATCH"
                else { throw error }
            }
        }
        return try await publish()
    }

    private func publishOnce(
        _ target: ChangeRequestTarget, expecting expectation: StateExpectation,
        by publisher: ChangeRequestPublisher
    ) async throws -> StoredTemplate {
        var stored = try await openChangeRequest(target, expecting: expectation)
        if publisher.occasion == .administrator {
            if !publisher.replacesSchedule { try stored.checkIsNotScheduled() }
            // It is published without the one that was to come first, for which nobody may have voted.
            stored.request.schedule?.cancelWaitingStart(at: now())
        }
        if let vote = publisher.vote { stored.request.add(vote) }
        let reviewed = try await reviewed(stored)
        guard let live = reviewed.basis?.live else {
            throw RequestError.unknownProject(target.project)
        }
        guard reviewed.predecessor == nil else {
            throw RequestError(
                .changeRequestMismatch(target.id, isThere: true), project: target.project)
        }
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
            id: target.id, tag: stored.tag, outdatedVoters: reviewed.outdatedVoters,
            signedInVoters: reviewed.signedInVoters, vote: publisher.vote,
            occasion: publisher.occasion, reports: publisher.reports)
        let description = [stored.request.title, publisher.comment].compactMap { $0 }
        return try await publish(
            CheckedTemplate(
                validated: merged,
                submission: TemplateSubmission(
                    project: target.project, content: merged.json.jsonData(),
                    expectation: .version(live.version.number), date: now(),
                    user: publisher.user, description: description.joined(separator: ": "),
                    origin: publisher.origin, approval: approval)))
    }
}

extension StoredChangeRequest {
    /// - Throws: A ``RequestError`` with status 409 that names the time for which the publish is
    ///   scheduled.
    fileprivate func checkIsNotScheduled() throws(RequestError) {
        guard let schedule = request.schedule, schedule.waitingPart == .start else { return }
        throw RequestError(
            httpStatus: .conflict, statusName: "SCHEDULED_PUBLISH",
            message: "The publish of this request is scheduled for \(schedule.start.text): send "
                + "{\"cancelSchedule\": true} to publish it now, and not then.")
    }
}

extension RequestError {
    /// Maximum size of the conflicts in an error, in bytes.
    private static let maximumConflictBytes = 2 << 20

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
        let listed = TemplateMerge.Conflict.json(
            of: conflicts, maximumBytes: maximumConflictBytes)
        error.details = zip(conflicts, listed).map { conflict, listed in
            var node = listed
            node.setMember("changedBy", authors[conflict.path]?.json)
            return node
        }
        return error
    }
}
