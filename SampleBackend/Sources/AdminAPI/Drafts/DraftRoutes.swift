import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import TemplateStore
import Templates

/// The routes of API 3 for an administrator's own draft in a project.
struct DraftRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/draft",
                [
                    .get: Endpoint(access: RoleAccess(.editor), handler: get),
                    .put: Endpoint(access: RoleAccess(.editor), handler: put),
                    .patch: Endpoint(
                        access: RoleAccess(.editor, query: ["validateOnly", "baseVersion"]),
                        handler: patch),
                    .delete: Endpoint(access: RoleAccess(.editor), handler: delete),
                ])
        ]
    }

    /// The draft; 204 without one, since pages poll for it.
    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        try ProjectName.check(request.project)
        guard let stored = try await administration.draft(at: request.draftPlace) else {
            return RouteResponse(status: .noContent, headerFields: [.cacheControl: "no-store"])
        }
        let condition = request.headerFields[.ifNoneMatch].map(EntityTagCondition.init)
        if condition?.matches(stored.tag) == true {
            return RouteResponse(
                status: .notModified,
                headerFields: [.eTag: stored.entityTag, .cacheControl: "no-store"])
        }
        return try await administration.edited(stored).answer(
            withTemplate: true, maximumBytes: administration.maximumAnswerBytes)
    }

    /// Stores a complete draft: `{"baseVersion": "12", "template": {…}}`.
    @Sendable
    private func put(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(knows: ["baseVersion", "template"])
        guard let baseVersion = body["baseVersion"]?.versionNumber else {
            throw RequestError.invalidArgument(
                "baseVersion is missing or not a version number: send the version on which the "
                    + "edit is based, such as \"5\", or \"0\" for one before the first publish.")
        }
        guard let template = body["template"], case .object = template else {
            throw RequestError.invalidArgument(
                "template is missing or not an object: send the edited template.")
        }
        return try await administration.saveDraft(
            template, baseVersion: baseVersion, at: request.draftPlace,
            expecting: try request.draftExpectation
        ).answer(withTemplate: false, maximumBytes: administration.maximumAnswerBytes)
    }

    /// Applies a JSON Patch to the draft, or only checks the result.
    @Sendable
    private func patch(_ request: RouteRequest) async throws -> RouteResponse {
        try Self.checkMediaType(request)
        let expectation = try request.draftExpectation
        let isCheck = try request.flag(named: "validateOnly")
        let baseVersion = try request.wholeNumber(
            named: "baseVersion", in: 0...Int.maximumDecimal)
        let patch = try Self.patch(in: request)
        try ProjectName.check(request.project)
        let draft = try await administration.draftToPatch(
            at: request.draftPlace, expecting: expectation, baseVersion: baseVersion)
        let json: JSONNode
        do {
            json = try patch.applied(to: draft.json)
        } catch {
            throw RequestError(error)
        }
        guard case .object = json else {
            throw RequestError.invalidArgument(
                "The patch turns the template into \(json.kindDescription): keep it an object.")
        }
        if isCheck {
            try await administration.checkIsNotArchived(request.project)
            return try Self.check(json)
        }
        return try await administration.saveDraft(
            json, baseVersion: draft.baseVersion, at: request.draftPlace,
            expecting: draft.tag.map { .tag($0) } ?? .absent
        ).answer(withTemplate: false, maximumBytes: administration.maximumAnswerBytes)
    }

    @Sendable
    private func delete(_ request: RouteRequest) async throws -> RouteResponse {
        let expectation = try StateExpectation(request.headerFields) ?? .any
        guard
            try await administration.removeDraft(at: request.draftPlace, expecting: expectation)
        else { throw Self.noDraft }
        return .json(.emptyObject)
    }

    /// The answer to a dry run: the warnings.
    ///
    /// - Throws: A ``RequestError`` with status 400 that lists every problem.
    private static func check(_ json: JSONNode) throws(RequestError) -> RouteResponse {
        let draft = TemplateDraft(json: json)
        guard draft.problems.isEmpty else {
            throw .invalidTemplate(TemplateValidationError(problems: draft.problems))
        }
        return .json(["warnings": .array(draft.warnings.map(\.json))])
    }

    private static func patch(in request: RouteRequest) throws(RequestError) -> JSONPatch {
        let json: JSONNode
        do {
            json = try JSONNode(jsonData: Data(buffer: request.body))
        } catch {
            throw .invalidArgument("The body is not valid JSON. \(error)")
        }
        do {
            return try JSONPatch(json: json)
        } catch {
            throw RequestError(error)
        }
    }

    private static let mediaType = "application/json-patch+json"

    private static func checkMediaType(_ request: RouteRequest) throws(RequestError) {
        let type = request.headerFields[.contentType]?.split(separator: ";").first ?? ""
        guard type.trimmingCharacters(in: .whitespaces).lowercased() == mediaType else {
            throw RequestError(
                httpStatus: .unsupportedMediaType, statusName: "UNSUPPORTED_MEDIA_TYPE",
                message: "Content-Type is missing or unsupported: send a JSON Patch (RFC 6902) as "
                    + "\(mediaType).",
                headerFields: HTTPField.Name("Accept-Patch").map { [$0: mediaType] } ?? [:])
        }
    }

    private static let noDraft = RequestError.notFound(
        "You have no draft in this project: start one with PUT or PATCH.")
}

extension RouteRequest {
    fileprivate var draftPlace: Administration.DraftPlace {
        Administration.DraftPlace(
            owner: (caller as? AdministratorCaller)?.id ?? "", project: project)
    }

    /// The state of the draft that the request expects.
    ///
    /// - Throws: A ``RequestError`` with status 400 when the request has no valid precondition.
    fileprivate var draftExpectation: StateExpectation {
        get throws(RequestError) {
            if let expectation = try StateExpectation(headerFields) {
                return expectation
            }
            throw .invalidArgument(
                "If-Match is missing or empty: send the ETag of the draft, or If-None-Match: * to "
                    + "start one.")
        }
    }
}

extension RequestError {
    fileprivate init(_ error: JSONPatchError) {
        switch error.code {
        case .notApplicable:
            self.init(httpStatus: .conflict, statusName: "CONFLICT", message: error.message)
        case .tooLarge:
            self.init(
                httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
                message: error.message)
        default: self = .invalidArgument(error.message)
        }
    }
}
