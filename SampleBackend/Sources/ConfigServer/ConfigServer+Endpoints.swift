import Foundation
import HTTPTypes
import InMemoryTemplateStore
import Logging
package import TemplateStore

extension ConfigServer {
    /// A type that is one method of one path, and who may call it.
    package struct Endpoint: Sendable, Hashable {
        /// Who may call an endpoint.
        package enum Access: Sendable, Hashable {
            /// Everybody.
            case open
            /// Apps.
            case client
            /// Administrators with this role or a higher one.
            case administrator(StoredToken.Role)
        }

        /// The method.
        package let method: String
        /// The path, parameters in braces.
        package let path: String
        /// Who may call it; the highest role, when that depends on the request.
        package let access: Access
    }

    /// All that a server with a store answers, but `HEAD` and the preflights of browsers.
    package static var endpoints: [Endpoint] {
        let logger = Logger(label: "endpoints") { _ in SwiftLogNoOpLogHandler() }
        let store = InMemoryTemplateStore()
        let metrics = ServerMetrics()
        let library = TemplateLibrary(store: store, logger: logger, metrics: metrics)
        let administration = Administration(
            store: store, library: library, access: AdministratorAccess(environmentToken: nil),
            metrics: metrics, hub: RealtimeHub(library: library, limits: ServerLimits()),
            now: { Date() })
        let server = ConfigServer(
            source: library, follower: nil, webhooks: nil, administration: administration,
            configuration: ConfigServerConfiguration(), logger: logger, onListening: { _ in })
        return server.routes.flatMap { route in
            route.endpoints.map { method, endpoint in
                Endpoint(
                    method: method.rawValue, path: route.pattern.description,
                    access: Endpoint.Access(endpoint.access))
            }
        }
    }
}

extension ConfigServer.Endpoint.Access {
    /// Says who may call an endpoint of the table.
    fileprivate init(_ access: RouteAccess) {
        self =
            switch access {
            case .open: .open
            case .client: .client
            case .administrator(let role): .administrator(role)
            case .administratorWithRole: .administrator(.publisher)
            }
    }
}
