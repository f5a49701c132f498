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
    var rateLimiter: RateLimiter<ClientAddress>?

    /// Who administers.
    let access: SessionAccess

    /// The value of `Date` of answers.
    let date = DateField()

    /// Which names of the server are answered to.
    let hostAccess: HostAccess

    /// The paths of all routes, for the access log.
    let routePatterns: [RoutePattern]

    /// Whether `/metrics` is for administrators alone.
    let protectsMetrics: Bool

    /// What bounds how often an address tries to sign in.
    let signInLimiter: RateLimiter<ClientAddress>

    /// What bounds how often an address sends an administrator's token that does not count.
    let wrongTokenLimiter: RateLimiter<ClientAddress>

    /// The most bytes of a request's body: only administrators may send large ones.
    func maximumBodyBytes(for head: HTTPRequestHead) -> Int {
        guard let target = try? RequestTarget(head.uri), target.segments.first == "v1",
            access.administrator(for: SessionAccess.Credentials(head.headers)) != nil
        else { return limits.bodyBytes }
        return limits.administratorBodyBytes
    }

    /// Why a request is not read any further, or nil when it is.
    ///
    /// - Parameters:
    ///   - head: The head of the request.
    ///   - address: The client's address; nil when it is not known.
    /// - Returns: The error to answer with.
    func refusal(of head: HTTPRequestHead, address: ClientAddress?) -> RequestError? {
        do throws(RequestError) {
            guard let parts = TargetParts(head.uri) else { throw RequestTarget.noPath }
            let target = try? RequestTarget(head.uri)
            // Any other number is refused for that.
            let hosts = head.headers["host"].count == 1 ? head.headers["host"] : []
            try hostAccess.check(
                hosts + [parts.authority].compactMap { $0 },
                isForConsole: target.map(ConsoleProtection.covers) ?? false)
            guard let address else { return nil }
            if let seconds = rateLimiter?.secondsToWait(address) {
                throw .tooManyRequests(retryAfter: seconds)
            }
            if let target, let limiter = limiterOfGuesses(head, target),
                let seconds = limiter.secondsToWait(address)
            {
                throw .tooManyRequests(retryAfter: seconds)
            }
            return nil
        } catch {
            return error
        }
    }

    /// What bounds a request that tries to sign in, or has an administrator's token that does not
    /// count; nil for others.
    ///
    /// Tokens that count are not bounded, whoever else guesses from their address.
    private func limiterOfGuesses(
        _ head: HTTPRequestHead, _ target: RequestTarget
    ) -> RateLimiter<ClientAddress>? {
        let isSession = RoutePattern(SessionRoutes.path).match(target.segments) != nil
        if isSession, head.method == .POST { return signInLimiter }
        let isForAdministrators =
            isSession || target.segments.first == "v1"
            || (protectsMetrics && target.segments == ["metrics"])
        guard isForAdministrators else { return nil }
        let credentials = SessionAccess.Credentials(head.headers)
        let isWrong = access.isPresent(credentials) && access.administrator(for: credentials) == nil
        return isWrong ? wrongTokenLimiter : nil
    }

    /// The route of a request as the log names it, which holds nothing that a client chose.
    func routeName(ofTarget uri: String) -> String {
        guard let target = try? RequestTarget(uri),
            let pattern = routePatterns.first(where: { $0.match(target.segments) != nil })
        else { return AccessLog.otherRoute }
        return pattern.description
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
