package import HTTPTypes
package import NIOCore

/// One path of the server with its methods.
package struct Route: Sendable {
    package let pattern: RoutePattern
    /// The endpoint of `GET` answers `HEAD` as well.
    package let endpoints: [HTTPRequest.Method: Endpoint]

    package init(_ pattern: String, _ endpoints: [HTTPRequest.Method: Endpoint]) {
        self.pattern = RoutePattern(pattern)
        self.endpoints = endpoints
    }

    /// Makes a route that has `GET` and `HEAD`, answered in a task.
    package static func get(
        _ pattern: String, access: any EndpointAccess = OpenAccess(),
        handler: @escaping @Sendable (RouteRequest) async throws -> RouteResponse
    ) -> Route {
        Route(pattern, [.get: Endpoint(access: access, handler: handler)])
    }

    /// The endpoint of a method.
    ///
    /// - Throws: A ``RequestError`` with status 405 when the route does not have the method.
    package func endpoint(for method: HTTPRequest.Method) throws(RequestError) -> Endpoint {
        if let endpoint = endpoints[method == .head ? .get : method] { return endpoint }
        var allowed = Array(endpoints.keys)
        if endpoints[.get] != nil { allowed.append(.head) }
        throw .methodNotAllowed(allowed: allowed.sorted { $0.rawValue < $1.rawValue })
    }
}

/// One method of a route: who may call it, and how it is answered.
///
/// A handler throws a ``RequestError`` for what the client can mend; any other error is a fault of the
/// server, which is logged and answered with 500.
package struct Endpoint: Sendable {
    package typealias ImmediateHandler = @Sendable (RouteRequest) throws(RequestError) -> Answer
    package typealias Handler = @Sendable (RouteRequest) async throws -> Answer

    /// How a request is answered.
    package enum Answering: Sendable {
        /// On the connection's thread: nothing waits, neither for a lock of long duration nor for I/O.
        case immediate(ImmediateHandler)
        /// In a task.
        case asynchronous(Handler)
    }

    package let access: any EndpointAccess
    package let answering: Answering
    /// Bounds the requests of each address to this endpoint, besides the limit on all requests.
    package let attemptLimiter: RateLimiter<ClientAddress>?

    package init(
        access: any EndpointAccess, attemptLimiter: RateLimiter<ClientAddress>? = nil,
        _ answering: Answering
    ) {
        self.access = access
        self.attemptLimiter = attemptLimiter
        self.answering = answering
    }

    /// An endpoint that answers in a task, without streams.
    package init(
        access: any EndpointAccess, attemptLimiter: RateLimiter<ClientAddress>? = nil,
        handler: @escaping @Sendable (RouteRequest) async throws -> RouteResponse
    ) {
        self.init(
            access: access, attemptLimiter: attemptLimiter,
            .asynchronous { .response(try await handler($0)) })
    }
}

/// Who may call an endpoint.
package protocol EndpointAccess: Sendable {
    /// Refuses a request by its head and its caller alone, so that a refusal tells nothing of what
    /// exists.
    ///
    /// - Throws: A ``RequestError`` with status 401 or 403.
    func check(_ request: RouteRequest) throws(RequestError)
}

/// Everybody may call the endpoint.
package struct OpenAccess: EndpointAccess {
    package init() {}
    package func check(_ request: RouteRequest) {}
}

/// The answer of an endpoint.
package enum Answer: Sendable {
    case response(RouteResponse)
    /// A stream takes over the connection.
    case stream(StreamOpening)
}

/// A stream that takes the place of an answer.
package struct StreamOpening: Sendable {
    package var headerFields: HTTPFields
    /// Makes the handler, on the connection's thread; nil closes the connection.
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
}

/// The only handler of a connection that became a stream; it writes the head of the response itself.
package protocol StreamHandler: ChannelInboundHandler {
    /// Sends the head and begins; the handler is in its pipeline by now.
    func begin(headerFields: HTTPFields)
    /// Reads on from the socket.
    func read()
    /// Ends the stream since the server shuts down.
    func endForShutdown()
}

/// A pattern of paths, such as `/activeconfig/user/{userID}`.
package struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
    private enum Segment: Sendable, Hashable {
        /// Exactly this text, once decoded.
        case literal(String)
        /// Any segment, also an empty one.
        case parameter(String)
        /// One segment or more with the slashes between them, at the end of a path.
        case rest(String)
    }

    /// The pattern as OpenAPI writes it, which knows no `...`.
    package let description: String

    private let segments: [Segment]

    /// Reads a pattern: segments after slashes; one in braces is a parameter, and the last may be like
    /// `{key...}`, which takes the rest of the path.
    package init(_ pattern: String) {
        description = pattern.replacing(Self.restMark, with: "}")
        segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            .map { segment in
                guard segment.hasPrefix("{") else { return .literal(String(segment)) }
                let name = segment.dropFirst()
                return name.hasSuffix(Self.restMark)
                    ? .rest(String(name.dropLast(Self.restMark.count)))
                    : .parameter(String(name.dropLast()))
            }
    }

    private static let restMark = "...}"

    /// Compares the decoded segments of a path with the pattern.
    ///
    /// - Returns: The values of the parameters by name; nil when the path is another route's.
    package func match(_ path: [String]) -> [String: String]? {
        var path = path
        var parameters: [String: String] = [:]
        if case .rest(let name)? = segments.last {
            guard path.count >= segments.count else { return nil }
            parameters[name] = path[(segments.count - 1)...].joined(separator: "/")
            path.removeSubrange(segments.count...)
        }
        guard path.count == segments.count else { return nil }
        for (segment, text) in zip(segments, path) {
            guard case .literal(let literal) = segment else { continue }
            guard literal.utf8.elementsEqual(text.utf8) else { return nil }
        }
        for (segment, text) in zip(segments, path) {
            if case .parameter(let name) = segment { parameters[name] = text }
        }
        return parameters
    }
}
