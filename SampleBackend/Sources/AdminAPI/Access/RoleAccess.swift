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
    private let query: [String]

    package init(_ role: StoredToken.Role, query: [String] = []) {
        self.init(upTo: role, query: query) { _ in role }
    }

    /// Determines the role per request; `sufficientRole` is at least as high.
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
                "A valid administrator token is required: send it as Authorization: Bearer.")
        }
        try caller.session?.checkProof(of: request)
        let neededRole = neededRole(request)
        guard caller.administrator.role >= neededRole else {
            throw .permissionDenied(
                "The role of this token, \(caller.administrator.role.rawValue), does not allow "
                    + "this: use a token with the role \(neededRole.rawValue).")
        }
        // A misspelled `validateOnly` must not publish.
        if ![.get, .head].contains(request.method) { try request.checkQuery(knows: query) }
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
