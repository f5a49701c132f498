import HTTPTypes

/// A type that is one path of the server with the methods it has.
struct Route: Sendable {
    /// What answers a request.
    ///
    /// It throws a ``RequestError`` for what the client can mend; any other error is a fault of the
    /// server.
    typealias Handler = @Sendable (RouteRequest) async throws -> RouteResponse

    /// A method of a route: who may call it, and what answers.
    struct Endpoint: Sendable {
        /// Who may call it.
        let access: RouteAccess
        /// What answers.
        let handler: Handler
    }

    /// The paths that belong to the route.
    let pattern: RoutePattern

    /// The endpoints by method; that of `GET` answers `HEAD` too.
    let endpoints: [HTTPRequest.Method: Endpoint]

    /// Makes a route.
    ///
    /// - Parameters:
    ///   - pattern: The path, parameters in braces.
    ///   - endpoints: The endpoints by method.
    init(_ pattern: String, _ endpoints: [HTTPRequest.Method: Endpoint]) {
        self.pattern = RoutePattern(pattern)
        self.endpoints = endpoints
    }

    /// Makes a route that has `GET` and `HEAD`.
    ///
    /// - Parameters:
    ///   - pattern: The path, parameters in braces.
    ///   - access: Who may call it.
    ///   - handler: What answers.
    /// - Returns: The route.
    static func get(
        _ pattern: String, access: RouteAccess = .open, handler: @escaping Handler
    ) -> Route {
        Route(pattern, [.get: Endpoint(access: access, handler: handler)])
    }

    /// The endpoint of a method.
    ///
    /// - Throws: A ``RequestError`` with status 405 when the route does not have the method.
    func endpoint(for method: HTTPRequest.Method) throws(RequestError) -> Endpoint {
        if let endpoint = endpoints[method == .head ? .get : method] { return endpoint }
        throw .methodNotAllowed(allowed: allowedMethods)
    }

    /// The methods for `Allow`, sorted.
    var allowedMethods: [HTTPRequest.Method] {
        var methods = Array(endpoints.keys)
        if endpoints[.get] != nil { methods.append(.head) }
        return methods.sorted { $0.rawValue < $1.rawValue }
    }
}
