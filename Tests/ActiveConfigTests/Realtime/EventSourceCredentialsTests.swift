import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

/// Credentials and signals of an updater's connections.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EventSourceCredentialsTests {
    private static let document =
        #"{"meta":{"template_version":7},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#

    /// Server that accepts the token "new" unless `isRefused`, and no other token.
    private static func server(
        refusing isRefused: @escaping @Sendable (LoopbackServer.Request) -> Bool
    ) throws -> LoopbackServer {
        try LoopbackServer(keepsAlive: true) { request in
            if isRefused(request) {
                return [
                    .send(
                        "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n")
                ]
            }
            if request.target.contains("/events") {
                return [
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                            + "event: hello\nid: 7\ndata: {}\n\n"), .hang,
                ]
            }
            if request.headers["if-none-match"] == "\"7\"" {
                return [.send("HTTP/1.1 304 Same\r\nContent-Length: 0\r\n\r\n")]
            }
            return [
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(document.utf8.count)\r\n"
                        + "ETag: \"7\"\r\n\r\n\(document)")
            ]
        }
    }

    private static func isOld(_ request: LoopbackServer.Request) -> Bool {
        request.headers["authorization"] != "Bearer new"
    }

    /// The token and the number of refreshes.
    private struct Tokens: Sendable {
        let count = Locked(0)

        func credentials(_ refreshed: String = "new") -> ClientCredentials {
            .userToken { [count] request in
                if request.reason == .refused { count.withLock { $0 += 1 } }
                return count.withLock { $0 } > 0 ? refreshed : "old"
            }
        }
    }

    private static func backend(
        _ server: LoopbackServer, credentials: ClientCredentials = .none,
        signals: ClientSignals? = nil
    ) throws -> ActiveConfigBackend {
        ActiveConfigBackend(url: try server.url("/"), credentials: credentials, signals: signals)
    }

    @Test func aRefusedDocumentIsFetchedWithANewToken() async throws {
        let server = try Self.server(refusing: Self.isOld)
        defer { server.stop() }
        let tokens = Tokens()
        let source = URLSessionEventSource(
            backend: try Self.backend(server, credentials: tokens.credentials()))
        let connection = source.connection(forUserID: "1")
        defer { connection.close() }
        let answer = try await connection.document(lastKnown: nil, wait: nil)
        #expect(answer.configuration?["S"]?.integer(forKey: "a") == 1)
        try await connection.openEvents(lastEventID: "7")
        #expect(try await connection.nextEvent() != nil)
        // The stream uses the connection of the document request that succeeded.
        #expect(server.requests.count == 3)
        #expect(server.requests[1].connection == server.requests[2].connection)
        #expect(tokens.count.withLock { $0 } == 1)
    }

    @Test func aRefusedStreamIsOpenedWithANewTokenAfterADocument() async throws {
        let server = try Self.server { Self.isOld($0) && $0.target.contains("/events") }
        defer { server.stop() }
        let tokens = Tokens()
        let source = URLSessionEventSource(
            backend: try Self.backend(server, credentials: tokens.credentials()))
        let connection = source.connection(forUserID: "1")
        defer { connection.close() }
        _ = try await connection.document(lastKnown: nil, wait: nil)
        try await connection.openEvents(lastEventID: "7")
        #expect(try await connection.nextEvent() != nil)
        let requests = server.requests
        #expect(
            requests.map { $0.target.contains("/events") } == [false, true, false, true])
        #expect(requests[2].connection == requests[3].connection)
        #expect(requests.last?.headers["last-event-id"] == "7")
        #expect(tokens.count.withLock { $0 } == 1)
    }

    @Test func aSecond401IsTheAnswerAndNamesNoUser() async throws {
        let server = try Self.server { _ in true }
        defer { server.stop() }
        let tokens = Tokens()
        let source = URLSessionEventSource(
            backend: try Self.backend(server, credentials: tokens.credentials()))
        let connection = source.connection(forUserID: "user-17")
        let refused = await #expect(throws: DownloadError.self) {
            try await connection.document(lastKnown: nil, wait: nil)
        }
        #expect(refused?.status == 401)
        #expect(refused?.url?.path() == "/")
        #expect(server.requests.count == 2)
        #expect(tokens.count.withLock { $0 } == 1)
    }

    @Test func anAppKeyIsSentAndARefusalOfItIsTheAnswer() async throws {
        let server = try Self.server { $0.headers["x-api-key"] == "wrong" }
        defer { server.stop() }
        for (key, count) in [("right", 1), ("wrong", 2)] {
            let source = URLSessionEventSource(
                backend: try Self.backend(server, credentials: .apiKey(key)))
            let connection = source.connection(forUserID: nil)
            defer { connection.close() }
            let answer = try? await connection.document(lastKnown: nil, wait: nil)
            #expect((answer != nil) == (key == "right"))
            #expect(server.requests.last?.headers["x-api-key"] == key)
            #expect(server.requests.count == count)
        }
    }

    /// A download and a connection are refused at the same time.
    @Test func oneRefreshIsForAllThatHaveTheSameCredentials() async throws {
        let server = try Self.server(refusing: Self.isOld)
        defer { server.stop() }
        let refused = AsyncStream.makeStream(of: Void.self)
        let (refreshCount, known) = (Locked(0), Locked("old"))
        let credentials = ClientCredentials.userToken { request in
            if request.reason == .first {
                defer { refused.continuation.yield() }
                return known.withLock { $0 }
            }
            refreshCount.withLock { $0 += 1 }
            // Waits until both have made a request with the old token.
            var count = 0
            for await _ in refused.stream {
                count += 1
                if count == 2 { break }
            }
            known.withLock { $0 = "new" }
            return "new"
        }
        let backend = try Self.backend(server, credentials: credentials)
        let downloader = JSONURLDownloader(backend: backend)
        let connection = URLSessionEventSource(backend: backend).connection(forUserID: "1")
        defer { connection.close() }
        async let first = downloader.requestActiveConfig(forUserID: "1", lastKnown: nil)
        async let second = connection.document(lastKnown: nil, wait: nil)
        _ = try await (first, second)
        #expect(refreshCount.withLock { $0 } == 1)
    }

    @Test func signalsAreReadForEachConnectionAndAChangeIsAnnounced() async throws {
        let server = try Self.server { _ in false }
        defer { server.stop() }
        let signals = ClientSignals(platform: { PlatformSignals() })
        let source = URLSessionEventSource(
            backend: try Self.backend(server, signals: signals))
        var changes = source.changes().makeAsyncIterator()
        for plan in ["free", "pro"] {
            try await signals.setCustomSignals(["plan": .string(plan)])
            await changes.next()
            let connection = source.connection(forUserID: "1")
            defer { connection.close() }
            _ = try await connection.document(lastKnown: nil, wait: nil)
            try await connection.openEvents(lastEventID: nil)
            #expect(
                server.requests.suffix(2).map(\.target) == [
                    "/activeconfig/user/1?signal.plan=\(plan)",
                    "/activeconfig/user/1/events?signal.plan=\(plan)",
                ])
        }
    }

    @Test func newTokensAreAnnounced() async throws {
        let server = try Self.server { _ in false }
        defer { server.stop() }
        let credentials = ClientCredentials.apiKey("a")
        let source = URLSessionEventSource(
            backend: try Self.backend(server, credentials: credentials))
        var changes = source.changes().makeAsyncIterator()
        credentials.tokensDidChange()
        await changes.next()
    }
}

/// An event source that can change its requests, over a scripted backend.
private struct ChangingSource: ActiveConfigEventSource {
    let backend: ScriptedBackend
    private let stream: AsyncStream<Void>
    let change: AsyncStream<Void>.Continuation

    init(backend: ScriptedBackend) {
        self.backend = backend
        (stream, change) = AsyncStream.makeStream()
    }

    func connection(forUserID userID: String?) -> any ActiveConfigEventConnection {
        backend.connection(forUserID: userID)
    }

    func changes() -> AsyncStream<Void> { stream }
}

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ChangedRequestsTests {
    private let backend = ScriptedBackend()
    private let config = ActiveConfig.make()

    private func updater(_ source: ChangingSource) -> ActiveConfigUpdater {
        .make(config, source: source, clock: backend.clock)
    }

    /// Advances the clock to each deadline until a condition is met, but never past a limit, so
    /// that a slow machine does not use more of the clock's time.
    ///
    /// If the condition is never met, the test's time limit ends the wait.
    private func advance(
        atMost limit: Duration = .seconds(100), until isMet: () -> Bool
    ) async throws {
        let end = backend.clock.now.advanced(by: limit)
        while !isMet() {
            if let next = backend.clock.deadlines.first, next <= end {
                backend.clock.advance(by: backend.clock.now.duration(to: next))
            }
            try await Task.sleep(for: .milliseconds(1))  // deadline: the test advances the clock
        }
    }

    @Test func anOpenStreamIsReplacedWithinASecond() async throws {
        let source = ChangingSource(backend: backend)
        let updater = updater(source)
        updater.start()
        defer { updater.stop() }
        try await backend.waitForStreams(1)
        source.change.yield()
        // Document and stream, each requested twice.
        try await advance(atMost: .seconds(2)) { backend.requests.count >= 4 }
        #expect(backend.requests.count == 4)
    }

    @Test func theWaitForTheNextPollEnds() async throws {
        backend.setService { service in
            service.streams = .none
            service.hasLongPolls = false
        }
        let source = ChangingSource(backend: backend)
        let updater = updater(source)
        updater.start()
        defer { updater.stop() }
        try await advance { updater.state(ofUserID: nil).isPolling }
        let count = backend.requests.count
        source.change.yield()
        try await advance(atMost: .seconds(2)) { backend.requests.count > count }
    }

    /// Changing signals in a loop does not bypass the back-off.
    @Test func theWaitAfterAFailureGoesOn() async throws {
        backend.setService { service in
            service.refusal = 503
            service.retryAfter = .seconds(100)
        }
        let source = ChangingSource(backend: backend)
        let updater = updater(source)
        updater.start()
        defer { updater.stop() }
        for await update in updater.updates {
            if case .state(.waiting, _) = update { break }
        }
        let count = backend.requests.count
        for _ in 0..<50 {
            source.change.yield()
            // deadline: only gives a faulty request time
            try await Task.sleep(for: .milliseconds(1))
            backend.clock.advance(by: .seconds(1))
        }
        #expect(backend.requests.count == count)
    }
}
