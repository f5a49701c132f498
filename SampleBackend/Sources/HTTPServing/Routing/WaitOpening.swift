package import NIOCore

/// Starts a wait that ends with the response to a request, such as a long poll.
package struct WaitOpening: Sendable {
    package typealias Completion = (Result<RouteResponse, RequestError>) -> Void

    /// Starts to wait on the connection's event loop and calls the completion there at most once,
    /// possibly before it returns; returns nil when it has already called it.
    package let begin:
        @Sendable (_ eventLoop: any EventLoop, _ completion: @escaping Completion) ->
            (any WaitingRequest)?

    package init(
        begin:
            @escaping @Sendable (
                _ eventLoop: any EventLoop, _ completion: @escaping Completion
            ) -> (any WaitingRequest)?
    ) {
        self.begin = begin
    }
}

/// A request that waits for its response, on the event loop of its connection.
package protocol WaitingRequest: AnyObject {
    /// Responds immediately, unless the request is already answered.
    func end(for reason: WaitEnd)

    /// Stops waiting without a response, because the connection is closed.
    func cancel()
}

/// The reason why a wait ends early.
package enum WaitEnd: Sendable {
    /// The server is shutting down.
    case shutdown
    /// The client has closed its sending side and may be gone.
    case inputClosed
}
