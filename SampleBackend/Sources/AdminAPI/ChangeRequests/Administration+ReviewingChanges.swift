import ClientAPI
import Foundation
import HTTPServing
import OpenIDConnect
import TemplateStore
import Templates

/// What decides about the open change requests of a project, read once for all of them.
struct ReviewBasis: Sendable {
    /// The current version.
    let live: StoredTemplate

    /// Its template.
    let template: RemoteConfigTemplate

    /// The approvals that a publish needs; nil for none.
    let protection: ProjectProtection?

    /// All tokens.
    let tokens: [StoredToken]

    /// Earlier versions over which people voted, by number; nil for one that is no longer kept.
    fileprivate(set) var earlier: [Int: RemoteConfigTemplate?] = [:]

    /// The size of all versions that were read, in bytes.
    fileprivate(set) var bytesRead: Int
}

// Comparing change requests with what is live.
extension Administration {
    /// Reads what decides about the open requests of a project.
    func reviewBasis(inProject project: String) async throws -> ReviewBasis {
        let live = try await template(inProject: project)
        let details = try await callStore("project_details", project: project) {
            () throws(TemplateStoreError) in
            try await store.projectDetails(ofProject: project)
        }
        return ReviewBasis(
            live: live, template: try live.validated().template,
            protection: details?.details.protection, tokens: try await storedTokens(),
            bytesRead: live.content.count)
    }

    /// A request with what decides about it now.
    func reviewed(_ stored: StoredChangeRequest) async throws -> ReviewedChangeRequest {
        guard stored.state == .open else { return try ReviewedChangeRequest(ended: stored) }
        var basis = try await reviewBasis(inProject: stored.project)
        return try await reviewed(stored, over: &basis)
    }

    /// An open request with what decides about it; adds to the basis what it reads.
    ///
    /// `depth` is the number of requests that come after it.
    func reviewed(
        _ stored: StoredChangeRequest, over basis: inout ReviewBasis, depth: Int = 0
    ) async throws -> ReviewedChangeRequest {
        guard let contents = stored.contents else { throw RequestError.storeUnavailable }
        let predecessor = try await predecessor(of: stored)
        var current = basis.template
        var predecessorOutlook: ReviewedChangeRequest.Outlook?
        if let earlier = predecessor?.stored, earlier.state == .open,
            depth < ScheduledChain.maximumLength
        {
            basis.bytesRead += earlier.size
            let review = try await reviewed(earlier, over: &basis, depth: depth + 1)
            current = review.merged?.template ?? current
            predecessorOutlook = review.outlook
        }
        let review = ChangeReview(
            base: try RemoteConfigTemplate(stored: contents.base),
            edited: try RemoteConfigTemplate(stored: contents.edited), live: current)
        var merged: ValidatedTemplate?
        var problems: [TemplateProblem] = []
        do throws(TemplateValidationError) {
            switch review.outcome {
            case .upToDate: merged = try ValidatedTemplate(jsonData: contents.edited)
            case .merged(let template): merged = try ValidatedTemplate(merged: template.json())
            case .conflict: break
            }
        } catch {
            problems = error.problems
        }
        let outdated = try await outdatedVoters(
            of: stored, review, after: try await publishedSteps(before: stored), over: &basis)
        let signedIn = signedInVoters(of: stored)
        return ReviewedChangeRequest(
            stored: stored, basis: basis, current: current, predecessor: predecessor,
            predecessorOutlook: predecessorOutlook,
            isSchedulerPermitted: stored.request.schedule.map { schedule in
                access.right(to: schedule, inProject: stored.project, tokens: basis.tokens)
                    != .refused
            } ?? true, review: review, merged: merged, problems: problems,
            outdatedVoters: outdated, signedInVoters: signedIn,
            count: ApprovalCount(
                of: stored.request, inProject: stored.project, protection: basis.protection,
                tokens: basis.tokens, at: now(), ignoring: outdated, admitting: signedIn))
    }

    /// True when this server cannot know whether an approval of a person who signed in counts.
    func lacksVoters(of stored: StoredChangeRequest) -> Bool {
        access.signIn == nil
            && stored.request.votes.contains { vote in
                vote.signIn != nil && vote.verdict == .approve && stored.request.isCurrent(vote)
            }
    }

    /// The voters who signed in without a token, and may approve by the rules as they are now.
    private func signedInVoters(of stored: StoredChangeRequest) -> [String] {
        stored.request.votes.filter { vote in
            vote.signIn.flatMap { access.signIn?.rights(of: $0) }?
                .role(inProject: stored.project)?.mayApprove ?? false
        }.map(\.person)
    }

    /// The people who approved before a publish that changed what the request uses.
    ///
    /// A version that is no longer kept cannot be compared, so approvals given over it are outdated.
    /// `steps` are the versions in which the requests before it were published, on which the edit is
    /// based: they outdate nothing.
    private func outdatedVoters(
        of stored: StoredChangeRequest, _ review: ChangeReview, after steps: [Int],
        over basis: inout ReviewBasis
    ) async throws -> [String] {
        var known: [Int: Bool] = [basis.live.version.number: false]
        var outdated: [String] = []
        for vote in stored.request.votes where vote.verdict == .approve {
            let number = vote.liveVersion
            if known[number] == nil {
                known[number] = try await isTouched(
                    review, since: number, after: steps, of: stored.project, over: &basis)
            }
            if known[number] ?? true { outdated.append(vote.person) }
        }
        return outdated
    }

    private func isTouched(
        _ review: ChangeReview, since number: Int, after steps: [Int], of project: String,
        over basis: inout ReviewBasis
    ) async throws -> Bool {
        var earlier = try await template(version: number, of: project, from: &basis)
        for step in steps where step > number {
            var before = try await template(version: step - 1, of: project, from: &basis)
            if before == nil,
                // After a restore, numbers have a gap.
                let number = try await versions(
                    inProject: project, matching: VersionQuery(limit: 2, endVersion: step)
                ).versions.dropFirst().first?.number
            {
                before = try await template(version: number, of: project, from: &basis)
            }
            guard let seen = earlier, let before,
                !review.isTouched(byChangeFrom: seen, to: before)
            else { return true }
            earlier = try await template(version: step, of: project, from: &basis)
        }
        return earlier.map { review.isTouched(byChangeFrom: $0, to: basis.template) } ?? true
    }

    /// An earlier version, which is read once for all requests.
    private func template(
        version number: Int, of project: String, from basis: inout ReviewBasis
    ) async throws -> RemoteConfigTemplate? {
        if let known = basis.earlier[number] { return known }
        let stored = try await callStore("template", project: project) {
            () throws(TemplateStoreError) in
            try await store.template(version: number, inProject: project)
        }
        let template = try stored?.validated().template
        basis.earlier[number] = .some(template)
        basis.bytesRead += stored?.content.count ?? 0
        return template
    }
}

extension RemoteConfigTemplate {
    /// The template of a stored request, which was valid when it was stored.
    init(stored content: Data) throws {
        self = try ValidatedTemplate(jsonData: content, limits: .none).template
    }
}
