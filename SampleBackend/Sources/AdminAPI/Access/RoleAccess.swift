package import HTTPServing
package import TemplateStore
import Templates

/// Lets administrators with a role or a higher one call an endpoint (HTTP 3).
package struct RoleAccess: EndpointAccess {
    /// The role that any request to the endpoint is allowed with.
    package let sufficientRole: StoredToken.Role

    private let neededRole: @Sendable (RouteRequest) -> StoredToken.Role

    package init(_ role: StoredToken.Role) {
        sufficientRole = role
        neededRole = { _ in role }
    }

    /// Lets in by the role that the request itself needs, which `sufficientRole` always has.
    init(
        upTo sufficientRole: StoredToken.Role,
        neededRole: @escaping @Sendable (RouteRequest) -> StoredToken.Role
    ) {
        self.sufficientRole = sufficientRole
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
    }
}

extension RouteRequest {
    /// Who asks, on the routes of administrators.
    var administrator: Administrator? { (caller as? AdministratorCaller)?.administrator }

    /// Who asks, as a version names its publisher.
    var user: TemplateVersion.User { TemplateVersion.User(name: administrator?.name) }

    /// The way the request comes in.
    var origin: TemplateVersion.Origin {
        (caller as? AdministratorCaller)?.session == nil ? .restAPI : .console
    }
}
