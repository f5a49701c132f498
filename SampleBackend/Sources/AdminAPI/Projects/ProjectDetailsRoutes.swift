import ClientAPI
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore

/// The routes of API 3 for the details of a project that administrators see: display name, color,
/// environment, and whether it is archived.
struct ProjectDetailsRoutes: Sendable {
    let administration: Administration

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/details",
                [
                    .get: Endpoint(access: RoleAccess(.viewer), handler: get),
                    .put: Endpoint(access: RoleAccess(.publisher), handler: put),
                    .patch: Endpoint(access: RoleAccess(.publisher), handler: patch),
                ])
        ]
    }

    @Sendable
    private func get(_ request: RouteRequest) async throws -> RouteResponse {
        Self.answer(try await administration.projectDetails(request.project))
    }

    /// Replaces all details; members missing from the body become unset.
    @Sendable
    private func put(_ request: RouteRequest) async throws -> RouteResponse {
        guard let ifMatch = request.headerFields[.ifMatch], !ifMatch.isEmpty else {
            throw RequestError.invalidArgument(
                "If-Match is missing or empty: send the ETag of the details, or * to replace any.")
        }
        // Clients that do not know `archived` must not take the project out of the archive, and the
        // protection is a resource of its own.
        return try await change(request) {
            ProjectDetails(isArchived: $0.isArchived, protection: $0.protection)
        }
    }

    /// Changes the details in the body only; null unsets one.
    @Sendable
    private func patch(_ request: RouteRequest) async throws -> RouteResponse {
        try await change(request) { $0 }
    }

    /// Maximum number of attempts to replace any details while others change them.
    private static let attempts = 16

    /// Merges the body into details that are derived from the current ones.
    private func change(
        _ request: RouteRequest, from base: (ProjectDetails) -> ProjectDetails
    ) async throws(RequestError) -> RouteResponse {
        let replacesAny = request.method == .put && request.headerFields[.ifMatch] == "*"
        for _ in 1..<(replacesAny ? Self.attempts : 1) {
            do {
                return try await changeOnce(request, from: base)
            } catch  where error.httpStatus == .preconditionFailed {
                // Another change came between the read and the write.
            }
        }
        return try await changeOnce(request, from: base)
    }

    private func changeOnce(
        _ request: RouteRequest, from base: (ProjectDetails) -> ProjectDetails
    ) async throws(RequestError) -> RouteResponse {
        let body = try request.jsonBody(knows: ["displayName", "color", "environment", "archived"])
        var replacement = ProjectDetails()
        // Checked first, whatever the current details are.
        try replacement.merge(body)
        let current = try await administration.projectDetails(request.project)
        _ = try current.expectedRevision(by: request)
        var details = base(current.details)
        try details.merge(body)
        let change = ProjectDetailsChange(
            project: request.project, details: details,
            // Must not revert what another one set after the read above, such as the protection.
            expectedRevision: current.revision,
            date: administration.now(), actor: request.administrator?.name ?? "")
        let stored = try await administration.callStore(
            "set_project_details", project: request.project
        ) { () throws(TemplateStoreError) in
            try await administration.store.setProjectDetails(change)
        }
        administration.library.apply(stored, project: request.project)
        return Self.answer(stored)
    }

    private static func answer(_ stored: StoredProjectDetails) -> RouteResponse {
        var node = JSONNode.emptyObject
        node.setMembers(stored.details)
        return .json(
            node, headerFields: [.eTag: stored.entityTag, .cacheControl: "no-store"])
    }
}

extension Administration {
    func projectDetails(_ project: String) async throws(RequestError) -> StoredProjectDetails {
        let stored = try await callStore("project_details", project: project) {
            () throws(TemplateStoreError) in
            try await store.projectDetails(ofProject: project)
        }
        guard let stored else { throw .unknownProject(project) }
        return stored
    }
}

extension StoredProjectDetails {
    /// The entity tag, without quotation marks.
    private var tag: String { "details-\(revision)" }

    /// The value of `ETag`.
    var entityTag: String { "\"\(tag)\"" }

    /// The revision that a change may replace: this one, or any (nil) for `If-Match: *` and without
    /// `If-Match`.
    ///
    /// - Throws: A ``RequestError`` with status 412 when `If-Match` has another tag.
    func expectedRevision(by request: RouteRequest) throws(RequestError) -> StoreRevision? {
        guard let ifMatch = request.headerFields[.ifMatch], ifMatch != "*" else { return nil }
        guard EntityTagCondition(ifMatch).matches(tag) else { throw .projectDetailsMismatch }
        return revision
    }
}

extension ProjectDetails {
    /// Maximum length of a display name, in characters.
    private static let maximumNameLength = 64

    /// Sets the details in the body of a request; null unsets one, other details stay.
    ///
    /// - Throws: A ``RequestError`` with status 400 for an invalid one.
    mutating func merge(_ body: JSONNode) throws(RequestError) {
        if body["displayName"] != nil {
            displayName = try Self.text(named: "displayName", in: body)
            if let displayName {
                try ShownText.check(
                    displayName, named: "display name", maximumLength: Self.maximumNameLength)
            }
        }
        if body["color"] != nil {
            color = try Self.choice(Self.text(named: "color", in: body), named: "color")
        }
        if body["environment"] != nil {
            environment = try Self.choice(
                Self.text(named: "environment", in: body)?.uppercased(), named: "environment")
        }
        switch body["archived"] {
        case nil: break
        case .null: isArchived = false
        case .bool(let flag): isArchived = flag
        case let other?:
            throw .invalidArgument(
                "archived is \(other.kindDescription): send true or false.")
        }
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

    /// One of a few words; nil without a text.
    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String?, named name: String
    ) throws(RequestError) -> Choice? {
        guard let text else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalidArgument(
            "\(name) is \"\(text.shortened)\": send one of \(words), or null.")
    }
}

extension JSONNode {
    /// Sets `displayName`, `color` and `environment` except unset ones, and `archived` if true.
    mutating func setMembers(_ details: ProjectDetails) {
        setMember("displayName", details.displayName.map { .string($0) })
        setMember("color", details.color.map { .string($0.rawValue) })
        setMember("environment", details.environment.map { .string($0.rawValue) })
        setMember("archived", details.isArchived ? .bool(true) : nil)
    }
}
