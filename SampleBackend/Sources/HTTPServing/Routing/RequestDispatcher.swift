package import HTTPTypes
package import Logging
package import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// The pipeline of every request: match the head, admit the request, let the endpoint answer,
/// record.
///
/// Paths are compared segment by segment as sent, since an empty segment is a valid user ID. An
/// unknown path (404) is distinguished from an unsupported method (405).
package struct RequestDispatcher: Sendable {
    struct Entry: Sendable {
        let route: Route
        /// Index in `groups`.
        let group: Int
        let recorder: RequestRecorder
    }

    let groups: [RouteGroup]
    let entries: [Entry]
    let table: RouteTable
    private let otherRecorder: RequestRecorder
    let maximumBodyBytes: Int
    private let maximumAnswerBytes: Int
    let rateLimiter: RateLimiter<ClientAddress>?
    private let crossOriginAccess: CrossOriginAccess
    let hostAccess: HostAccess?
    let trustedProxies: TrustedProxies
    private let unknownPath: @Sendable (RequestTarget) -> RequestError
    private let logger: Logger

    /// Dispatches to the route whose pattern matches, as ``RouteTable`` finds it.
    ///
    /// Without `hostAccess` every `Host` is accepted; `unknownPath` creates the error for a target
    /// that matches no route.
    package init(
        groups: [RouteGroup], limits: ServerLimits = ServerLimits(),
        crossOriginAccess: CrossOriginAccess = .none, hostAccess: HostAccess? = nil,
        trustedProxies: TrustedProxies = TrustedProxies([]),
        unknownPath: @escaping @Sendable (RequestTarget) -> RequestError, logger: Logger
    ) {
        self.unknownPath = unknownPath
        self.groups = groups
        entries = groups.enumerated().flatMap { index, group in
            group.routes.map { route in
                Entry(
                    route: route, group: index,
                    recorder: RequestRecorder(route: route.pattern.description, logger: logger))
            }
        }
        table = RouteTable(groups.flatMap { $0.routes.map(\.pattern) })
        otherRecorder = RequestRecorder(route: RequestRecorder.otherRoute, logger: logger)
        maximumBodyBytes = limits.bodyBytes
        maximumAnswerBytes = limits.messageBytes
        rateLimiter = limits.requestsPerSecond.map { RateLimiter(requestsPerSecond: $0) }
        self.crossOriginAccess = crossOriginAccess
        self.hostAccess = hostAccess
        self.trustedProxies = trustedProxies
        self.logger = logger
    }
}

extension RequestDispatcher {
    enum Answering {
        case now(Answer)
        /// The answer is computed on a pool.
        case later(WorkPool, @Sendable () async -> Answer)
    }

    /// Answers a completely read request and records the answer.
    func answer(_ incoming: Incoming, body: ByteBuffer) -> Answering {
        if isPreflight(incoming) {
            return .now(finish(.response(RouteResponse(status: .noContent)), to: incoming))
        }
        do throws(RequestError) {
            let (endpoint, request) = try permittedRequest(incoming, body: body)
            switch self[endpoint].answering {
            case .immediate(let handler):
                return .now(finish(try handler(request), to: incoming))
            case .asynchronous(let handler):
                let pool = self[endpoint].pool ?? incoming.request.group.flatMap { groups[$0].pool }
                return .later(pool ?? .unlimited) {
                    await self.run(incoming) { try await handler(request) }
                }
            }
        } catch {
            return .now(refused(incoming, for: error))
        }
    }

    /// The refusal of a request, or a second attempt to answer after a wait, since its credentials
    /// may be so new that this server does not know them yet.
    private func refused(_ incoming: Incoming, for error: RequestError) -> Answer {
        guard error.httpStatus == .unauthorized, !incoming.isRepeated,
            let catchUp = recognition(of: incoming)?.catchUp(
                for: RequestFields(incoming.request.head.headers))
        else { return .response(refusal(of: incoming, for: error)) }
        return .repeated(after: catchUp, error)
    }

    /// Finds the endpoint of a request and checks that the caller may use it.
    func permittedRequest(
        _ incoming: Incoming, body: ByteBuffer
    ) throws(RequestError) -> (endpoint: EndpointIndex, request: RouteRequest) {
        guard let method = incoming.request.method else {
            throw .invalidArgument("The method is not a valid HTTP method: send another.")
        }
        let target = try incoming.request.target.get()
        guard let entry = incoming.request.entry else { throw unknownPath(target) }
        guard let endpoint = incoming.request.endpoint else {
            throw entries[entry].route.methodNotAllowed
        }
        let request = RouteRequest(
            method: method, target: target,
            parameters: PathParameters(target.segments, of: entries[entry].route.pattern),
            headerFields: RequestFields(incoming.request.head.headers), body: body,
            address: incoming.request.address, caller: caller(of: incoming),
            carried: incoming.request.carried)
        try self[endpoint].access.check(request)
        if body.readableBytes > 0, let coding = request.headerFields[.contentEncoding],
            coding.lowercased() != "identity"
        {
            throw .unsupportedCoding(coding)
        }
        return (endpoint, request)
    }

    /// The caller.
    ///
    /// It is recognized again when a body followed the head or the answer waited, because a token
    /// may have been revoked or become known in the meantime.
    private func caller(of incoming: Incoming) -> (any RequestCaller)? {
        guard incoming.request.framing.declaresBody || incoming.isRepeated,
            let recognition = recognition(of: incoming)
        else {
            return incoming.caller
        }
        guard
            case .known(let caller)? = try? recognition.caller(
                of: RequestFields(incoming.request.head.headers))
        else { return nil }
        return caller
    }

    /// True for a CORS preflight request.
    private func isPreflight(_ incoming: Incoming) -> Bool {
        guard incoming.request.head.method == .OPTIONS, incoming.request.entry != nil,
            let group = incoming.request.group
        else { return false }
        return groups[group].crossOriginFields != nil
            && incoming.request.head.headers.contains(name: "origin")
    }

    private func run(
        _ incoming: Incoming, _ work: @Sendable () async throws -> Answer
    ) async -> Answer {
        do {
            return finish(try await work(), to: incoming)
        } catch let error as RequestError {
            return refused(incoming, for: error)
        } catch {
            logger.error(
                "A request failed",
                metadata: [
                    "path":
                        "\(incoming.request.entry.map { entries[$0].route.pattern.description } ?? "-")",
                    "error": "\(error)",
                ])
            return .response(refusal(of: incoming, for: .internalError))
        }
    }

    /// Creates and records the error response to a request; nil means a request without a readable
    /// head.
    func refusal(of incoming: Incoming?, for error: RequestError) -> RouteResponse {
        let target = incoming?.request.head.uri ?? ""
        let body =
            incoming?.request.group.map { groups[$0].errorBody(error, target) } ?? error.jsonBytes
        var response = RouteResponse.json(
            body, status: error.httpStatus, headerFields: error.headerFields)
        addFields(to: &response.headerFields, of: incoming)
        record(response, to: incoming)
        return response
    }

    /// Adds the group's header fields and records the answer.
    private func finish(_ answer: Answer, to incoming: Incoming) -> Answer {
        switch answer {
        case .response(let response): return .response(finish(response, to: incoming))
        case .stream(var opening):
            addFields(to: &opening.headerFields, of: incoming)
            record(RouteResponse(status: .ok), to: incoming)
            return .stream(opening)
        case .waiting(let opening): return .waiting(recorded(opening, of: incoming))
        case .repeated(_, let error):
            return incoming.isRepeated ? .response(refusal(of: incoming, for: error)) : answer
        }
    }

    /// The same wait, but its response is completed and recorded when it arrives.
    private func recorded(_ opening: WaitOpening, of incoming: Incoming) -> WaitOpening {
        var incoming = incoming
        incoming.isTimed = false
        return WaitOpening { [incoming] eventLoop, completion in
            opening.begin(eventLoop) { result in
                switch result {
                case .success(let response): completion(.success(finish(response, to: incoming)))
                case .failure(let error):
                    completion(.success(refusal(of: incoming, for: error)))
                }
            }
        }
    }

    /// Adds the group's header fields to a response and records it; an error replaces a response
    /// that is too large.
    func finish(_ response: RouteResponse, to incoming: Incoming) -> RouteResponse {
        guard response.body.readableBytes <= maximumAnswerBytes else {
            return refusal(
                of: incoming,
                for: .answerTooLarge(
                    bytes: response.body.readableBytes, limit: maximumAnswerBytes))
        }
        var response = response
        addFields(to: &response.headerFields, of: incoming)
        record(response, to: incoming)
        return response
    }

    private func addFields(to headerFields: inout HTTPFields, of incoming: Incoming?) {
        guard let incoming, let group = incoming.request.group else { return }
        if let fields = groups[group].crossOriginFields, incoming.request.entry != nil {
            crossOriginAccess.add(
                fields, to: &headerFields, isPreflight: isPreflight(incoming),
                origin: incoming.request.head.headers.first(name: "origin"))
        }
        for field in groups[group].headerFields { headerFields[field.name] = field.value }
    }

    private func record(_ response: RouteResponse, to incoming: Incoming?) {
        guard incoming?.isRecorded ?? true else { return }
        let isHead = incoming?.request.head.method == .HEAD
        let recorder = incoming?.request.entry.map { entries[$0].recorder } ?? otherRecorder
        recorder.record(
            method: incoming?.request.head.method.rawValue, status: response.status.code,
            bytes: isHead ? 0 : response.body.readableBytes,
            duration: incoming.map { $0.request.start.duration(to: .now) },
            isTimed: incoming?.isTimed ?? true)
    }
}

extension RequestDispatcher {
    /// Answers a request without a connection, for an authenticated caller.
    package func respond(
        method: HTTPRequest.Method, path: String, headerFields: HTTPFields, body: ByteBuffer,
        caller: any RequestCaller
    ) async -> RouteResponse {
        var incoming = match(
            HTTPRequestHead(
                version: .http1_1, method: HTTPMethod(rawValue: method.rawValue), uri: path,
                headers: HTTPHeaders(headerFields.map { ($0.name.rawName, $0.value) })),
            from: nil)
        incoming.caller = caller
        incoming.isRecorded = false
        let answer =
            switch answer(incoming, body: body) {
            case .now(let answer): answer
            case .later(_, let work): await work()
            }
        switch answer {
        case .response(let response): return response
        case .repeated(_, let error): return refusal(of: incoming, for: error)
        case .stream, .waiting: return refusal(of: incoming, for: .internalError)
        }
    }
}
