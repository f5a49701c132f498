import AdminAPI
import ClientAPI
import HTTPServing
import HTTPTypes
import Logging
package import TemplateStore

extension ConfigServer {
    /// One method of one path, and who may call it.
    package struct Endpoint: Sendable, Hashable {
        /// Who may call an endpoint.
        package enum Access: Sendable, Hashable {
            case open
            /// Apps.
            case client
            /// Administrators with this role or a higher one.
            case administrator(StoredToken.Role)
        }

        package let method: String
        /// The path, parameters in braces.
        package let path: String
        /// Who may call it; the highest role, when that depends on the request.
        package let access: Access
    }

    /// All that a server answers, but `HEAD` and the preflights of browsers.
    package static func endpoints(store: any TemplateStore) -> [Endpoint] {
        let logger = Logger(label: "endpoints") { _ in SwiftLogNoOpLogHandler() }
        return ConfigServer(unread: store, logger: logger).groups.flatMap(\.routes).flatMap {
            route in
            route.endpoints.map { method, endpoint in
                Endpoint(
                    method: method.rawValue, path: route.pattern.description,
                    access: Endpoint.Access(endpoint.access))
            }
        }
    }
}

extension ConfigServer.Endpoint.Access {
    fileprivate init(_ access: any EndpointAccess) {
        switch access {
        case is ClientAccess: self = .client
        case let access as RoleAccess: self = .administrator(access.sufficientRole)
        default: self = .open
        }
    }
}
