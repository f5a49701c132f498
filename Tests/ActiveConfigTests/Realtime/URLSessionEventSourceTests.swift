import ActiveConfig
import ActiveConfigEventStream
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The transport against a server on raw sockets.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct URLSessionEventSourceTests {
    private static let document =
        #"{"meta":{"template_version":7},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#
    private static let hello = "event: hello\nid: 7\ndata: {\"template_version\": 7}\n\n"

    /// An answer after which the connection stays open.
    private static func kept(
        _ status: Int = 200, _ fields: String = "", body: String = document
    ) -> [LoopbackServer.Step] {
        [
            .send(
                "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "\(fields)\r\n\(body)")
        ]
    }

    private static func stream(_ text: String = hello) -> LoopbackServer.Step {
        .send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\(text)"
        )
    }

    private static func server(
        document: [LoopbackServer.Step] = kept(200, "ETag: \"7\"\r\n"),
        events: [LoopbackServer.Step] = [stream(), .hang]
    ) throws -> LoopbackServer {
        try LoopbackServer(keepsAlive: true) { request in
            request.target.hasSuffix("/events") ? events : document
        }
    }

    private static func source(
        _ server: LoopbackServer, timeout: Duration = .seconds(60), maximumSize: Int = 1 << 20
    ) throws -> URLSessionEventSource {
        URLSessionEventSource(
            backend: ActiveConfigBackend(
                url: try server.url(""), limits: ConfigurationLimits(maximumSize: maximumSize)),
            timeout: timeout)
    }

    @Test func theStreamFollowsTheDocumentOnItsConnection() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let connection = try Self.source(server).connection(forUserID: "a/b")
        let answer = try await connection.document(lastKnown: nil, wait: nil)
        #expect(answer.configuration?.entityTag == "\"7\"")
        #expect(answer.allowsStream)
        try await connection.openEvents(lastEventID: "7")
        let event = try await connection.nextEvent()
        let data = Array("{\"template_version\": 7}".utf8)
        let hello = ServerEvent(name: "hello", id: "7", data: data)
        #expect(event == ActiveConfigEvent(.event(hello), byteCount: Self.hello.utf8.count))
        #expect(server.requests.map(\.connection) == [1, 1])
        #expect(
            server.requests.map(\.target) == [
                "/activeconfig/user/a%2Fb", "/activeconfig/user/a%2Fb/events",
            ])
        #expect(server.requests[1].headers["last-event-id"] == "7")
        #expect(server.requests[1].headers["accept"] == "text/event-stream")
        connection.close()
        await #expect(throws: CancellationError.self) { try await connection.nextEvent() }
        await server.wait(for: .hangUp)
    }

    @Test func aLongPollIsAskedForAndAnswered() async throws {
        let server = try Self.server(
            document: Self.kept(304, "Preference-Applied: wait=25\r\nRetry-After: 3\r\n", body: ""))
        defer { server.stop() }
        let connection = try Self.source(server).connection(forUserID: nil)
        var known = ConfigurationState()
        known.entityTag = "\"7\""
        let answer = try await connection.document(lastKnown: known, wait: .seconds(25))
        #expect(answer == DocumentAnswer(nil, hasWaited: true, retryAfter: .seconds(3)))
        #expect(server.requests.first?.headers["prefer"] == "wait=25")
        #expect(server.requests.first?.headers["if-none-match"] == "\"7\"")
    }

    @Test func aConditionOfTheAppsOwnStays() async throws {
        let server = try Self.server(document: Self.kept(304, body: ""))
        defer { server.stop() }
        let url = try server.url("")
        let source = URLSessionEventSource { _ in
            var request = URLRequest(url: url)
            request.setValue("\"own\"", forHTTPHeaderField: "If-None-Match")
            return request
        } streamRequest: { _ in
            nil
        }
        var known = ConfigurationState()
        let connection = source.connection(forUserID: "1")
        #expect(try await connection.document(lastKnown: known, wait: nil) == DocumentAnswer(nil))
        known.entityTag = "\"7\""
        #expect(try await connection.document(lastKnown: known, wait: nil) == DocumentAnswer(nil))
        #expect(server.requests.map { $0.headers["if-none-match"] } == ["\"own\"", "\"own\""])
    }

    @Test(
        arguments: [
            (401, "WWW-Authenticate: Basic realm=\"x\"\r\n", nil),
            (401, "WWW-Authenticate: Bearer\r\n", nil), (429, "Retry-After: 7\r\n", 7),
            (503, "Retry-After: soon\r\n", nil), (500, "", nil), (304, "", nil),
        ] as [(Int, String, Int?)])
    func aRefusalHasItsStatusAndItsTime(status: Int, fields: String, seconds: Int?) async throws {
        let server = try Self.server(document: Self.kept(status, fields, body: ""))
        defer { server.stop() }
        let connection = try Self.source(server).connection(forUserID: "1")
        do {
            _ = try await connection.document(lastKnown: nil, wait: nil)
            Issue.record("no error")
        } catch let refused as DownloadError {
            #expect(refused.status == status)
            #expect(refused.retryAfter == seconds.map { .seconds($0) })
        }
    }

    @Test(arguments: ["http://127.0.0.1:1/x", "/activeconfig/other"])
    func redirectsAreRefused(location: String) async throws {
        let server = try Self.server(
            document: Self.kept(302, "Location: \(location)\r\n", body: ""))
        defer { server.stop() }
        for _ in 0..<50 {
            let connection = try Self.source(server).connection(forUserID: "1")
            let error = await #expect(throws: DownloadError.self) {
                try await connection.document(lastKnown: nil, wait: nil)
            }
            #expect(error?.code == .redirectRefused)
            connection.close()
        }
    }

    @Test func aLongBodyIsStopped() async throws {
        let server = try Self.server(
            document: [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"),
                .flood(String(repeating: " ", count: 1 << 16)),
            ])
        defer { server.stop() }
        let connection = try Self.source(server).connection(forUserID: "1")
        let error = await #expect(throws: DownloadError.self) {
            try await connection.document(lastKnown: nil, wait: nil)
        }
        #expect(error?.code == .bodyTooLarge)
        await server.wait(for: .hangUp)
    }

    @Test func aSlowDocumentTimesOut() async throws {
        let server = try Self.server(document: [.hang])
        defer { server.stop() }
        // deadline: the server never answers
        let connection = try Self.source(server, timeout: .milliseconds(200))
            .connection(forUserID: "1")
        let error = await #expect(throws: DownloadError.self) {
            try await connection.document(lastKnown: nil, wait: nil)
        }
        #expect(error?.code == .timedOut)
        await server.wait(for: .hangUp)
    }

    @Test(
        "A stream without an answer counts as none after 10 seconds, or the source's shorter timeout",
        arguments: [(60, 10), (30, 10), (4, 4)])
    func aStreamWithoutAnAnswerIsNone(timeout: Int, limit: Int) async throws {
        let server = try Self.server(events: [.hang])
        defer { server.stop() }
        let clock = ManualClock()
        var source = try Self.source(server, timeout: .seconds(timeout))
        source.clock = clock
        let connection = source.connection(forUserID: "1")
        _ = try await connection.document(lastKnown: nil, wait: nil)
        await server.wait(for: .request)
        let opening = Task { try await connection.openEvents(lastEventID: nil) }
        // A request that is not sent yet would be cancelled without the server's knowledge.
        await server.wait(for: .request)
        try await clock.waitForSleepers(1)
        #expect(clock.deadlines == [.init(offset: .seconds(limit))])
        clock.advance(by: .seconds(limit))
        await #expect(throws: NoEventStreamError("the server does not answer")) {
            try await opening.value
        }
        await server.wait(for: .hangUp)
    }

    @Test(
        "Long polls follow 10 seconds without an answer, or without an event after its head",
        arguments: [false, true])
    func longPollsFollowASilentStream(hasHead: Bool) async throws {
        let server = try Self.server(events: hasHead ? [Self.stream(""), .hang] : [.hang])
        defer { server.stop() }
        let (sourceClock, updaterClock) = (ManualClock(), ManualClock())
        var source = try Self.source(server)
        source.clock = sourceClock
        let updater = ActiveConfigUpdater.make(.make(), source: source, clock: updaterClock)
        updater.start()
        defer { updater.stop() }
        for _ in ["document", "stream"] { await server.wait(for: .request) }
        let clock = hasHead ? updaterClock : sourceClock
        try await clock.waitForSleepers(1)
        #expect(clock.deadlines == [.init(offset: .seconds(10))])
        clock.advance(by: .seconds(10))
        await server.wait(for: .hangUp)
        // A random part of a second precedes the next connection.
        try await updaterClock.waitForSleepers(1)
        updaterClock.advance(by: .seconds(1))
        for _ in ["document", "long poll"] { await server.wait(for: .request) }
        #expect(server.requests.map { $0.headers["prefer"] } == [nil, nil, nil, "wait=25"])
    }

    @Test(arguments: [200, 204, 404, 405, 406, 501])
    func anAnswerThatIsNoStreamIsNone(status: Int) async throws {
        let server = try Self.server(
            events: Self.kept(status, "Content-Type: text/html\r\n", body: ""))
        defer { server.stop() }
        let connection = try Self.source(server).connection(forUserID: "1")
        _ = try await connection.document(lastKnown: nil, wait: nil)
        await #expect(throws: NoEventStreamError.self) {
            try await connection.openEvents(lastEventID: nil)
        }
    }

    @Test(arguments: ["", ".", ".."])
    func aUserWhomNoPathCarriesHasNoStream(userID: String) async throws {
        let server = try Self.server()
        defer { server.stop() }
        let connection = try Self.source(server).connection(forUserID: userID)
        _ = try await connection.document(lastKnown: nil, wait: nil)
        await #expect(throws: NoEventStreamError.self) {
            try await connection.openEvents(lastEventID: nil)
        }
        #expect(server.requests.count == 1)
    }

    @Test func aConnectionThatIsLostBetweenDocumentAndStreamIsReplaced() async throws {
        let server = try Self.server(document: Self.kept(200, "ETag: \"7\"\r\n") + [.close])
        defer { server.stop() }
        let connection = try Self.source(server).connection(forUserID: "1")
        _ = try await connection.document(lastKnown: nil, wait: nil)
        try await connection.openEvents(lastEventID: nil)
        #expect(try await connection.nextEvent() != nil)
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test func theEndOfTheStreamIsAnEndAndABrokenOneAnError() async throws {
        let ending = try Self.server(events: [Self.stream(), .close])
        defer { ending.stop() }
        let connection = try Self.source(ending).connection(forUserID: "1")
        _ = try await connection.document(lastKnown: nil, wait: nil)
        try await connection.openEvents(lastEventID: nil)
        #expect(try await connection.nextEvent() != nil)
        #expect(try await connection.nextEvent() == nil)
    }

    @Test func unreadEventsAreBounded() async throws {
        let server = try Self.server(events: [
            Self.stream(), .flood(String(repeating: ":\n", count: 1 << 15)),
        ])
        defer { server.stop() }
        let connection = try Self.source(server, maximumSize: 1 << 16).connection(forUserID: "1")
        _ = try await connection.document(lastKnown: nil, wait: nil)
        try await connection.openEvents(lastEventID: nil)
        await server.wait(for: .hangUp)
        let error = await #expect(throws: DownloadError.self) { try await connection.nextEvent() }
        #expect(error?.code == .bodyTooLarge)
    }
}

/// The transport in a separate process.
@Suite(.serialized, .timeLimit(.minutes(Rounds.minutes)))
struct EventStreamProcessTests {
    private static func server(events: [LoopbackServer.Step]) throws -> LoopbackServer {
        try LoopbackServer(keepsAlive: true) { request in
            let body = #"{"meta":{},"config_sections":{"S":{"settings":{}}}}"#
            return request.target.hasSuffix("/events")
                ? [
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                            + "event: hello\ndata: {}\n\n")
                ] + events
                : [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")]
        }
    }

    /// On Linux, a stream on a new connection would use a whole core.
    @Test func anIdleStreamUsesNoProcessor() async throws {
        let server = try Self.server(events: [.hang])
        defer { server.stop() }
        let result = await
            (try DownloadProbeProcess(["stream", server.url("").absoluteString, "2"]))
            .finish()
        let cpu = try #require(result.outcomes["cpu"], "\(result.outcomes)")
        #expect(cpu < 50)
        #expect(result.hasSurvived)
    }

    @Test func aFloodingStreamEndsWithBoundedMemory() async throws {
        let server = try Self.server(events: [
            .flood("data: " + String(repeating: "x", count: 65_536))
        ])
        defer { server.stop() }
        let result = await
            (try DownloadProbeProcess(["stream", server.url("").absoluteString, "5"]))
            .finish()
        #expect(result.hasSurvived)
        // The address sanitizer retains freed memory, up to 256 MiB.
        #expect(result.peak < (Sanitizer.isOn ? 1_000 : 300), "\(result.peak)")
    }

    @Test func aThousandStreamsLeaveNothingBehind() async throws {
        let server = try Self.server(events: [.hang])
        defer { server.stop() }
        let result = await
            (try DownloadProbeProcess(["connect", server.url("").absoluteString, "1000"])).finish()
        #expect(result.outcomes["cancelled"] == 1_000, "\(result.outcomes)")
        // On a busy machine, a few sessions open while one is closing, with three files each.
        #expect(result.outcomes["files"] ?? .max < 150, "\(result.outcomes)")
        #expect(result.hasSurvived)
    }
}
