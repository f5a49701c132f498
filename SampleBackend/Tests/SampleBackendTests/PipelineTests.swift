import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// Clients that pipeline, tested with the real process (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PipelineTests {
    /// Starts a server that requires users' tokens, with a published template.
    private func backend(_ arguments: [String] = []) async throws -> RunningBackend {
        try await RunningBackend(
            ["--dev", "--log-level", "critical"] + arguments,
            environment: ["ACTIVECONFIG_USER_TOKEN_SECRET": UserToken.secret])
    }

    @Test func aStreamAndADocumentInOneSegmentLeaveTheServerRunning() async throws {
        let backend = try await backend()
        let token = try await UserToken.field("ada")
        for _ in 0..<20 {
            try await HTTPConnection.open(port: backend.port) { connection in
                let fields = "\r\nHost: localhost\r\n\(token)\r\n\r\n"
                connection.send(
                    "GET /activeconfig/events HTTP/1.1\(fields)GET /activeconfig HTTP/1.1\(fields)")
                let head = try await connection.receive(through: "\r\n\r\n")
                #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(head.contains("text/event-stream"))
                #expect(try await connection.receive(through: "\n\n").contains("event: hello\n"))
            }
        }
        #expect(try await backend.answer("/health/live").status == 200)
        _ = await backend.stop()
    }

    /// Requests of a client that does not read; their number keeps the test short.
    static let unread: [NamedRow<(request: String, count: Int)>] = [
        .init(
            "small documents", ("GET /activeconfig HTTP/1.1\r\nHost: localhost\r\n\r\n", 100_000)),
        .init(
            "large documents",
            ("GET /projects/large/activeconfig HTTP/1.1\r\nHost: localhost\r\n\r\n", 100)
        ),
        .init("not found", ("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 20_000)),
    ]

    @Test(.disabled(if: Sanitizer.isOn), arguments: unread)
    func aClientThatPipelinesAndDoesNotReadCostsNoMemory(
        row: NamedRow<(request: String, count: Int)>
    ) async throws {
        let backend = try await RunningBackend(["--dev", "--log-level", "critical"])
        let text = String(repeating: "x", count: 900_000)
        let published = try await backend.administer(
            "PUT", "/v1/projects/large/remoteConfig", ifMatch: "*",
            body: #"{"parameters": {"p": {"defaultValue": {"value": "\#(text)"}}}}"#)
        #expect(published.status == 200)
        #expect(try await backend.answer("/projects/large/activeconfig").status == 200)
        let before = try #require(backend.process.residentBytes)
        let (request, count) = row.value
        try await HTTPConnection.open(port: backend.port, reads: false) { connection in
            connection.send(String(repeating: request, count: count))
            var peak = 0
            // Other clients are served meanwhile.
            for _ in 0..<20 {
                #expect(try await backend.answer("/health/live").status == 200)
                peak = max(peak, backend.process.residentBytes ?? 0)
            }
            #expect(peak - before < 32 << 20, "\((peak - before) >> 20) MB more")
            try await connection.startReading()
            for _ in 0..<min(count, 5_000) {
                let status = try await connection.receive().status
                #expect(status == (row.name == "not found" ? 404 : 200))
            }
        }
        _ = await backend.stop()
    }
}
