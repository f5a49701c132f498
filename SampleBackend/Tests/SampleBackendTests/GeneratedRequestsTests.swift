import Foundation
import ServerTestSupport
import Testing

/// Nothing that a client sends makes a 500, ends the server, or stays in its memory (HTTP.md).
///
/// `ACTIVECONFIG_GENERATED_REQUESTS` is how many requests are sent; 4,000 unless said otherwise.
@Suite(.timeLimit(.minutes(30)))
struct GeneratedRequestsTests {
    private static let token = "a-token-for-generated-requests-0123456789"

    private static let count =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_GENERATED_REQUESTS"]
        .flatMap { Int($0) } ?? 4_000

    @Test func answersNoGeneratedRequestWith5xx() async throws {
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory", "--log-level", "critical"],
            environment: ["ACTIVECONFIG_ADMIN_TOKEN": Self.token])
        let port = try #require(await process.listeningPort())
        let published = try await HTTPConnection.answer(
            port: port, method: "PUT", target: "/v1/projects/default/remoteConfig",
            fields: ["Authorization: Bearer \(Self.token)", "If-Match: *"],
            body: #"{"parameters": {"p": {"defaultValue": {"value": "x"}}}}"#)
        #expect(published.status == 200)
        var generator = RequestGenerator(seed: 20_130_706)
        var statuses: [Int: Int] = [:]
        var settledMemory = 0
        for number in 0..<Self.count {
            let bytes =
                number.isMultiple(of: 2)
                ? generator.request() : generator.administrationRequest(token: Self.token)
            let status = try await HTTPConnection.open(port: port) { connection in
                connection.send(bytes)
                // So that an unfinished request is answered, or the connection closed, at once.
                try? await connection.finishSending()
                return try? await connection.receive(isHead: true).status
            }
            statuses[status ?? 0, default: 0] += 1
            if let status, status >= 500 {
                Issue.record("\(status) for \(String(decoding: bytes, as: UTF8.self))")
            }
            if number == Self.count / 2 { settledMemory = process.residentBytes ?? 0 }
        }
        let live = try await HTTPConnection.answer(
            port: port, method: "GET", target: "/health/ready", fields: [], body: "")
        #expect(live.status == 200)
        // Three hundred versions are kept in memory, and each may be some kilobytes more. Under a
        // sanitizer memory that is let go is kept on purpose.
        let growth = (process.residentBytes ?? 0) - settledMemory
        if ProcessInfo.processInfo.environment["ACTIVECONFIG_SANITIZER"] == nil {
            #expect(growth < 48 << 20, "\(growth) bytes more than halfway")
        }
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        // The generator reaches what it is meant to reach.
        for status in [200, 304, 400, 401, 404, 405, 412, 413, 431] {
            #expect(statuses[status, default: 0] > 0, "no \(status) among \(statuses)")
        }
    }
}
