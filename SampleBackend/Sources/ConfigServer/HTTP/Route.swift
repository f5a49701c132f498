import HTTPTypes
import Hummingbird

/// A type that is one path of the server with the methods it has.
struct Route: Sendable {
    /// What answers a request.
    ///
    /// It throws a ``RequestError`` for what the client can mend; any other error is a fault of the
    /// server.
    typealias Handler = @Sendable (RouteRequest) async throws -> Response

    /// The paths that belong to the route.
    let pattern: RoutePattern

    /// The handlers by method; that of `GET` answers `HEAD` too.
    let handlers: [HTTPRequest.Method: Handler]

    /// Makes a route that has `GET` and `HEAD`.
    ///
    /// - Parameters:
    ///   - pattern: The path, parameters in braces.
    ///   - handler: What answers.
    /// - Returns: The route.
    static func get(_ pattern: String, handler: @escaping Handler) -> Route {
        Route(pattern: RoutePattern(pattern), handlers: [.get: handler])
    }

    /// The handler of a method.
    ///
    /// - Throws: A ``RequestError`` with status 405 when the route does not have the method.
    func handler(for method: HTTPRequest.Method) throws(RequestError) -> Handler {
        if let handler = handlers[method == .head ? .get : method] { return handler }
        throw .methodNotAllowed(allowed: allowedMethods)
    }

    /// The methods for `Allow`, sorted.
    var allowedMethods: [HTTPRequest.Method] {
        var methods = Array(handlers.keys)
        if handlers[.get] != nil { methods.append(.head) }
        return methods.sorted { $0.rawValue < $1.rawValue }
    }
}
