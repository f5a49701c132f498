import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension RequestDispatcher {
    /// The parsed head of a request and the route that it matches.
    ///
    /// A class because many steps pass it on, and each copy of a struct would retain many
    /// references.
    final class MatchedRequest: Sendable {
        let head: HTTPRequestHead
        let framing: RequestFraming
        let start = ContinuousClock.now
        let address: ClientAddress?
        let carried: CarriedValue?
        let target: Result<RequestTarget, RequestError>
        /// Nil when it is not an HTTP token.
        let method: HTTPRequest.Method?
        /// Index into ``RequestDispatcher/entries``; nil when no route matches.
        let entry: Int?
        /// Nil when no route matches, or when the route does not support the method.
        let endpoint: EndpointIndex?
        /// Index into ``RequestDispatcher/groups`` of the group that owns the route or covers the
        /// path; nil when there is none.
        let group: Int?

        /// Matches a request; `peer` is nil when there is no connection.
        init(_ head: HTTPRequestHead, from peer: Peer?, in dispatcher: RequestDispatcher) {
            self.head = head
            framing = RequestFraming(head.headers)
            address = dispatcher.clientAddress(of: head.headers, from: peer)
            carried = peer?.carried
            method = try? HTTPRequest.Method(head.method)
            let target = Result { () throws(RequestError) in try RequestTarget(head.uri) }
            self.target = target
            if case .success(let target) = target,
                let entry = dispatcher.table.index(of: target.segments)
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

    /// A request whose head has been read.
    struct Incoming: Sendable {
        let request: MatchedRequest
        var caller: (any RequestCaller)?
        /// True when the answer is counted and logged; false without a connection.
        var isRecorded = true

        /// False for a request that waited on purpose.
        var isTimed = true

        /// True when it is answered for the second time and must not wait again.
        var isRepeated = false

        /// The error that ends the request before its body is read; nil when it was admitted.
        var refusal: RequestError?

        var maximumBodyBytes: Int
    }
}

/// The position of an endpoint: indexes into the dispatcher's entries and the route's endpoints.
///
/// It is used instead of the endpoint itself because copying that updates reference counts that all
/// connections share.
struct EndpointIndex: Sendable {
    let entry: Int
    let endpoint: Int
}

extension RequestDispatcher {
    subscript(index: EndpointIndex) -> Endpoint {
        entries[index.entry].route.endpoints[index.endpoint].endpoint
    }

    /// Matches a request and decides from its head whether to read the body.
    func receive(_ head: HTTPRequestHead, from peer: inout Peer) -> Incoming {
        var incoming = match(head, from: peer)
        do throws(RequestError) {
            try admit(&incoming, from: &peer)
        } catch {
            incoming.refusal = error
        }
        return incoming
    }

    /// The address of the client for limits, the audit trail and the log; nil when it is unknown.
    func clientAddress(of headers: HTTPHeaders, from peer: Peer?) -> ClientAddress? {
        guard let address = peer?.address else { return nil }
        if trustedProxies.isEmpty { return ClientAddress(address) }
        return ClientAddress(
            trustedProxies.client(of: address, forwardedFor: headers["x-forwarded-for"]))
    }

    /// Finds the route of a request; `peer` is nil when there is no connection.
    func match(_ head: HTTPRequestHead, from peer: Peer?) -> Incoming {
        Incoming(
            request: MatchedRequest(head, from: peer, in: self),
            maximumBodyBytes: maximumBodyBytes)
    }

    /// Checks what the head allows: the host, the rate limits and the caller's credentials.
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
        // Requests with another number of `Host` fields are refused by the state machine
        // afterwards.
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
        // A sign-in attempt has its own limit, regardless of its cookie.
        case .wrongCredentials where attemptLimiter == nil:
            // Only failures count, so guesses from the same address never limit valid credentials.
            try recognition.wrongCredentialsLimiter.count(incoming.request.address)
        case .nobody, .wrongCredentials: break
        }
        // A body whose size only valid credentials allow is refused because they are missing, not
        // because of its size.
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
