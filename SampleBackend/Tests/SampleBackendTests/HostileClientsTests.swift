import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// Clients that pipeline, flood, half-close and never read, on every kind of route.
///
/// The server still serves other clients, and bounds and releases its memory. The tests use the
/// real process.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct HostileClientsTests {
    /// Number of connections for each kind of request.
    private static let connections = 12

    /// Number of requests on each connection.
    private static let repetitions = Rounds.count(100, nightly: 300)

    /// Number of requests by other clients meanwhile.
    private static let turns = Rounds.count(18, nightly: 60)

    /// Requests for every kind of route.
    static let targets: [NamedRow<String>] = [
        .init("document", "GET /activeconfig/user/1"),
        .init("large document", "GET /projects/large/activeconfig/user/1"),
        .init("stream", "GET /activeconfig/user/1/events"),
        .init("stream of a large project", "GET /projects/large/activeconfig/user/1/events"),
        .init("versions", "GET /v1/projects/large/remoteConfig"),
        .init("flags", "POST /ofrep/v1/evaluate/flags"),
        .init("console", "GET /console/"), .init("metrics", "GET /metrics"),
        .init("readiness", "GET /health/ready"), .init("nothing", "GET /nothing"),
    ]

    @Test(arguments: targets, [false, true])
    func hostileClientsDoNotAffectOthers(row: NamedRow<String>, hasToken: Bool) async throws {
        let backend = try await RunningBackend(
            ["--dev", "--log-level", "critical", "--client-backlog-megabytes", "16"],
            environment: ["ACTIVECONFIG_USER_TOKEN_SECRET": UserToken.secret])
        try await Self.publishLargeProject(on: backend)
        let isForAdministrators = row.value.contains("/v1/projects")
        let token = try await UserToken.field("1")
        let field =
            isForAdministrators ? "Authorization: Bearer \(RunningBackend.token)" : token
        let fields = "Host: localhost\r\n" + (hasToken ? field + "\r\n" : "")
        let length = row.value.hasPrefix("POST") ? "Content-Length: 2\r\n\r\n{}" : "\r\n"
        let request = "\(row.value) HTTP/1.1\r\n\(fields)\(length)"
        // Fills the caches that the server keeps permanently.
        _ = try await backend.answer("/projects/large/activeconfig/user/1", fields: [token])
        let before = try #require(backend.process.residentBytes)
        var peak = before
        try await IdleConnections.open(
            Array(
                repeating: String(repeating: request, count: Self.repetitions),
                count: Self.connections), port: backend.port, reads: false
        ) { connections in
            for number in 0..<Self.turns {
                if number == Self.turns / 3 { await connections.closeHalf() }
                #expect(try await backend.answer("/health/live").status == 200)
                let document = try await backend.answer("/activeconfig/user/1", fields: [token])
                #expect(document.status == 200)
                peak = max(peak, backend.process.residentBytes ?? 0)
            }
        }
        if !Sanitizer.isOn {
            #expect(peak - before < 64 << 20, "\((peak - before) >> 20) MB more")
        }
        // Expects exit code 0: the server has not crashed.
        _ = await backend.stop()
    }

    @Test(.disabled(if: Sanitizer.isOn)) func memoryIsGivenBack() async throws {
        let backend = try await RunningBackend(["--dev", "--log-level", "critical"])
        try await Self.publishLargeProject(on: backend)
        // More bytes than the system buffers for a connection, with few requests.
        let request = String(
            repeating: "GET /projects/large/activeconfig HTTP/1.1\r\nHost: localhost\r\n\r\n",
            count: 40)
        var peaks: [Int] = []
        for _ in 0..<6 {
            try await IdleConnections.open(
                Array(repeating: request, count: 12), port: backend.port, reads: false
            ) { _ in
                for _ in 0..<20 {
                    let status = try await backend.answer("/health/live").status
                    #expect(status == 200)
                }
            }
            peaks.append(try #require(backend.process.residentBytes))
        }
        // Leaked memory would accumulate.
        #expect(peaks[5] - peaks[1] < 16 << 20, "\(peaks)")
        _ = await backend.stop()
    }

    /// Publishes a project whose document has 500 kB.
    private static func publishLargeProject(on backend: RunningBackend) async throws {
        let text = String(repeating: "x", count: 500_000)
        let published = try await backend.administer(
            "PUT", "/v1/projects/large/remoteConfig", ifMatch: "*",
            body: #"{"parameters": {"p": {"defaultValue": {"value": "\#(text)"}}}}"#)
        #expect(published.status == 200)
    }
}
