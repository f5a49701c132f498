package import HTTPTypes
import JSONTree
package import NIOCore

/// A path pattern with an endpoint per method.
package struct Route: Sendable {
    package let pattern: RoutePattern
    /// The endpoint of `GET` answers `HEAD` as well.
    package private(set) var endpoints: [(method: HTTPRequest.Method, endpoint: Endpoint)]

    package init(_ pattern: String, _ endpoints: [HTTPRequest.Method: Endpoint]) {
        self.pattern = RoutePattern(pattern)
        self.endpoints = endpoints.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { (method: $0.key, endpoint: $0.value) }
    }

    /// The route with a pool for all methods except `GET` that have no pool of their own.
    package func changing(in pool: WorkPool) -> Route {
        var route = self
        for (index, (method, endpoint)) in endpoints.enumerated()
        where method != .get && endpoint.pool == nil {
            route.endpoints[index].endpoint.pool = pool
        }
        return route
    }

    /// A route for `GET` and `HEAD`, answered in a task.
    package static func get(
        _ pattern: String, access: any EndpointAccess = OpenAccess(),
        handler: @escaping @Sendable (RouteRequest) async throws -> RouteResponse
    ) -> Route {
        Route(pattern, [.get: Endpoint(access: access, handler: handler)])
    }

    /// Index into ``endpoints`` for a method; nil when the route does not support it.
    func index(of method: HTTPRequest.Method) -> Int? {
        let method = method == .head ? .get : method
        return endpoints.firstIndex { $0.method == method }
    }

    /// 405: the route does not support the method of the request.
    var methodNotAllowed: RequestError {
        let methods = endpoints.map(\.method)
        let allowed = methods.contains(.get) ? methods + [.head] : methods
        return .methodNotAllowed(allowed: allowed.sorted { $0.rawValue < $1.rawValue })
    }
}

/// One method of a route: its access check and its handler.
///
/// A handler throws a ``RequestError`` for errors that the client can fix; any other error is
/// logged and answered with 500.
package struct Endpoint: Sendable {
    package typealias ImmediateHandler = @Sendable (RouteRequest) throws(RequestError) -> Answer
    package typealias Handler = @Sendable (RouteRequest) async throws -> Answer

    package enum Answering: Sendable {
        /// Runs on the connection's event loop; it must not block on I/O or on a lock that is held
        /// for long.
        case immediate(ImmediateHandler)
        /// Runs in a task of the endpoint's pool.
        case asynchronous(Handler)
    }

    package let access: any EndpointAccess
    package let answering: Answering
    /// Limits the requests per address to this endpoint, in addition to the limit on all requests.
    package let attemptLimiter: RateLimiter<ClientAddress>?
    /// Authenticates callers instead of the group's recognition; nil uses the group's.
    package var recognition: (any CallerRecognition)?
    /// Runs asynchronous handlers instead of the group's pool; nil uses the group's.
    package var pool: WorkPool?

    package init(
        access: any EndpointAccess, attemptLimiter: RateLimiter<ClientAddress>? = nil,
        recognition: (any CallerRecognition)? = nil, pool: WorkPool? = nil, _ answering: Answering
    ) {
        self.access = access
        self.attemptLimiter = attemptLimiter
        self.recognition = recognition
        self.pool = pool
        self.answering = answering
    }

    /// An endpoint that answers in a task, with buffered responses only.
    package init(
        access: any EndpointAccess, attemptLimiter: RateLimiter<ClientAddress>? = nil,
        pool: WorkPool? = nil,
        handler: @escaping @Sendable (RouteRequest) async throws -> RouteResponse
    ) {
        self.init(
            access: access, attemptLimiter: attemptLimiter, pool: pool,
            .asynchronous { .response(try await handler($0)) })
    }
}

/// The access check of an endpoint.
package protocol EndpointAccess: Sendable {
    /// Checks only the head and the caller, so a refusal does not reveal which resources exist.
    ///
    /// - Throws: A ``RequestError`` with status 401 or 403, or 400 for an invalid query.
    func check(_ request: RouteRequest) throws(RequestError)
}

/// Allows every request.
package struct OpenAccess: EndpointAccess {
    package init() {}
    package func check(_ request: RouteRequest) {}
}

package enum Answer: Sendable {
    case response(RouteResponse)
    /// Hands the connection over to a stream.
    case stream(StreamOpening)
    /// Responds when an event occurs; until then the connection processes no other request.
    case waiting(WaitOpening)
    /// Answers the request again after the wait, when all recent changes are known.
    ///
    /// If the second answer is also ``repeated(after:_:)``, the request is refused with the error.
    case repeated(after: @Sendable () async throws(RequestError) -> Void, RequestError)
}

/// The header fields and the handler of a stream that replaces a buffered response.
package struct StreamOpening: Sendable {
    package var headerFields: HTTPFields
    /// Creates the handler on the connection's event loop; nil closes the connection.
    package let makeHandler: @Sendable (StreamConnection) -> (any StreamHandler)?

    package init(
        headerFields: HTTPFields,
        makeHandler: @escaping @Sendable (StreamConnection) -> (any StreamHandler)?
    ) {
        self.headerFields = headerFields
        self.makeHandler = makeHandler
    }
}

/// The connection that a stream takes over.
package struct StreamConnection {
    package let eventLoop: any EventLoop
    package let backlog: ClientBacklog
    package let isSecure: Bool
    /// True for a client that understands chunks (RFC 9112, 7.1), which requires HTTP/1.1.
    package let isChunked: Bool
}

/// The only handler of a connection that became a stream; it writes the response head itself.
package protocol StreamHandler: ChannelInboundHandler {
    /// Sends the response head and starts the stream; called after the handler was added to the
    /// pipeline.
    func begin(headerFields: HTTPFields)
    /// Resumes reading from the socket.
    func read()
    /// Ends the stream because the server is shutting down.
    func endForShutdown()
}
