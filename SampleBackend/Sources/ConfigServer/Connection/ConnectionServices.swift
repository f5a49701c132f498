import NIOHTTP1

/// A type that holds what all connections of a server share.
struct ConnectionServices: Sendable {
    /// What one connection may cost.
    let limits: ServerLimits

    /// Where requests are written down that do not come as far as the responder.
    let accessLog: AccessLog

    /// What answers in a task.
    let responder: ConfigServerResponder

    /// What bounds the memory of what waits for clients.
    let backlog: ClientBacklog

    /// What makes room for new connections; nil when nothing bounds them.
    let places: ConnectionPlaces?

    /// What answers at once; nil when every request goes the long way.
    var immediateResponder: ImmediateResponder?

    /// What opens streams; nil on a server without a store.
    var streams: EventStreamRoutes?

    /// What bounds the requests of an address; nil when nothing does.
    var rateLimiter: RateLimiter?

    /// Who administers.
    let access: SessionAccess

    /// The value of `Date` of answers.
    let date = DateField()

    /// What bounds how often an address tries to sign in.
    private let signInLimiter = RateLimiter(requestsPerSecond: 5)

    /// The most bytes of a request's body: only administrators may send large ones.
    func maximumBodyBytes(for head: HTTPRequestHead) -> Int {
        guard head.uri.hasPrefix("/v1/"),
            access.administrator(for: SessionAccess.Credentials(head.headers)) != nil
        else { return limits.bodyBytes }
        return limits.administratorBodyBytes
    }

    /// How many seconds an address has to wait before a request, or nil when it may ask.
    func secondsToWait(for head: HTTPRequestHead, address: String) -> Int? {
        if let seconds = rateLimiter?.secondsToWait(address: address) { return seconds }
        guard head.method == .POST, let target = try? RequestTarget(head.uri),
            RoutePattern(SessionRoutes.path).match(target.segments) != nil
        else { return nil }
        return signInLimiter.secondsToWait(address: address)
    }
}

extension SessionAccess.Credentials {
    /// Takes the fields of a request.
    fileprivate init(_ headers: HTTPHeaders) {
        let cookies = headers["cookie"]
        self.init(
            authorization: headers.first(name: "authorization"),
            cookie: cookies.isEmpty ? nil : cookies.joined(separator: "; "),
            forwardedProtocol: headers.first(name: "x-forwarded-proto"))
    }
}
