import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension RequestDispatcher {
    /// The head of a request, parsed, and the route that it matches.
    ///
    /// A class, since it is passed on by many steps, and copies would count many references.
    final class MatchedRequest: Sendable {
        let head: HTTPRequestHead
        let framing: RequestFraming
        let start = ContinuousClock.now
        let address: ClientAddress?
        let carried: CarriedValue?
        let target: Result<RequestTarget, RequestError>
        /// Nil when it is no token of HTTP.
        let method: HTTPRequest.Method?
        /// Index into ``RequestDispatcher/entries``; nil when no route matches.
        let entry: Int?
        /// Nil when no route matches, or it does not have the method.
        let endpoint: EndpointIndex?
        /// Index into ``RequestDispatcher/groups``, of the route or of the path; nil when no group
        /// covers it.
        let group: Int?

        /// Matches a request; `peer` is nil when there is no connection.
        init(_ head: HTTPRequestHead, from peer: Peer?, in dispatcher: RequestDispatcher) {
            self.head = head
            framing = RequestFraming(head.headers)
            address = peer?.address
            carried = peer?.carried
            method = try? HTTPRequest.Method(head.method)
            let target = Result { () throws(RequestError) in try RequestTarget(head.uri) }
            self.target = target
            if case .success(let target) = target,
                let entry = dispatcher.entries.firstIndex(where: {
                    $0.route.pattern.matches(target.segments)
                })
            {
                self.entry = entry
                endpoint = method.flatMap { dispatcher.entries[entry].route.index(of: $0) }
                    .map { EndpointIndex(entry: entry, endpoint: $0) }
                group = dispatcher.entries[entry].group
            } else {
                entry = nil
                endpoint = nil
                group = dispatcher.groups.firstIndex { $0.covers(head.uri) }
            }
        }
    }

    /// A request whose head was read.
    struct Incoming: Sendable {
        let request: MatchedRequest
        var caller: (any Sendable)?
        /// True when the answer is counted and logged; false without a connection.
        var isRecorded = true

        /// False for a request that waited on purpose.
        var isTimed = true

        /// True when it is answered for the second time, and nothing is awaited any more.
        var isRepeated = false

        /// The error that ends the request before its body is read; nil when it was admitted.
        var refusal: RequestError?

        var maximumBodyBytes: Int
    }
}

/// The place of an endpoint: indexes into the dispatcher's entries and the route's endpoints.
///
/// It stands for the endpoint, since copying one counts references that all connections share.
struct EndpointIndex: Sendable {
    let entry: Int
    let endpoint: Int
}

extension RequestDispatcher {
    subscript(index: EndpointIndex) -> Endpoint {
        entries[index.entry].route.endpoints[index.endpoint].endpoint
    }

    /// Matches a request, and decides from its head whether to read the body.
    func receive(_ head: HTTPRequestHead, from peer: inout Peer) -> Incoming {
        var incoming = match(head, from: peer)
        do throws(RequestError) {
            try admit(&incoming, from: &peer)
        } catch {
            incoming.refusal = error
        }
        return incoming
    }

    /// Finds the route of a request; `peer` is nil when there is no connection.
    func match(_ head: HTTPRequestHead, from peer: Peer?) -> Incoming {
        Incoming(
            request: MatchedRequest(head, from: peer, in: self),
            maximumBodyBytes: maximumBodyBytes)
    }

    /// Checks everything that the head allows to check: the host, the rate limits, and the caller's
    /// credentials.
    private func admit(
        _ incoming: inout Incoming, from peer: inout Peer
    ) throws(RequestError) {
        let authority: String?
        switch incoming.request.target {
        case .success(let target): authority = target.authority
        case .failure:
            guard let parts = TargetParts(incoming.request.head.uri) else {
                throw RequestTarget.noPath
            }
            authority = parts.authority
        }
        // Requests with any other number of `Host` fields are refused right after this.
        try hostAccess?.check(
            incoming.request.framing.hostCount == 1 ? incoming.request.framing.host : nil,
            authority: authority,
            isRequired: incoming.request.group.map { groups[$0].checksHost } ?? false,
            peer: &peer)
        try rateLimiter?.count(incoming.request.address)
        let attemptLimiter = incoming.request.endpoint.flatMap { self[$0].attemptLimiter }
        try attemptLimiter?.count(incoming.request.address)
        guard let recognition = recognition(of: incoming) else { return }
        let maximumBodyBytesOfKnown = recognition.maximumBodyBytes ?? maximumBodyBytes
        switch try recognition.caller(of: RequestFields(incoming.request.head.headers)) {
        case .known(let caller):
            incoming.caller = caller
            incoming.maximumBodyBytes = maximumBodyBytesOfKnown
            return
        // An attempt to sign in has a limit of its own, whatever cookie comes with it.
        case .wrongCredentials where attemptLimiter == nil:
            // Only failures count, so valid credentials are never limited by guesses from the same
            // address.
            try recognition.wrongCredentialsLimiter.count(incoming.request.address)
        case .nobody, .wrongCredentials: break
        }
        // A body that only the credentials would allow is refused for want of them, not for its size.
        let length = incoming.request.framing.contentLength ?? 0
        if length > maximumBodyBytes, length <= maximumBodyBytesOfKnown {
            _ = try permittedRequest(incoming, body: ByteBuffer())
        }
    }

    func recognition(of incoming: Incoming) -> (any CallerRecognition)? {
        incoming.request.endpoint.flatMap { self[$0].recognition }
            ?? incoming.request.group.flatMap { groups[$0].recognition }
    }
}
