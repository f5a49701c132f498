import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// The routes of API 3 for the details of a project that administrators see: display name, color
/// and environment.
struct ProjectDetailsRoutes: Sendable {
    /// Maximum length of a display name, in characters.
    private static let maximumNameLength = 64

    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/details",
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: get),
                    .put: Endpoint(access: RoleAccess(.publisher), handler: put),
                ])
        ]
    }

    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        Self.answer(try await stored(request.project))
    }

    /// Replaces all details; members missing from the body become unset.
    @Sendable
    private func put(_ request: RouteRequest) async throws -> RouteResponse {
        guard let ifMatch = request.headerFields[.ifMatch], !ifMatch.isEmpty else {
            throw RequestError.invalidArgument(
                "If-Match is missing or empty: send the ETag of the details, or * to replace any.")
        }
        let details = try Self.details(
            in: try request.jsonBody(knows: ["displayName", "color", "environment"]))
        let current = try await stored(request.project)
        guard EntityTagCondition(ifMatch).matches(current.tag) else {
            throw RequestError.projectDetailsMismatch
        }
        let change = ProjectDetailsChange(
            project: request.project, details: details,
            expectedRevision: ifMatch == "*" ? nil : current.revision, date: administration.now(),
            actor: request.administrator?.name ?? "")
        let stored = try await administration.callStore(
            "set_project_details", project: request.project
        ) { () throws(TemplateStoreError) in
            try await administration.store.setProjectDetails(change)
        }
        administration.library.apply(stored, project: request.project)
        return Self.answer(stored)
    }

    private func stored(_ project: String) async throws(RequestError) -> StoredProjectDetails {
        let stored = try await administration.callStore("project_details", project: project) {
            () throws(TemplateStoreError) in
            try await administration.store.projectDetails(ofProject: project)
        }
        guard let stored else { throw .unknownProject(project) }
        return stored
    }

    private static func answer(_ stored: StoredProjectDetails) -> RouteResponse {
        var node = JSONNode.emptyObject
        node.setMembers(stored.details)
        return .json(
            node, headerFields: [.eTag: "\"\(stored.tag)\"", .cacheControl: "no-store"])
    }

    private static func details(in body: JSONNode) throws(RequestError) -> ProjectDetails {
        let displayName = try text(named: "displayName", in: body)
        if let displayName {
            try ShownText.check(
                displayName, named: "displayName", maximumLength: maximumNameLength)
        }
        return ProjectDetails(
            displayName: displayName, color: try choice(named: "color", in: body),
            environment: try choice(named: "environment", in: body))
    }

    /// A member that is a string; nil when it is missing or null.
    private static func text(
        named name: String, in body: JSONNode
    ) throws(RequestError) -> String? {
        switch body[name] ?? .null {
        case .null: return nil
        case .string(let text): return text
        case let other:
            throw .invalidArgument("\(name) is \(other.kindDescription): send a string or null.")
        }
    }

    /// A member that is one of a few words; nil when it is missing or null.
    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        named name: String, in body: JSONNode
    ) throws(RequestError) -> Choice? {
        guard let text = try text(named: name, in: body) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalidArgument(
            "\(name) is \"\(text.shortened)\": send one of \(words), or null.")
    }
}

extension StoredProjectDetails {
    /// The entity tag, without quotation marks.
    fileprivate var tag: String { "details-\(revision)" }
}

extension JSONNode {
    /// Sets `displayName`, `color` and `environment`, except unset ones.
    mutating func setMembers(_ details: ProjectDetails) {
        setMember("displayName", details.displayName.map { .string($0) })
        setMember("color", details.color.map { .string($0.rawValue) })
        setMember("environment", details.environment.map { .string($0.rawValue) })
    }
}
