import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension RequestDispatcher {
    /// A request whose head was read.
    struct Incoming: Sendable {
        let head: HTTPRequestHead
        let start = ContinuousClock.now
        let address: ClientAddress?
        let target: Result<RequestTarget, RequestError>
        var entry: Entry?
        var parameters: [String: String] = [:]
        var group: RouteGroup?
        var caller: (any Sendable)?
        /// True when the answer is counted and logged; false without a connection.
        var isRecorded = true

        /// False for a request that waited on purpose.
        var isTimed = true

        /// The error that ends the request before its body is read; nil when it was admitted.
        var refusal: RequestError?

        var maximumBodyBytes: Int

        /// True when a browser asks what a page of another origin may send.
        var isPreflight: Bool {
            head.method == .OPTIONS && entry != nil && group?.isReadableAcrossOrigins ?? false
                && head.headers.contains(name: "origin")
        }
    }
}

extension RequestDispatcher {
    /// Matches a request, and decides from its head whether to read the body.
    func receive(_ head: HTTPRequestHead, from address: ClientAddress?) -> Incoming {
        var incoming = match(head, from: address)
        do throws(RequestError) {
            try admit(&incoming)
        } catch {
            incoming.refusal = error
        }
        return incoming
    }

    func match(_ head: HTTPRequestHead, from address: ClientAddress?) -> Incoming {
        let target = Result { () throws(RequestError) in try RequestTarget(head.uri) }
        var incoming = Incoming(
            head: head, address: address, target: target, maximumBodyBytes: maximumBodyBytes)
        if case .success(let target) = target {
            for entry in entries {
                guard let parameters = entry.route.pattern.match(target.segments) else { continue }
                incoming.entry = entry
                incoming.parameters = parameters
                incoming.group = groups[entry.group]
                return incoming
            }
        }
        incoming.group = groups.first { $0.covers(head.uri) }
        return incoming
    }

    /// Checks everything that the head allows to check: the host, the rate limits, and the caller's
    /// credentials.
    private func admit(_ incoming: inout Incoming) throws(RequestError) {
        let head = incoming.head
        guard let parts = TargetParts(head.uri) else { throw RequestTarget.noPath }
        // Requests with any other number of `Host` fields are refused right after this.
        let hosts = head.headers["host"].count == 1 ? head.headers["host"] : []
        try hostAccess?.check(
            hosts + [parts.authority].compactMap { $0 },
            isRequired: incoming.group?.checksHost ?? false)
        try rateLimiter?.count(incoming.address)
        let attemptLimiter = endpoint(of: incoming)?.attemptLimiter
        try attemptLimiter?.count(incoming.address)
        guard let recognition = recognition(of: incoming) else { return }
        let maximumBodyBytesOfKnown = recognition.maximumBodyBytes ?? maximumBodyBytes
        switch recognition.caller(of: RequestFields(head.headers)) {
        case .known(let caller):
            incoming.caller = caller
            incoming.maximumBodyBytes = maximumBodyBytesOfKnown
            return
        // An attempt to sign in has a limit of its own, whatever cookie comes with it.
        case .wrongCredentials where attemptLimiter == nil:
            // Only failures count, so valid credentials are never limited by guesses from the same
            // address.
            try recognition.wrongCredentialsLimiter.count(incoming.address)
        case .nobody, .wrongCredentials: break
        }
        // A body that only the credentials would allow is refused for want of them, not for its size.
        let length = head.declaredBodyLength
        if length > maximumBodyBytes, length <= maximumBodyBytesOfKnown {
            _ = try permittedRequest(incoming, body: ByteBuffer())
        }
    }

    func recognition(of incoming: Incoming) -> (any CallerRecognition)? {
        endpoint(of: incoming)?.recognition ?? incoming.group?.recognition
    }

    private func endpoint(of incoming: Incoming) -> Endpoint? {
        guard let method = try? HTTPRequest.Method(incoming.head.method) else { return nil }
        return incoming.entry?.route.endpoints[method]
    }
}
