import NIOHTTP1

/// A type that holds what all connections of a server share.
struct ConnectionServices: Sendable {
    /// What one connection may cost.
    let limits: ServerLimits

    /// Where requests are written down that do not come as far as the responder.
    let accessLog: AccessLog

    /// What answers at once; nil when every request goes the long way.
    var immediateResponder: ImmediateResponder?

    /// What opens streams; nil on a server without a store.
    var streams: EventStreamRoutes?

    /// What bounds the requests of an address; nil when nothing does.
    var rateLimiter: RateLimiter?

    /// Who administers; nil on a server without administration.
    var access: AdministratorAccess?

    /// The most bytes of a request's body: only administrators may send large ones.
    func maximumBodyBytes(for head: HTTPRequestHead) -> Int {
        guard head.uri.hasPrefix("/v1/"), let access,
            access.administrator(authorization: head.headers.first(name: "authorization")) != nil
        else { return limits.bodyBytes }
        return limits.administratorBodyBytes
    }
}
