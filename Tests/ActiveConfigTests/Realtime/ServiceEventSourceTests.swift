import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Behaviour against servers that a service may use, over `URLSession`.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ServiceEventSourceTests {
    private static let document =
        #"{"meta":{"template_version":7},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#

    /// Answers requests for documents and one user's stream, and sends `many` on the stream of many
    /// users.
    private static func server(many: [LoopbackServer.Step]) throws -> LoopbackServer {
        try LoopbackServer(keepsAlive: true) { request in
            if request.target == "/activeconfig/events" { return many }
            if request.target.hasSuffix("/events") {
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

    /// An older server has no such streams, and a server may reject these users.
    @Test(arguments: [404, 405, 400])
    func withoutAStreamOfManyEachUserHasOne(status: Int) async throws {
        let server = try Self.server(
            many: [
                .send("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
                .hang,
            ])
        defer { server.stop() }
        let source = ServiceEventSource(
            backend: ActiveConfigBackend(url: try server.url("/")),
            serviceCredentials: .apiKey("key"))
        let users = ["a", "b", "c"]
        let updater = ActiveConfigUpdater(
            .make(), source: source, users: .fixed(users), activity: .always)
        let run = Task { await updater.run() }
        var live: Set<String?> = []
        for await update in updater.updates {
            if case .state(.live, let userID) = update { live.insert(userID) }
            if live.count == users.count { break }
        }
        #expect(live == Set(users))
        #expect(source.streams.isAvailable == (status == 400))
        let posts = server.requests.filter { $0.target == "/activeconfig/events" }
        #expect(posts.allSatisfy { $0.headers["x-api-key"] == "key" })
        #expect(!posts.isEmpty)
        run.cancel()
        await run.value
    }

    /// Streams accept a custom signal without its prefix, documents do not.
    @Test func documentsAreRequestedWithTheQueryNamesOfSignals() async throws {
        let server = try Self.server(many: [.hang])
        defer { server.stop() }
        let source = ServiceEventSource(
            backend: ActiveConfigBackend(url: try server.url("/")),
            serviceCredentials: .apiKey("key"),
            signals: { _ in ["plan": "pro", "signal.size": "2", "size": "1", "app.version": "3"] })
        let connection = source.connection(forUserID: "a")
        _ = try await connection.document(lastKnown: nil, wait: nil)
        connection.close()
        let target = try #require(server.requests.last?.target)
        #expect(target.hasSuffix("?app.version=3&signal.plan=pro&signal.size=2"), "\(target)")
        #expect(
            try await source.signals("a")
                == ["app.version": "3", "signal.plan": "pro", "signal.size": "2"])
    }

    @Test func documentsAreFetchedOverAFewConnectionsThatAreGivenBack() async throws {
        let server = try Self.server(many: [.close])
        defer { server.stop() }
        let source = ServiceEventSource(
            backend: ActiveConfigBackend(url: try server.url("/")),
            serviceCredentials: .apiKey("key"))
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask {
                    let connection = source.connection(forUserID: "\(number)")
                    let answer = try await connection.document(lastKnown: nil, wait: nil)
                    #expect(answer.configuration?["S"]?.integer(forKey: "a") == 1)
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 200)
        let connections = Set(server.requests.map(\.connection))
        // A connection is returned shortly after its use.
        #expect(connections.count < 100)
    }

    @Test func documentsTakeTurnsWithoutAStreamOfManyToo() async throws {
        let server = try Self.server(
            many: [
                .send("HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), .hang,
            ])
        defer { server.stop() }
        let running = Locked((now: 0, most: 0))
        // Asked for within a document's turn.
        let source = ServiceEventSource(
            backend: ActiveConfigBackend(url: try server.url("/")),
            serviceCredentials: .apiKey("key"),
            signals: { _ in
                running.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                await Task.yield()
                running.withLock { $0.now -= 1 }
                return [:]
            })
        let first = source.connection(forUserID: "first")
        _ = try await first.document(lastKnown: nil, wait: nil)
        try await first.openEvents(lastEventID: nil)
        first.close()
        #expect(!source.streams.isAvailable)
        try await withThrowingTaskGroup { group in
            for number in 0..<100 {
                group.addTask {
                    let connection = source.connection(forUserID: "\(number)")
                    defer { connection.close() }
                    let answer = try await connection.document(lastKnown: nil, wait: nil)
                    #expect(answer.configuration?["S"]?.integer(forKey: "a") == 1)
                }
            }
            try await group.waitForAll()
        }
        #expect(running.withLock { $0.most } <= ServiceEventSource.maximumDocumentCount)
    }

    @Test func callsTakeTheirTurns() async throws {
        let limit = CallLimit(3)
        let running = Locked((now: 0, most: 0))
        await withTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask {
                    let task = Task {
                        try await limit.run {
                            running.withLock {
                                $0.now += 1
                                $0.most = max($0.most, $0.now)
                            }
                            await Task.yield()
                            running.withLock { $0.now -= 1 }
                        }
                    }
                    if number.isMultiple(of: 3) { task.cancel() }
                    _ = await task.result
                }
            }
        }
        let counts = running.withLock { $0 }
        #expect(counts.now == 0)
        #expect(counts.most == 3)
        // Cancelled calls have not lost any of the slots.
        for _ in 0..<3 { try await limit.run {} }
    }
}
