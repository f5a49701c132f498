import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import TemplateStore
import Templates

/// The routes of API 3 that list, create and delete projects.
struct ProjectRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects",
                [
                    // From memory, so it does not queue behind requests that await the store.
                    .get: Endpoint(
                        access: RoleAccess(.viewer, admitsLimitedTokens: true), pool: .unlimited,
                        handler: list),
                    .post: Endpoint(access: RoleAccess(.publisher), handler: create),
                ]),
            Route(
                "/v1/projects/{project}",
                [
                    .delete: Endpoint(
                        access: RoleAccess(.publisher, query: ["confirm"]), handler: delete)
                ]),
        ]
    }

    /// The projects that the token includes, sorted by name, with their details and current
    /// versions.
    @Sendable
    private func list(_ request: RouteRequest) async throws -> RouteResponse {
        let versions = administration.library.versions
            .filter { request.administrator?.includes($0.key) ?? true }
            .sorted { $0.key < $1.key }
        return .json([
            "projects": .array(
                versions.map { name, version in
                    Self.json(
                        name, version, administration.library.projectDetails(ofProject: name))
                })
        ])
    }

    /// Creates an empty project: `{"project": "shop", "displayName": "Shop"}`.
    @Sendable
    private func create(_ request: RouteRequest) async throws -> RouteResponse {
        let body = try request.jsonBody(
            knows: ["project", "displayName", "color", "environment"])
        guard let name = body["project"]?.stringValue else {
            throw RequestError.invalidArgument(
                "project is missing or not a string: send the name of the new project.")
        }
        try ProjectName.check(name)
        var details = ProjectDetails()
        try details.merge(body)
        let creation = ProjectCreation(
            project: name, details: details, date: administration.now(),
            actor: request.administrator?.name ?? "")
        let template = try await administration.callStore("create_project", project: name) {
            () throws(TemplateStoreError) in
            try await administration.store.createProject(creation)
        }
        administration.library.apply(created: template, details: details)
        let tag = StoredProjectDetails(details, revision: template.revision).entityTag
        return .json(
            ByteBuffer(bytes: Self.json(name, template.version, details).jsonData()),
            status: .created, headerFields: [.eTag: tag, .cacheControl: "no-store"])
    }

    /// Deletes an archived project with all of its content; `confirm` must repeat its name.
    @Sendable
    private func delete(_ request: RouteRequest) async throws -> RouteResponse {
        let name = request.project
        guard try request.queryValue(named: "confirm")?.hasSameBytes(as: name) == true else {
            throw RequestError.invalidArgument(
                "confirm is missing or another name: send ?confirm=\(name) to delete the project "
                    + "with all of its versions, drafts and pinned values.")
        }
        let current = try await administration.callStore("project_details", project: name) {
            () throws(TemplateStoreError) in
            try await administration.store.projectDetails(ofProject: name)
        }
        var expectedRevision = try current?.expectedRevision(by: request)
        if let current, request.administrator?.mayBypass != true {
            // Whoever creates the project anew publishes in it without approvals.
            guard current.details.protection == nil else {
                throw RequestError.permissionDenied(
                    "The project is protected, and this token may not bypass approvals, so it "
                        + "cannot delete it: use a token that may.")
            }
            expectedRevision = current.revision
        }
        // Without the project the store completes an interrupted deletion, or answers 404.
        let deletion = ProjectDeletion(
            project: name, expectedRevision: expectedRevision,
            date: administration.now(), actor: request.administrator?.name ?? "")
        let version = try await administration.callStore("delete_project", project: name) {
            () throws(TemplateStoreError) in
            try await administration.store.deleteProject(deletion)
        }
        administration.library.remove(project: name, upTo: version)
        return .json(.emptyObject)
    }

    private static func json(
        _ name: String, _ version: TemplateVersion, _ details: ProjectDetails
    ) -> JSONNode {
        var node: JSONNode = [
            "name": .string(name),
            "versionNumber": .string("\(version.number)"),
            "updateTime": .string(version.updateTime.timestamp),
        ]
        node.setMember("unpublished", version.isPublished ? nil : .bool(true))
        node.setMembers(details)
        return node
    }
}

/// Checks the names of new projects.
enum ProjectName: Sendable {
    /// In characters.
    private static let maximumLength = 100

    /// Checks that a decoded name consists of letters, digits, `-`, `_` and `.`.
    ///
    /// - Throws: A ``RequestError`` with status 400.
    static func check(_ name: String) throws(RequestError) {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isPlain, (1...maximumLength).contains(name.utf8.count), name != ".", name != ".."
        else {
            throw .invalidArgument(
                "A project's name has 1 to \(maximumLength) letters, digits, \"-\", \"_\" and "
                    + "\".\": choose another name.")
        }
    }
}
