import AdminAPI
import ClientAPI
import HTTPServing
import HTTPTypes
import Logging
package import TemplateStore

extension ConfigServer {
    /// A method of a path and its access rule.
    package struct Endpoint: Sendable, Hashable {
        package enum Access: Sendable, Hashable {
            case open
            /// Apps.
            case client
            /// Services.
            case service
            /// Administrators with this role or a higher one.
            case administrator(StoredToken.Role)
        }

        package let method: String
        /// A pattern with parameters in braces.
        package let path: String
        /// The access rule; when the required role depends on the request, the highest one.
        package let access: Access
        /// The query parameters that a call of administrators that may change something accepts.
        package let query: [String]
    }

    /// All endpoints of a server, without `HEAD` and CORS preflights.
    package static func endpoints(store: any TemplateStore) -> [Endpoint] {
        let logger = Logger(label: "endpoints") { _ in SwiftLogNoOpLogHandler() }
        return ConfigServer(unread: store, logger: logger).groups.flatMap(\.routes).flatMap {
            route in
            route.endpoints.map { method, endpoint in
                Endpoint(
                    method: method.rawValue, path: route.pattern.description,
                    access: Endpoint.Access(endpoint.access),
                    query: (endpoint.access as? RoleAccess)?.query ?? [])
            }
        }
    }
}

extension ConfigServer.Endpoint.Access {
    fileprivate init(_ access: any EndpointAccess) {
        switch access {
        case is ClientAccess: self = .client
        case is ServiceAccess: self = .service
        case let access as RoleAccess: self = .administrator(access.sufficientRole)
        default: self = .open
        }
    }
}
