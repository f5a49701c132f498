import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// No client input causes a 500, ends the server, or stays in its memory.
///
/// `ACTIVECONFIG_GENERATED_REQUESTS` is the number of connections of both cases, by default 2,800, at
/// night 4,000. Each sends a request or a pipeline. Fewer do not reach every status.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct GeneratedRequestsTests {
    private static let token = "a-token-for-generated-requests-0123456789"

    private static let count =
        ProcessInfo.processInfo.environment["ACTIVECONFIG_GENERATED_REQUESTS"]
        .flatMap { Int($0) } ?? Rounds.count(2_800, nightly: 4_000)

    // In the second case the server requires users' tokens, and most requests have one.
    @Test(arguments: [false, true])
    func noGeneratedRequestIsAnsweredWith5xx(wantsTokens: Bool) async throws {
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory", "--log-level", "critical"],
            environment: ["ACTIVECONFIG_ADMIN_TOKEN": Self.token].merging(
                wantsTokens ? ["ACTIVECONFIG_USER_TOKEN_SECRET": UserToken.secret] : [:]
            ) { $1 })
        let port = try #require(await process.listeningPort())
        let published = try await HTTPConnection.answer(
            port: port, method: "PUT", target: "/v1/projects/default/remoteConfig",
            fields: ["Authorization: Bearer \(Self.token)", "If-Match: *"],
            body: #"{"parameters": {"p": {"defaultValue": {"value": "x"}}}}"#)
        #expect(published.status == 200)
        var generator = RequestGenerator(
            seed: wantsTokens ? 20_130_707 : 20_130_709,
            tokenField: wantsTokens ? try await UserToken.field("1", lifetime: 100_000) : nil)
        var statuses: [Int: Int] = [:]
        var settledMemory = 0
        for number in 0..<(Self.count / 2) {
            let pieces =
                switch number % 4 {
                case 0: [generator.request()]
                case 1: [generator.administrationRequest(token: Self.token)]
                default: generator.pipeline(administratorToken: Self.token)
                }
            let (status, rest) = try await HTTPConnection.open(port: port) { connection in
                for piece in pieces { connection.send(piece) }
                // After the client closes its sending side, the server immediately answers an
                // unfinished request or closes the connection.
                try? await connection.finishSending()
                let status = try? await connection.receive(isHead: true).status
                return (status, await connection.receiveEnd())
            }
            statuses[status ?? 0, default: 0] += 1
            for status in Self.statuses(in: rest) { statuses[status, default: 0] += 1 }
            if status ?? 0 >= 500 || rest.contains("HTTP/1.1 5") {
                let text = String(decoding: pieces.joined(), as: UTF8.self)
                Issue.record("\(status ?? 0) for \(text), \(rest)")
            }
            if number == Self.count / 4 { settledMemory = process.residentBytes ?? 0 }
        }
        let live = try await HTTPConnection.answer(
            port: port, method: "GET", target: "/health/ready", fields: [], body: "")
        #expect(live.status == 200)
        // The server keeps 300 versions in memory, each of which may be some kilobytes larger.
        // Sanitizers keep freed memory on purpose.
        let growth = (process.residentBytes ?? 0) - settledMemory
        if !Sanitizer.isOn {
            #expect(growth < 48 << 20, "\(growth) bytes more than halfway")
        }
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        // The generator produces all intended responses.
        for status in [200, 304, 400, 401, 404, 405, 412, 413, 431] {
            #expect(statuses[status, default: 0] > 0, "no \(status) among \(statuses)")
        }
    }

    /// Statuses of the remaining responses on a connection.
    private static func statuses(in text: String) -> [Int] {
        text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
    }
}
