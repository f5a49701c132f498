import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// A client that opens the maximum number of connections does not lock out other clients; tested
/// with the real process.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConnectionPlacesTests {
    /// Opens `count` streams at the same time, then runs `body`.
    private func withStreams(
        _ count: Int, port: Int, _ body: () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        try await EventStreamClient.open(port: port, "/activeconfig/user/\(count)/events") {
            #expect(try await $0.next().name == "hello")
            try await withStreams(count - 1, port: port, body)
        }
    }

    /// Expects responses for clients, administrators and health checks.
    private func expectAnswers(of backend: RunningBackend) async throws {
        for target in ["/health/live", "/health/ready", "/activeconfig/user/1"] {
            #expect(try await backend.answer(target).status == 200)
        }
        let versions = try await backend.administer(
            "GET", "/v1/projects/default/remoteConfig:listVersions")
        #expect(versions.status == 200)
    }

    @Test func streamsLeavePlacesForOthers() async throws {
        let backend = try await RunningBackend(["--dev", "--max-connections", "24"])
        try await withStreams(16, port: backend.port) {
            let refused = try await backend.answer("/activeconfig/user/17/events")
            #expect(refused.status == 503)
            #expect(refused.error?.status == "UNAVAILABLE")
            #expect(refused.fields["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            try await expectAnswers(of: backend)
        }
        let log = await backend.stop()
        #expect(log.contains { $0.contains("status=503") && $0.contains("/events") })
    }

    @Test(arguments: [
        "", "GET /activeconfig HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /activeconfig HTTP/1.1\r\nHo",
        "POST /activeconfig HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
    ])
    func idleConnectionsMakeRoom(request: String) async throws {
        let backend = try await RunningBackend(["--dev", "--max-connections", "24"])
        try await withStreams(16, port: backend.port) {
            try await IdleConnections.open(
                Array(repeating: request, count: 60), port: backend.port
            ) { _ in
                for _ in 0..<5 { try await expectAnswers(of: backend) }
            }
        }
        _ = await backend.stop()
    }

    @Test func clientsThatDoNotReadMakeRoom() async throws {
        let backend = try await RunningBackend(["--dev", "--max-connections", "8"])
        let text = String(repeating: "x", count: 900_000)
        let published = try await backend.administer(
            "PUT", "/v1/projects/large/remoteConfig", ifMatch: "*",
            body: #"{"parameters": {"p": {"defaultValue": {"value": "\#(text)"}}}}"#)
        #expect(published.status == 200)
        let request = "GET /projects/large/activeconfig HTTP/1.1\r\nHost: localhost\r\n\r\n"
        try await IdleConnections.open(
            Array(repeating: String(repeating: request, count: 8), count: 20), port: backend.port,
            reads: false
        ) { _ in
            for _ in 0..<5 { try await expectAnswers(of: backend) }
        }
        _ = await backend.stop()
    }
}
