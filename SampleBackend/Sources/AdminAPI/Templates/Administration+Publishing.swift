import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
package import JSONTree
import Rendering
import TemplateStore
import Templates

extension Administration {
    struct TemplateRequest {
        let project: String
        /// The template as received, UTF-8 JSON.
        let body: Data
        let ifMatch: String?
        /// The publisher.
        let user: TemplateVersion.User
        /// The channel to record as the version's origin.
        let origin: TemplateVersion.Origin
        /// The grounds for a publish in a protected project.
        var approval = PublishApproval.none
    }

    /// A template that passed every check except that of its version.
    struct CheckedTemplate {
        let validated: ValidatedTemplate
        var submission: TemplateSubmission
    }

    /// Checks a template, except whether its version is current.
    ///
    /// - Throws: A ``RequestError`` with status 400 that lists every problem.
    func check(_ request: TemplateRequest) throws(RequestError) -> CheckedTemplate {
        try ProjectName.check(request.project)
        guard let ifMatch = request.ifMatch else { throw Self.missingIfMatch }
        let expectation = try self.expectation(ifMatch: ifMatch, project: request.project)
        let validated: ValidatedTemplate
        do {
            validated = try ValidatedTemplate(jsonData: request.body)
        } catch {
            throw .invalidTemplate(error)
        }
        return CheckedTemplate(
            validated: validated,
            submission: TemplateSubmission(
                project: request.project, content: validated.json.jsonData(),
                expectation: expectation, date: now(),
                user: request.user, description: validated.template.version?.description,
                origin: request.origin,
                updateType: expectation == .any ? .forcedUpdate : .incrementalUpdate,
                approval: request.approval))
    }

    /// Checks that the template would be stored.
    ///
    /// - Throws: A ``RequestError`` as ``publish(_:)`` would.
    func checkPublish(of template: CheckedTemplate) async throws(RequestError) {
        try checkSize(of: template.submission.content)
        let project = template.submission.project
        try await checkIsNotArchived(project)
        guard case .version(let expected) = template.submission.expectation else { return }
        let current = try await callStore("template") { () throws(TemplateStoreError) in
            try await store.template(version: nil, inProject: project)?.version.number ?? 0
        }
        guard current == expected else {
            throw RequestError(
                TemplateStoreError(.versionMismatch, "", currentVersion: current), project: project)
        }
    }

    /// - Throws: A ``RequestError`` with status 403 for an archived project, which cannot be changed.
    func checkIsNotArchived(_ project: String) async throws(RequestError) {
        let stored = try await callStore("project_details", project: project) {
            () throws(TemplateStoreError) in
            try await store.projectDetails(ofProject: project)
        }
        guard stored?.details.isArchived != true else {
            throw RequestError(.projectArchived(project), project: project)
        }
    }

    /// Publishes a checked template; clients receive it immediately.
    ///
    /// - Returns: The stored template.
    /// - Throws: A ``RequestError`` with status 412 when another version is current, 403 when the
    ///   project is protected and approvals are missing, 400 when the template is too large to be
    ///   read again, and 413 when the response with it would be.
    func publish(_ template: CheckedTemplate) async throws(RequestError) -> StoredTemplate {
        try checkSize(of: template.submission.content)
        let project = template.submission.project
        library.prepare(template.validated, content: template.submission.content, project: project)
        defer { library.forgetPrepared(project: project) }
        let stored = try await callStore("publish", project: project) {
            () throws(TemplateStoreError) in
            try await store.publish(template.submission)
        }
        await library.applyPublished(stored)
        return stored
    }

    /// Publishes an older version again; clients receive it immediately.
    ///
    /// Without `ifMatch` it replaces any current version, as in Firebase.
    ///
    /// - Returns: The stored template.
    /// - Throws: A ``RequestError`` with status 404 when the version is no longer stored, 412 when
    ///   `ifMatch` is not the tag of the current version, and 413 when the response with the
    ///   template would be too large.
    func rollBack(
        to version: Int, inProject project: String, ifMatch: String?, user: TemplateVersion.User,
        description: String?, origin: TemplateVersion.Origin, approval: PublishApproval
    ) async throws(RequestError) -> StoredTemplate {
        try await checkExists(project)
        let expectation: TemplateSubmission.Expectation =
            if let ifMatch {
                try self.expectation(ifMatch: ifMatch, project: project)
            } else {
                .any
            }
        let earlier = try await callStore("template", project: project) {
            () throws(TemplateStoreError) in
            try await store.template(version: version, inProject: project)
        }
        if let earlier { try checkSize(of: earlier.content) }
        let stored = try await callStore("rollback", project: project) {
            () throws(TemplateStoreError) in
            try await store.rollBack(
                to: version, inProject: project, expecting: expectation, user: user,
                description: description, date: now(), origin: origin, approval: approval)
        }
        await library.applyPublished(stored)
        return stored
    }

    /// Bytes reserved for the version and its description, which the response adds to the template.
    private static let versionBytes = 16_384

    /// Checks, before a template is stored, that it can be read again and the response be sent.
    ///
    /// - Throws: A ``RequestError`` with status 400 or 413.
    private func checkSize(of content: Data) throws(RequestError) {
        do {
            try ValidatedTemplate.checkSize(content.count)
        } catch {
            throw .invalidTemplate(error)
        }
        guard content.count <= maximumAnswerBytes - Self.versionBytes else {
            throw RequestError(
                httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
                message: "The template is too large for a response of this server, so nothing was "
                    + "stored: start the server with a larger --client-backlog-megabytes.")
        }
    }

    private static let missingIfMatch = RequestError.invalidArgument(
        "If-Match is missing or empty: send the ETag of the template to replace, or * to replace "
            + "any version.")

    /// The version that the publisher expects to replace.
    func expectation(
        ifMatch: String, project: String
    ) throws(RequestError) -> TemplateSubmission.Expectation {
        guard !ifMatch.isEmpty else { throw Self.missingIfMatch }
        if ifMatch == "*" { return .any }
        // A malformed tag never matches, since no version has the number -1.
        return .version(TemplateTag(ifMatch, project: project)?.version ?? -1)
    }
}

extension RequestError {
    /// 400: the template cannot be published; `details` lists every problem.
    static func invalidTemplate(_ error: TemplateValidationError) -> RequestError {
        invalid(error, "the template", refusal: "cannot be published")
    }

    /// 400: the file cannot be imported; `details` lists every problem.
    static func invalidFile(_ error: TemplateValidationError) -> RequestError {
        invalid(error, "the file", refusal: "cannot be imported")
    }

    /// 400: the values of a user cannot be pinned; `details` lists every problem.
    static func invalidPins(_ error: TemplateValidationError) -> RequestError {
        invalid(error, "the pinned values", refusal: "cannot be stored")
    }

    private static func invalid(
        _ error: TemplateValidationError, _ content: String, refusal: String
    ) -> RequestError {
        let count = error.problems.count
        let first = error.problems.first?.description(in: content) ?? ""
        let subject = content.prefix(1).uppercased() + content.dropFirst()
        let problems = count > 1 ? ": \(count) problems, listed in details. The first:" : "."
        var result = RequestError(
            httpStatus: .badRequest, statusName: "VALIDATION_ERROR",
            message: "\(subject) \(refusal)\(problems) \(first)")
        result.details = error.problems.map(\.json)
        return result
    }
}

extension TemplateProblem {
    /// The problem in the `details` of an error.
    package var json: JSONNode {
        var node: JSONNode = ["path": .string(path), "message": .string(message)]
        node.setMember("column", column.map { .number("\($0)") })
        return node
    }
}
