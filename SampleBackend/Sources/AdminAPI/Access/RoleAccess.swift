import ClientAPI
package import HTTPServing
import HTTPTypes
package import TemplateStore
import Templates

/// Allows calls by administrators with at least a given role (API 3), and rejects unknown query
/// parameters of calls that may change something.
package struct RoleAccess: EndpointAccess {
    /// A role that is sufficient for every request to the endpoint.
    package let sufficientRole: StoredToken.Role

    private let neededRole: @Sendable (RouteRequest) -> StoredToken.Role

    /// Names of the query parameters that the endpoint reads; only needed for writing methods.
    package let query: [String]

    /// False for an endpoint that concerns the whole server, which a token for some projects only
    /// may not call; endpoints with a project in their path are not affected.
    private let admitsLimitedTokens: Bool

    package init(
        _ role: StoredToken.Role, query: [String] = [], admitsLimitedTokens: Bool = false
    ) {
        self.init(upTo: role, query: query, admitsLimitedTokens: admitsLimitedTokens) { _ in role }
    }

    /// Determines the role per request; `sufficientRole` is at least as high.
    init(
        upTo sufficientRole: StoredToken.Role, query: [String] = [],
        admitsLimitedTokens: Bool = false,
        neededRole: @escaping @Sendable (RouteRequest) -> StoredToken.Role
    ) {
        self.sufficientRole = sufficientRole
        self.query = query
        self.admitsLimitedTokens = admitsLimitedTokens
        self.neededRole = neededRole
    }

    package func check(_ request: RouteRequest) throws(RequestError) {
        guard let caller = request.caller as? AdministratorCaller else {
            throw .unauthenticated(
                "A valid token is required: send it as Authorization: Bearer.")
        }
        try caller.session?.checkProof(of: request)
        let neededRole = neededRole(request)
        let role = try role(of: caller.administrator, for: request)
        guard role >= neededRole else {
            throw .permissionDenied(
                "The role of this token, \(role.rawValue), does not allow "
                    + "this: use a token with the role \(neededRole.rawValue).")
        }
        // A misspelled `validateOnly` must not publish.
        if ![.get, .head].contains(request.method) { try request.checkQuery(knows: query) }
    }

    /// The role for a request: in its project, if it has one.
    ///
    /// - Throws: A ``RequestError`` with status 404 when the token does not include the project,
    ///   and 403 when it is limited to projects and the endpoint concerns the whole server.
    private func role(
        of administrator: Administrator, for request: RouteRequest
    ) throws(RequestError) -> StoredToken.Role {
        guard let projects = administrator.projects else { return administrator.role }
        if request.parameters["project"] != nil {
            guard let role = projects[request.project] else {
                throw .unknownProject(request.project)
            }
            return role
        }
        guard admitsLimitedTokens else {
            throw .permissionDenied(
                "This token is limited to some projects, and this concerns the whole server: use "
                    + "a token without \"projects\".")
        }
        // Evaluators of all their projects read nothing else, whatever their role for the server.
        return administrator.isEvaluator ? .evaluator : administrator.role
    }
}

extension RouteRequest {
    /// The caller on an administrator route.
    var administrator: Administrator? { (caller as? AdministratorCaller)?.administrator }

    /// The caller, as the publisher of a version.
    var user: TemplateVersion.User { TemplateVersion.User(name: administrator?.name) }

    /// The channel to record as the origin of a version.
    var origin: TemplateVersion.Origin {
        (caller as? AdministratorCaller)?.session == nil ? .restAPI : .console
    }
}
