import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Many streams of clients that do not read; the real process sends each of them a large event of
/// its own.
@Suite(.timeLimit(.minutes(Rounds.minutes)), .disabled(if: Sanitizer.isOn))
struct UnreadStreamsTests {
    /// Number of streams, below the usual limit of open files per process.
    private static let count = 800

    /// Approximate size of each event in bytes; all events together are 11 times the budget.
    private static let eventBytes = 220_000

    /// Budget in bytes for data that waits for clients; the server's own memory is added to it.
    private static let budget = 16 << 20

    /// Allowance in bytes for documents and events under construction, and for sockets.
    private static let fixedBytes = 48 << 20

    /// Publishes a template that gives every user a large document of its own.
    private func publish(_ letter: String, to backend: RunningBackend) async throws {
        let text = String(repeating: letter, count: Self.eventBytes) + "${user.id}"
        let answer = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
            body: #"{"parameters": {"p": {"defaultValue": {"value": "\#(text)"}}}}"#)
        try #require(answer.status == 200)
    }

    /// Number of open streams.
    private func openStreams(of backend: RunningBackend) async throws -> Int {
        let answer = try await backend.administer(
            "GET", "/v1/projects/default/connections")
        let count = try JSONNode(jsonData: answer.body)["connections"]
        return try #require(count?.integerValue)
    }

    /// Number of updates that the server created for streams.
    private func updates(of backend: RunningBackend) async throws -> Int {
        let text = String(decoding: try await backend.answer("/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first {
            $0.hasPrefix("activeconfig_stream_updates_total ")
        }
        return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }

    @Test func largeEventsStayWithinTheBudget() async throws {
        let backend = try await RunningBackend([
            "--log-level", "critical",
            "--client-backlog-megabytes", "\(Self.budget >> 20)",
        ])
        try await publish("a", to: backend)
        let requests = (0..<Self.count).map {
            "GET /activeconfig/user/u\($0)/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
        }
        try await IdleConnections.open(requests, port: backend.port, reads: false) { _ in
            try await waitUntil { try await openStreams(of: backend) == Self.count }
            let before = try #require(backend.process.residentBytes)
            try await publish("b", to: backend)
            var peak = before
            try await waitUntil {
                #expect(try await backend.answer("/health/live").status == 200)
                peak = max(peak, backend.process.residentBytes ?? 0)
                return try await updates(of: backend) >= Self.count
            }
            peak = max(peak, backend.process.residentBytes ?? 0)
            #expect(
                peak - before < Self.budget + Self.fixedBytes,
                "\((peak - before) >> 20) MB more for \(Self.count) streams")
            // Some streams are still open, but no more than fit into the budget.
            let left = try await openStreams(of: backend)
            #expect(left > 0)
            #expect(left * Self.eventBytes <= Self.budget)
        }
        // A disconnected client reconnects, and has missed nothing.
        for user in ["u0", "u\(Self.count / 2)"] {
            try await EventStreamClient.open(
                port: backend.port, "/activeconfig/user/\(user)/events",
                fields: ["Last-Event-ID: 1"]
            ) { stream in
                #expect(try await stream.next().name == "hello")
                let update = try await stream.next()
                #expect(update.name == "update")
                #expect(update.id == "2")
                let settings = update.data?["sections"]?["Default"]?["settings"]
                let value = settings?["p"]?["value"]?.stringValue
                #expect(value?.hasPrefix("bb") == true)
                #expect(value?.hasSuffix("b\(user)") == true)
            }
        }
        _ = await backend.stop()
    }
}
