import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A user's connection over a ``StreamSession``.
final class URLSessionEventConnection: ActiveConfigEventConnection {
    private struct State {
        var session: StreamSession?
        var exchange: StreamExchange?
        var isClosed = false
    }

    private let source: URLSessionEventSource
    private let userID: String?
    private let state = Locked(State())

    init(_ source: URLSessionEventSource, userID: String?) {
        self.source = source
        self.userID = userID
    }

    deinit { close() }

    func document(
        lastKnown: ConfigurationState?, wait: Duration?
    ) async throws -> DocumentAnswer {
        var request = try prepare(await source.documentRequest(userID))
        if let tag = lastKnown?.entityTag {
            request.setValue(tag, forHTTPHeaderField: "If-None-Match")
        }
        if let wait {
            request.setValue(
                "wait=\(wait.components.seconds)", forHTTPHeaderField: "Prefer")
        }
        let exchange = StreamExchange(request, maximumSize: source.limits.maximumSize)
        let session = try start(exchange)
        let timer = Task { [source] in
            try await Task.sleep(for: source.timeout + (wait ?? .zero))
            session.cancel(exchange, with: DownloadError(.timedOut, url: exchange.url))
        }
        defer { timer.cancel() }
        let head = try await exchange.head()
        let retryAfter = RetryAfter.duration(in: head, now: source.now())
        let isUnchanged = head.statusCode == 304 && lastKnown?.entityTag != nil
        guard isUnchanged || 200...299 ~= head.statusCode else {
            // Not read to its end: on Linux an answer that asks for a password has none.
            let error = DownloadError(.httpStatus, status: head.statusCode, url: exchange.url)
            session.cancel(exchange, with: error)
            throw RefusedAnswer(error, retryAfter: retryAfter)
        }
        let body = try await exchange.body()
        var configuration: ConfigurationState?
        if isUnchanged {
            configuration = lastKnown?.confirmed(by: head)
        } else {
            configuration = try ConfigurationState(
                jsonData: Data(body), limits: source.limits)
            configuration?.entityTag = head.value(forHTTPHeaderField: "ETag")
            configuration?.noteFields(of: head, body: Data(body))
        }
        return DocumentAnswer(
            configuration,
            hasWaited: head.value(forHTTPHeaderField: "Preference-Applied")?
                .contains("wait") == true,
            retryAfter: retryAfter,
            allowsStream: head.value(forHTTPHeaderField: "Connection")?.lowercased() != "close")
    }

    func openEvents(lastEventID: String?) async throws {
        guard let made = try await source.streamRequest(userID) else {
            throw NoEventStream("the server has none for this user")
        }
        var request = try prepare(made)
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        if let lastEventID { request.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID") }
        let exchange = StreamExchange(request, maximumSize: 2 * source.limits.maximumSize)
        let session = try start(exchange)
        let timer = Task { [source] in
            try await Task.sleep(for: source.timeout)
            session.cancel(exchange, with: NoEventStream("the server does not answer"))
        }
        defer { timer.cancel() }
        let head = try await exchange.head()
        guard head.statusCode == 200, head.mimeType == "text/event-stream" else {
            let error = DownloadError(.httpStatus, status: head.statusCode, url: exchange.url)
            session.cancel(exchange, with: error)
            if [401, 403, 408, 425, 429, 500, 502, 503, 504].contains(head.statusCode) {
                throw RefusedAnswer(
                    error, retryAfter: RetryAfter.duration(in: head, now: source.now()))
            }
            throw NoEventStream(
                "the server answers with status \(head.statusCode) and "
                    + "\(head.mimeType ?? "no content type")")
        }
    }

    func nextBytes() async throws -> [UInt8]? {
        guard let exchange = state.withLock({ $0.exchange }) else { throw CancellationError() }
        return try await exchange.nextBytes()
    }

    func close() {
        let (session, exchange) = state.withLock { state in
            state.isClosed = true
            defer { (state.session, state.exchange) = (nil, nil) }
            return (state.session, state.exchange)
        }
        exchange?.end(.failure(CancellationError()))
        session?.release()
    }

    private func prepare(_ request: URLRequest) throws -> URLRequest {
        guard ["http", "https"].contains(request.url?.scheme?.lowercased()) else {
            throw DownloadError(.notHTTP, url: request.url)
        }
        var request = request
        // Restarts with every piece; the times that count are measured elsewhere.
        request.timeoutInterval = 600
        return request
    }

    private func start(_ exchange: StreamExchange) throws -> StreamSession {
        let session = state.withLock { state -> StreamSession? in
            if state.isClosed { return nil }
            let session = state.session ?? StreamSession.take()
            (state.session, state.exchange) = (session, exchange)
            return session
        }
        guard let session else { throw CancellationError() }
        session.start(exchange)
        return session
    }
}
