package import NIOCore

/// The start of a wait whose end is the response to a request, such as a long poll.
package struct WaitOpening: Sendable {
    package typealias Completion = (Result<RouteResponse, RequestError>) -> Void

    /// Starts to wait on the connection's event loop, and calls the completion there at most once,
    /// maybe before it returns; nil when it has called it.
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
    /// Responds at once, unless that has happened.
    func end(for reason: WaitEnd)

    /// Stops waiting without a response: the connection is closed.
    func cancel()
}

/// The reason why a wait ends early.
package enum WaitEnd: Sendable {
    /// The server is shutting down.
    case shutdown
    /// The client has closed its sending side, so that it may be gone.
    case inputClosed
}
