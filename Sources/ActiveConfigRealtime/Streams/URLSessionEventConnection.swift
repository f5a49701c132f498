import ActiveConfig
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A user's connection over a ``StreamSession``.
final class URLSessionEventConnection: ActiveConfigEventConnection {
    private struct State {
        var session: StreamSession?
        var exchange: StreamExchange?
        /// Of the stream.
        var reader: EventReader?
        var isClosed = false
        /// Of the newest document that was sent or confirmed.
        var entityTag: String?
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
        try await answered(by: source.refresh) { token in
            try await requestDocument(lastKnown: lastKnown, wait: wait, token: token)
        }
    }

    func openEvents(lastEventID: String?) async throws {
        var isFirst = true
        try await answered(by: source.streamRefresh) { token in
            if !isFirst {
                // On the new connection, too, a document precedes the stream.
                var known = ConfigurationState()
                known.entityTag = state.withLock { $0.entityTag }
                _ = try await requestDocument(
                    lastKnown: known, wait: nil,
                    token: source.sharesCredentials ? token : nil
                ).get()
            }
            isFirst = false
            return try await requestEvents(lastEventID: lastEventID, token: token)
        }
    }

    /// Sends a request; if it is refused for its credentials, once more on a new connection.
    private func answered<Answer: Sendable>(
        by refresh: CredentialRefresh?,
        _ send: (_ token: String?) async throws -> Result<Answer, DownloadError>
    ) async throws -> Answer {
        var isFirst = true
        return try await refresh.answer(forUserID: userID, url: source.reportedURL) { token in
            // The refused answer was not read to its end.
            if !isFirst { leaveSession() }
            isFirst = false
            return try await send(token)
        }
    }

    private func requestDocument(
        lastKnown: ConfigurationState?, wait: Duration?, token: String?
    ) async throws -> Result<DocumentAnswer, DownloadError> {
        var context = source.context(userID, lastKnown)
        context.refreshedToken = token
        let made = try await AppCode.run { try await source.documentRequest(context) }
        guard let made else {
            throw DownloadError(.notHTTP, url: source.reportedURL)
        }
        var document = try DocumentRequest(
            made, context, lastKnown: lastKnown, reportedURL: source.reportedURL)
        if let wait {
            document.request.setValue(
                "wait=\(wait.components.seconds)", forHTTPHeaderField: "Prefer")
        }
        let exchange = StreamExchange(
            document.request, maximumSize: source.limits.maximumSize,
            reportedURL: source.reportedURL)
        let session = try start(exchange)
        let timer = Task { [source] in
            try await Task.sleep(for: source.timeout + (wait ?? .zero))
            session.cancel(exchange, with: DownloadError(.timedOut, url: exchange.url))
        }
        defer { timer.cancel() }
        let head = try await exchange.answer.head()
        guard document.isAnswered(by: head) else {
            return .failure(try await refuse(exchange, head, on: session))
        }
        let body = try await exchange.answer.body()
        let configuration = try document.configuration(
            Data(body), of: head, limits: source.limits)
        let tag = (configuration ?? lastKnown)?.entityTag
        state.withLock { $0.entityTag = tag }
        return .success(
            DocumentAnswer(
                configuration,
                hasWaited: head.value(forHTTPHeaderField: "Preference-Applied")?
                    .contains("wait") == true,
                retryAfter: RetryAfter.duration(in: head, now: Date()),
                allowsStream: head.value(forHTTPHeaderField: "Connection")?.lowercased()
                    != "close"))
    }

    private func requestEvents(
        lastEventID: String?, token: String?
    ) async throws -> Result<Void, DownloadError> {
        var context = source.context(userID, nil)
        context.refreshedToken = token
        guard let made = try await source.streamRequest(context) else {
            throw NoEventStreamError("the server has none for this user")
        }
        var request = try made.checked(reportedURL: source.reportedURL)
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        if let lastEventID {
            request.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID")
            // After a restore, the server cannot know the document by its version.
            let tag = state.withLock { $0.entityTag }
            if let tag { request.setValue(tag, forHTTPHeaderField: "If-None-Match") }
        }
        let exchange = StreamExchange(
            request, maximumSize: 2 * min(source.limits.maximumSize, .max / 2),
            reportedURL: source.reportedURL)
        let session = try start(exchange)
        let timer = Task { [source] in
            try await source.clock.sleep(for: source.streamTimeout)
            session.cancel(exchange, with: NoEventStreamError("the server does not answer"))
        }
        defer { timer.cancel() }
        let head = try await exchange.answer.head()
        guard head.statusCode == 200, head.mimeType == "text/event-stream" else {
            let refused = try await refuse(exchange, head, on: session)
            if [401, 403, 408, 425, 429, 500, 502, 503, 504].contains(head.statusCode) {
                return .failure(refused)
            }
            let says = refused.serverMessage.map {
                ", and says \"\($0.replacing("\"", with: "'"))\""
            }
            throw NoEventStreamError(
                "the server answers with status \(head.statusCode) and "
                    + "\(head.mimeType ?? "no content type")\(says ?? "")",
                status: head.statusCode)
        }
        let reader = EventReader(source.limits)
        state.withLock { $0.reader = reader }
        return .success(())
    }

    private func refuse(
        _ exchange: StreamExchange, _ head: HTTPURLResponse, on session: StreamSession
    ) async throws -> DownloadError {
        let body = await errorBody(of: exchange, head, on: session)
        try Task.checkCancellation()
        let error = body.error(of: exchange.request, of: userID, url: exchange.url)
        session.cancel(exchange, with: error)
        return error
    }

    /// As much of the body as a message needs and arrives soon.
    private func errorBody(
        of exchange: StreamExchange, _ head: HTTPURLResponse, on session: StreamSession
    ) async -> ErrorBody {
        let timer = Task {
            try await Task.sleep(for: ErrorBody.timeout)
            session.cancel(exchange, with: CancellationError())
        }
        defer { timer.cancel() }
        // The body is not an event stream, and may have no end.
        if 200...299 ~= head.statusCode { return ErrorBody(Data(), of: head) }
        var data = Data()
        while !ErrorBody(data, of: head).isComplete,
            let bytes = try? await exchange.answer.next()
        {
            data.append(contentsOf: bytes.prefix(ErrorBody.maximumSize - data.count))
        }
        return ErrorBody(data, of: head)
    }

    func nextEvent() async throws -> ActiveConfigEvent? {
        let (exchange, reader) = state.withLock { ($0.exchange, $0.reader) }
        guard let exchange, let reader else { throw CancellationError() }
        return try await reader.next { try await exchange.answer.next() }
    }

    func close() {
        state.withLock { $0.isClosed = true }
        leaveSession()
    }

    /// Ends the exchange and returns the session; the next exchange uses another connection.
    private func leaveSession() {
        let (session, exchange) = state.withLock { state in
            defer { (state.session, state.exchange) = (nil, nil) }
            return (state.session, state.exchange)
        }
        exchange?.answer.end(.failure(CancellationError()))
        session?.release()
    }

    private func start(_ exchange: StreamExchange) throws -> StreamSession {
        let session = state.withLock { state -> StreamSession? in
            if state.isClosed { return nil }
            let session = state.session ?? StreamSession.take(from: source.sessions)
            (state.session, state.exchange) = (session, exchange)
            return session
        }
        guard let session else { throw CancellationError() }
        session.start(exchange)
        return session
    }
}
