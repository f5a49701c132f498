import ConfigServer
import ServerTestSupport
import Testing

/// Nothing that a client sends makes a 500 (HTTP.md).
@Suite(.timeLimit(.minutes(3)))
struct GeneratedRequestsTests {
    @Test func answersNoGeneratedRequestWith5xx() async throws {
        var limits = ServerLimits()
        limits.idleTime = .milliseconds(500)
        limits.bodyTime = .milliseconds(500)
        let statuses = try await RunningServer.with(limits: limits) { server in
            var generator = RequestGenerator(seed: 20_130_706)
            var statuses: [Int: Int] = [:]
            for _ in 0..<2_000 {
                let bytes = generator.request()
                let status = try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(bytes)
                    // So that an unfinished request is answered, or the connection closed, at once.
                    try? await connection.finishSending()
                    return try? await connection.receive(isHead: true).status
                }
                statuses[status ?? 0, default: 0] += 1
                if let status, status >= 500 {
                    Issue.record("\(status) for \(String(decoding: bytes, as: UTF8.self))")
                }
            }
            #expect(await server.status("/activeconfig") == 200)
            return statuses
        }
        // The generator reaches what it is meant to reach.
        for status in [200, 304, 400, 404, 405, 413, 431] {
            #expect(statuses[status, default: 0] > 0, "no \(status) among \(statuses)")
        }
    }
}
