import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import Rendering
import TemplateStore
import Templates

extension Administration {
    /// A template to publish.
    struct Draft {
        /// The project's name.
        let project: String
        /// The template as it came, UTF-8 JSON.
        let body: Data
        /// The value of `If-Match`.
        let ifMatch: String?
        /// Who publishes.
        let user: TemplateVersion.User
        /// The way it comes in.
        let origin: TemplateVersion.Origin
    }

    /// A draft that passed every check.
    struct CheckedDraft {
        /// The template.
        let validated: ValidatedTemplate
        /// What is to be stored.
        let submission: TemplateSubmission
    }

    /// Checks a draft, all but whether its version is the current one.
    ///
    /// - Throws: A ``RequestError`` with status 400 that names everything that is wrong.
    func check(_ draft: Draft) throws(RequestError) -> CheckedDraft {
        try ProjectName.check(draft.project)
        guard let ifMatch = draft.ifMatch else { throw Self.missingIfMatch }
        let expectation = try self.expectation(ifMatch: ifMatch, project: draft.project)
        let validated: ValidatedTemplate
        do {
            validated = try ValidatedTemplate(jsonData: draft.body)
        } catch {
            throw .invalidTemplate(error)
        }
        return CheckedDraft(
            validated: validated,
            submission: TemplateSubmission(
                project: draft.project, content: validated.json.jsonData(),
                expectation: expectation, date: now(),
                user: draft.user, description: validated.template.version?.description,
                origin: draft.origin,
                updateType: expectation == .any ? .forcedUpdate : .incrementalUpdate))
    }

    /// Throws when a checked draft would be refused for its version.
    ///
    /// - Throws: A ``RequestError`` with status 412 when another version is current.
    func checkVersion(of draft: CheckedDraft) async throws(RequestError) {
        guard case .version(let expected) = draft.submission.expectation else { return }
        let project = draft.submission.project
        let current = try await callStore("template") { () throws(TemplateStoreError) in
            try await store.template(version: nil, inProject: project)?.version.number ?? 0
        }
        guard current == expected else {
            throw RequestError(
                TemplateStoreError(.versionMismatch, "", currentVersion: current), project: project)
        }
    }

    /// Publishes a checked draft; clients get it from now on.
    ///
    /// - Returns: What is stored.
    /// - Throws: A ``RequestError`` with status 412 when another version is current.
    func publish(_ draft: CheckedDraft) async throws(RequestError) -> StoredTemplate {
        let stored = try await callStore("publish", project: draft.submission.project) {
            () throws(TemplateStoreError) in
            try await store.publish(draft.submission)
        }
        library.apply(
            CompiledTemplate(draft.validated, version: stored.version), project: stored.project)
        return stored
    }

    /// Publishes an older version again; clients get it from now on.
    ///
    /// - Parameters:
    ///   - version: The version to go back to.
    ///   - project: The project's name.
    ///   - ifMatch: The value of `If-Match`; nil goes back from whatever is current, as Firebase
    ///     does.
    ///   - user: Who says so.
    /// - Returns: What is stored.
    /// - Throws: A ``RequestError`` with status 404 when the version is not kept, and 412 when
    ///   another version is current than `ifMatch` says.
    func rollBack(
        to version: Int, inProject project: String, ifMatch: String?, user: TemplateVersion.User
    ) async throws(RequestError) -> StoredTemplate {
        try await checkExists(project)
        let expectation: TemplateSubmission.Expectation =
            if let ifMatch {
                try self.expectation(ifMatch: ifMatch, project: project)
            } else {
                .any
            }
        let stored = try await callStore("rollback", project: project) {
            () throws(TemplateStoreError) in
            try await store.rollBack(
                to: version, inProject: project, expecting: expectation, user: user, date: now())
        }
        library.apply(stored)
        return stored
    }

    private static let missingIfMatch = RequestError.invalidArgument(
        "If-Match is missing or empty: send the ETag of the template that the change was made to, or "
            + "* to publish over whatever there is.")

    /// The version that a publisher means to replace.
    private func expectation(
        ifMatch: String, project: String
    ) throws(RequestError) -> TemplateSubmission.Expectation {
        guard !ifMatch.isEmpty else { throw Self.missingIfMatch }
        if ifMatch == "*" { return .any }
        // The tag of anything else is never the current one.
        return .version(TemplateTag(ifMatch, project: project)?.version ?? -1)
    }
}
