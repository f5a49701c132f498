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
        // Clients that do not know `archived` must not take the project out of the archive; the
        // protection and the intended differences are resources of their own.
        return try await change(request) { current in
            ProjectDetails(
                isArchived: current.isArchived, protection: current.protection,
                intendedDifferences: current.intendedDifferences)
        }
    }

    /// Changes the details in the body only; null unsets one.
    @Sendable
    private func patch(_ request: RouteRequest) async throws -> RouteResponse {
        try await change(request) { $0 }
    }

    /// Merges the body into details that are derived from the current ones.
    private func change(
        _ request: RouteRequest, from base: (ProjectDetails) -> ProjectDetails
    ) async throws(RequestError) -> RouteResponse {
        let body = try request.jsonBody(knows: ["displayName", "color", "environment", "archived"])
        var replacement = ProjectDetails()
        // Checked first, whatever the current details are.
        try replacement.merge(body)
        let stored = try await administration.changeDetails(by: request, tag: \.tag) {
            current throws(RequestError) in
            var details = base(current)
            try details.merge(body)
            return details
        }
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

    /// Maximum number of attempts to change details in any state while others change them.
    private static let detailsAttempts = 16

    /// Replaces the details of a project, which include its protection.
    ///
    /// - Parameters:
    ///   - request: The request, whose `If-Match` names the state to replace; `*`, or none, any.
    ///   - tag: The entity tag of a state, without quotation marks.
    ///   - detail: Additional text for the audit trail.
    ///   - change: Makes the new details of the current ones.
    /// - Returns: The stored details.
    /// - Throws: A ``RequestError`` with status 412 for another state.
    func changeDetails(
        by request: RouteRequest, tag: (StoredProjectDetails) -> String,
        auditing detail: String? = nil,
        _ change: (ProjectDetails) throws(RequestError) -> ProjectDetails
    ) async throws(RequestError) -> StoredProjectDetails {
        let project = request.project
        let ifMatch = request.headerFields[.ifMatch] ?? "*"
        for attempt in 1... {
            let current = try await projectDetails(project)
            guard ifMatch == "*" || EntityTagCondition(ifMatch).matches(tag(current)) else { break }
            let replacement = ProjectDetailsChange(
                project: project, details: try change(current.details),
                // Must not revert what another one set after the read above.
                expectedRevision: current.revision, detail: detail, date: now(),
                actor: request.administrator?.name ?? "")
            do {
                let stored = try await callStore("set_project_details", project: project) {
                    () throws(TemplateStoreError) in
                    try await store.setProjectDetails(replacement)
                }
                library.apply(stored, project: project)
                return stored
            } catch
                where error.httpStatus == .preconditionFailed && ifMatch == "*"
                && attempt < Self.detailsAttempts
            {
                // Another change came between the read and the write.
            }
        }
        throw .projectDetailsMismatch
    }
}

extension StoredProjectDetails {
    /// The entity tag, without quotation marks.
    fileprivate var tag: String { "details-\(revision)" }

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
