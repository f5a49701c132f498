import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import Rendering
import TemplateStore
import Templates

/// The routes of API 3 for the template and its versions.
struct TemplateRoutes: Sendable {
    let administration: Administration

    private static let path = "/v1/projects/{project}/remoteConfig"

    var routes: [Route] {
        [
            Route(
                Self.path,
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: get),
                    .put: Endpoint(
                        access: RoleAccess(
                            upTo: .publisher, query: ["validateOnly", "bypass"],
                            neededRole: Self.roleToPut),
                        handler: put),
                ]),
            .get(Self.path + ":listVersions", access: RoleAccess(.viewer), handler: list),
            Route(
                Self.path + ":rollback",
                [
                    .post: Endpoint(
                        access: RoleAccess(.publisher, query: ["versionNumber", "bypass"]),
                        handler: rollBack)
                ]),
            Route(
                Self.path + ":undo",
                [
                    .post: Endpoint(
                        access: RoleAccess(
                            upTo: .publisher, query: ["validateOnly", "bypass"],
                            neededRole: Self.roleToPut),
                        handler: undo)
                ]),
            .get(
                Self.path + ":downloadDefaults", access: RoleAccess(.viewer), handler: defaults),
            .get(Self.path + ":diff", access: RoleAccess(.viewer), handler: diff),
        ]
    }

    /// The role required to publish or validate a template.
    ///
    /// Validating does not require the publisher role; a malformed flag does.
    private static func roleToPut(_ request: RouteRequest) -> StoredToken.Role {
        (try? request.flag(named: "validateOnly")) == true ? .editor : .publisher
    }

    /// Returns the current template or a given version.
    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        let version = try request.wholeNumber(named: "versionNumber", in: 0...Int.maximumDecimal)
        return answer(
            try await administration.template(version: version, inProject: request.project))
    }

    /// Publishes a template, or only validates it.
    @Sendable
    private func put(_ request: RouteRequest) async throws -> RouteResponse {
        var checked = try administration.check(
            .init(
                project: request.project, body: Data(buffer: request.body),
                ifMatch: request.headerFields[.ifMatch], user: request.user,
                origin: request.origin, approval: try request.approval))
        var response: RouteResponse
        let isValidation = try request.flag(named: "validateOnly")
        if isValidation { try await administration.checkPublish(of: checked) }
        let warnings = await administration.warningsAboutRequests(
            publishing: checked.validated.template, inProject: request.project)
        if isValidation {
            response = .json(
                ByteBuffer(bytes: checked.submission.content),
                headerFields: Self.headerFields(version: 0, project: request.project))
        } else {
            // Comparing the open requests took time.
            checked.submission.date = administration.now()
            response = answer(try await administration.publish(checked))
        }
        // The console's review already shows the doubts next to their conditions.
        response.headerFields.append(
            warningsAbout: checked.validated, includingDoubts: request.origin != .console,
            after: warnings)
        return response
    }

    /// Lists the versions, newest first.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let pageToken = try request.wholeNumber(named: "pageToken", in: 1...Int.maximumDecimal)
        let endVersion = try request.wholeNumber(
            named: "endVersionNumber", in: 1...Int.maximumDecimal)
        let query = VersionQuery(
            limit: try request.wholeNumber(named: "pageSize", in: 1...300) ?? 300,
            endVersion: [pageToken, endVersion].compactMap { $0 }.min(),
            startTime: try request.date(named: "startTime"),
            endTime: try request.date(named: "endTime"))
        let page = try await administration.versions(
            inProject: request.project, matching: query)
        var body: JSONNode = ["versions": .array(page.versions.map(\.json))]
        body.setMember("nextPageToken", page.nextVersion.map { .string("\($0)") })
        return .json(body)
    }

    /// Publishes an older version again; with `If-Match`, only if the version with that tag is
    /// current.
    @Sendable
    private func rollBack(_ request: RouteRequest) async throws -> RouteResponse {
        let version = try request.givenVersion
        let (description, approval) = (try request.givenDescription, try request.approval)
        let warnings = await administration.warningsAboutRequests(
            publishingAgain: version, inProject: request.project)
        return answer(
            try await administration.rollBack(
                to: version, inProject: request.project,
                ifMatch: request.headerFields[.ifMatch], user: request.user,
                description: description, origin: request.origin, approval: approval),
            warnings: warnings)
    }

    /// Publishes the current version without the changes of an earlier one, or only validates it.
    @Sendable
    private func undo(_ request: RouteRequest) async throws -> RouteResponse {
        let undo = Administration.UndoRequest(
            project: request.project, version: try request.givenVersion,
            ifMatch: request.headerFields[.ifMatch], user: request.user,
            description: try request.givenDescription, origin: request.origin,
            approval: try request.approval)
        guard try request.flag(named: "validateOnly") else {
            let (stored, warnings) = try await administration.undo(undo)
            return answer(stored, warnings: warnings)
        }
        let checked = try await administration.checkedUndo(undo)
        try await administration.checkPublish(of: checked)
        var fields = Self.headerFields(version: 0, project: request.project)
        fields.append(
            warnings: await administration.warningsAboutRequests(
                publishing: checked.validated.template, inProject: request.project))
        return .json(ByteBuffer(bytes: checked.submission.content), headerFields: fields)
    }

    /// Returns the default values in a file format that apps bundle.
    @Sendable
    private func defaults(_ request: RouteRequest) async throws -> RouteResponse {
        let format = try request.queryValue(named: "format")?.uppercased() ?? "JSON"
        let stored = try await administration.template(inProject: request.project)
        let validated = try ValidatedTemplate(jsonData: stored.content, limits: .none)
        let fields = Self.headerFields(version: stored.version.number, project: request.project)
        if format == "ACTIVECONFIG" {
            let compiled = CompiledTemplate(validated, version: stored.version)
            return .json(compiled.bootstrapBytes(), headerFields: fields)
        }
        guard let fileFormat = DefaultsFile.Format(rawValue: format) else {
            throw RequestError.invalidArgument(
                "The format \"\(format.shortened)\" does not exist: choose JSON, XML, PLIST or "
                    + "ACTIVECONFIG.")
        }
        let file = DefaultsFile(validated.template, format: fileFormat)
        var headerFields = fields
        headerFields[.contentType] = fileFormat == .json ? "application/json" : "application/xml"
        headerFields.append(warnings: file.warnings)
        return RouteResponse(
            status: .ok, headerFields: headerFields, body: ByteBuffer(bytes: file.data))
    }

    /// Returns the differences between two versions.
    @Sendable
    private func diff(_ request: RouteRequest) async throws -> RouteResponse {
        guard let from = try request.wholeNumber(named: "from", in: 0...Int.maximumDecimal) else {
            throw RequestError.invalidArgument("from is missing: send the number of a version.")
        }
        let to = try request.wholeNumber(named: "to", in: 1...Int.maximumDecimal)
        // Version 0 is the state before the first publish.
        let old =
            from == 0
            ? nil : try await administration.template(version: from, inProject: request.project)
        let new = try await administration.template(version: to, inProject: request.project)
        let diff = TemplateDiff(
            from: try old.map {
                try ValidatedTemplate(jsonData: $0.content, limits: .none).template
            } ?? RemoteConfigTemplate(),
            to: try ValidatedTemplate(jsonData: new.content, limits: .none).template)
        var body = diff.json
        body.setMember("from", .string("\(from)"))
        body.setMember("to", .string("\(new.version.number)"))
        return .json(body)
    }
}

extension TemplateRoutes {
    /// A stored template with its version and tag.
    private func answer(_ stored: StoredTemplate, warnings: [String] = []) -> RouteResponse {
        var fields = Self.headerFields(version: stored.version.number, project: stored.project)
        fields.append(warnings: warnings)
        return .json(ByteBuffer(bytes: stored.contentWithVersion), headerFields: fields)
    }

    private static func headerFields(version: Int, project: String) -> HTTPFields {
        [
            .eTag: TemplateTag(project: project, version: version).entityTag,
            .cacheControl: "no-store",
        ]
    }
}

extension StoredTemplate {
    /// The template for responses: the published JSON with `version` as its last member.
    var contentWithVersion: Data {
        var result = content
        // The content is a compact JSON object, so its last byte is the closing brace.
        result.removeLast()
        result.append(contentsOf: result.count > 1 ? ",\"version\":".utf8 : "\"version\":".utf8)
        result.append(version.json.jsonData())
        result.append(UInt8(ascii: "}"))
        return result
    }
}

extension RouteRequest {
    /// The version that a rollback publishes again, or whose changes an undo takes back.
    ///
    /// It is in the body, or for a rollback in the query as the Firebase command line sends it, with
    /// its name in camel or snake case.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is missing or ambiguous.
    fileprivate var givenVersion: Int {
        get throws(RequestError) {
            let name = "versionNumber"
            let inQuery = try wholeNumber(named: name, in: 1...Int.maximumDecimal)
            var versions = Set([inQuery].compactMap { $0 })
            if body.readableBytes > 0 {
                let body = try jsonBody(knows: name.caseForms + ["description"])
                for (key, node) in body.objectValue ?? [:] where key != "description" {
                    versions.insert(node.versionNumber ?? 0)
                }
            }
            guard let version = versions.first, versions.count == 1, version > 0 else {
                throw .invalidArgument(
                    "versionNumber is missing, not a version number, or given twice: send "
                        + "{\"versionNumber\": \"3\"}.")
            }
            return version
        }
    }
}

extension RouteRequest {
    /// The description that a rollback or an undo gives the new version, usually its reason.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is not a string, or too long.
    fileprivate var givenDescription: String? {
        get throws(RequestError) {
            guard body.readableBytes > 0, let node = try jsonBody()["description"], node != .null
            else { return nil }
            let limit = TemplateLimits.default.maximumVersionDescriptionLength
            guard let text = node.stringValue else {
                throw .invalidArgument("description is not a string: send a text, or leave it out.")
            }
            guard !text.isLonger(than: limit) else {
                throw .invalidArgument(
                    "description is too long: send at most \(limit) characters.")
            }
            return text.isEmpty ? nil : text
        }
    }
}

extension JSONNode {
    /// A version number from a string or a number; nil for anything else.
    var versionNumber: Int? {
        switch self {
        case .string(let text): return Int(decimal: text)
        case .number(let text):
            // JSON Schema treats 3.0 as an integer, and some clients write it for 3.
            let number = Int(decimal: text) ?? Double(text).flatMap { Int(exactly: $0) }
            return number.flatMap { (0...Int.maximumDecimal).contains($0) ? $0 : nil }
        default: return nil
        }
    }
}
