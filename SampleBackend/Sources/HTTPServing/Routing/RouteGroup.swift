package import HTTPTypes
package import NIOCore

/// Routes that share a part of the path space, and how requests to it are guarded and answered.
package struct RouteGroup: Sendable {
    package let routes: [Route]

    /// Whether a target that belongs to no route lies in the group; then errors look like the group's.
    package var covers: @Sendable (_ target: String) -> Bool = { _ in false }

    /// Writes the body of an error response, JSON.
    package var errorBody: @Sendable (_ error: RequestError, _ target: String) -> ByteBuffer = {
        error, _ in error.jsonBytes
    }

    /// Fields of every response.
    package var headerFields: HTTPFields = [:]

    /// Whether `Host` is checked though the server is not open to everybody on this machine.
    package var checksHost = false

    /// Whether pages of other origins may be allowed to read, as ``CrossOriginAccess`` says.
    package var isReadableAcrossOrigins = false

    /// Recognizes who sends a request; nil where nobody is told apart.
    package var recognition: (any CallerRecognition)?

    package init(_ routes: [Route]) {
        self.routes = routes
    }
}

/// Recognizes callers by the head of their request, once for each.
package protocol CallerRecognition: Sendable {
    func caller(of headerFields: RequestFields) -> RecognizedCaller

    /// Bounds how often an address sends credentials that do not count.
    var wrongCredentialsLimiter: RateLimiter<ClientAddress> { get }

    /// The most bytes of a body of a known caller; nil when it is that of all others.
    var maximumBodyBytes: Int? { get }
}

/// What a ``CallerRecognition`` finds.
package enum RecognizedCaller: Sendable {
    /// No credentials were sent.
    case nobody
    /// Credentials that do not count.
    case wrongCredentials
    case known(any Sendable)
}
