package import HTTPTypes
package import NIOCore

/// Routes that share a part of the path space, an error format and access rules.
package struct RouteGroup: Sendable {
    package let routes: [Route]
    private let table: RouteTable

    /// Returns true when a target that matches no route belongs to the group; its errors then have
    /// the group's format.
    package var covers: @Sendable (_ target: String) -> Bool = { _ in false }

    /// Encodes the body of an error response as JSON.
    package var errorBody: @Sendable (_ error: RequestError, _ target: String) -> ByteBuffer = {
        error, _ in error.jsonBytes
    }

    /// Header fields of every response.
    package var headerFields: HTTPFields = [:]

    /// True when `Host` is checked even on a server that needs a key or that other machines can
    /// reach.
    package var checksHost = false

    /// What pages of other origins may send and read, if ``CrossOriginAccess`` allows them; nil for
    /// nothing.
    package var crossOriginFields: CrossOriginFields?

    /// Authenticates callers; nil when the group does not distinguish them.
    package var recognition: (any CallerRecognition)?

    /// Runs asynchronous handlers; nil for handlers that take less than a millisecond, not counting
    /// what they await.
    package var pool: WorkPool?

    package init(_ routes: [Route]) {
        self.routes = routes
        table = RouteTable(routes.map(\.pattern))
    }
}

extension RouteGroup {
    /// The response to a `GET` of another target by the caller of a request, after the endpoint's
    /// access check, from the endpoint's pool.
    ///
    /// - Throws: A ``RequestError`` as for a request of its own, with status 404 for a stream; any other
    ///   error of the handler.
    package func response(
        toGet text: String, for request: RouteRequest
    ) async throws -> RouteResponse {
        let target = try RequestTarget(text)
        guard let route = table.index(of: target.segments).map({ routes[$0] }),
            let index = route.index(of: .get)
        else { throw RequestError.notFound("Nothing to get exists at this path.") }
        let request = RouteRequest(
            method: .get, target: target,
            parameters: PathParameters(target.segments, of: route.pattern),
            address: request.address, caller: request.caller)
        let endpoint = route.endpoints[index].endpoint
        try endpoint.access.check(request)
        let answer: Answer =
            switch endpoint.answering {
            case .immediate(let handler): try handler(request)
            case .asynchronous(let handler):
                try await (endpoint.pool ?? pool ?? .unlimited).result {
                    try await handler(request)
                }
            }
        switch answer {
        case .response(let response): return response
        case .repeated(_, let error): throw error
        case .stream, .waiting: throw RequestError.notFound("This path has no buffered response.")
        }
    }
}

/// Authenticates callers by the head of their request, and again after its body has arrived.
package protocol CallerRecognition: Sendable {
    /// - Throws: A ``RequestError`` when the caller cannot be determined.
    func caller(of headerFields: RequestFields) throws(RequestError) -> RecognizedCaller

    /// Returns a function that waits until recently added credentials are known; nil when missing
    /// knowledge cannot be the reason for a refusal.
    func catchUp(
        for headerFields: RequestFields
    ) -> (@Sendable () async throws(RequestError) -> Void)?

    /// Limits how often an address sends invalid credentials.
    var wrongCredentialsLimiter: RateLimiter<ClientAddress> { get }

    /// Maximum bytes of an authenticated caller's request body; nil for the server's general limit.
    var maximumBodyBytes: Int? { get }
}

extension CallerRecognition {
    /// Nil: all credentials are known.
    package func catchUp(
        for headerFields: RequestFields
    ) -> (@Sendable () async throws(RequestError) -> Void)? { nil }
}

/// The result of ``CallerRecognition``.
package enum RecognizedCaller: Sendable {
    /// No credentials were sent.
    case nobody
    /// The credentials are invalid.
    case wrongCredentials
    case known(any RequestCaller)
}
