package import HTTPServing
import HTTPTypes
package import TemplateStore
import Templates

/// Allows a call to administrators with at least a given role (API 3), and a call that may change
/// something only with query parameters that the endpoint reads.
package struct RoleAccess: EndpointAccess {
    /// The role that is sufficient for every request to the endpoint.
    package let sufficientRole: StoredToken.Role

    private let neededRole: @Sendable (RouteRequest) -> StoredToken.Role

    /// Names of the query parameters that the endpoint reads; only writing methods name them.
    private let query: [String]

    package init(_ role: StoredToken.Role, query: [String] = []) {
        self.init(upTo: role, query: query) { _ in role }
    }

    /// Determines the role for each request; `sufficientRole` is at least as high.
    init(
        upTo sufficientRole: StoredToken.Role, query: [String] = [],
        neededRole: @escaping @Sendable (RouteRequest) -> StoredToken.Role
    ) {
        self.sufficientRole = sufficientRole
        self.query = query
        self.neededRole = neededRole
    }

    package func check(_ request: RouteRequest) throws(RequestError) {
        guard let caller = request.caller as? AdministratorCaller else {
            throw .unauthenticated(
                "A valid token of an administrator is needed: send it as Authorization: Bearer.")
        }
        try caller.session?.checkProof(of: request)
        let neededRole = neededRole(request)
        guard caller.administrator.role >= neededRole else {
            throw .permissionDenied(
                "The role of this token, \(caller.administrator.role.rawValue), does not allow "
                    + "that: use one with the role \(neededRole.rawValue).")
        }
        // A misspelt dry run must not publish.
        if ![.get, .head].contains(request.method) { try request.checkQuery(knows: query) }
    }
}

extension RouteRequest {
    /// The caller on an administrator route.
    var administrator: Administrator? { (caller as? AdministratorCaller)?.administrator }

    /// The caller as the publisher of a version.
    var user: TemplateVersion.User { TemplateVersion.User(name: administrator?.name) }

    /// The channel that a version records as its origin.
    var origin: TemplateVersion.Origin {
        (caller as? AdministratorCaller)?.session == nil ? .restAPI : .console
    }
}
