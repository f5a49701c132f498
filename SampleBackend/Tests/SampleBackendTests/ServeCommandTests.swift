import Foundation
import HTTPServing
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// `sample-backend serve` as a process (API 5).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ServeCommandTests {
    @Test func theServerPrintsOneLineThenServes() async throws {
        let process = try BackendProcess(["serve", "--port", "0", "--store", "memory"])
        let port = try #require(await process.listeningPort())
        #expect(port > 0)
        let answer = try await HTTPConnection.answer(port: port, target: "/health/ready")
        #expect(answer.status == 200)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        var further: [String] = []
        for await line in process.outputLines { further.append(line) }
        #expect(further.isEmpty)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func theServerExitsInTimeWhateverConnectionsThereAre(signal: Int32) async throws {
        let process = try BackendProcess(["serve", "--port", "0", "--store", "memory"])
        let port = try #require(await process.listeningPort())
        let limits = ServerLimits()
        try await HTTPConnection.open(port: port) { idle in
            idle.send(target: "/activeconfig")
            _ = try await idle.receive()
            try await HTTPConnection.open(port: port) { half in
                half.send("GET /activeconfig HT")
                try await HTTPConnection.open(port: port) { waiting in
                    waiting.send(
                        target: "/activeconfig",
                        fields: ["Expect: 100-continue", "Content-Length: 9"])
                    let interim = try await waiting.receive()
                    #expect(interim.status == 100)
                    let start = ContinuousClock.now
                    process.send(signal: signal)
                    let end = try #require(await process.end())
                    #expect(end.code == 0)
                    // deadline: the bound is far from both limits
                    let duration = start.duration(to: end.time)
                    #expect(duration >= limits.shutdownTime)
                    // Without that limit, the body's limit ends the request with 408. A busy
                    // machine delays timers, so the bound is between the two.
                    #expect(duration < (limits.shutdownTime + limits.bodyTime) / 2)
                    #expect(await waiting.receiveEnd().isEmpty)
                }
            }
        }
        // API 5 allows 10 seconds.
        #expect(limits.shutdownTime <= .seconds(8))
    }

    @Test func theServerSaysThatThePortIsInUse() async throws {
        let first = try BackendProcess(["serve", "--port", "0", "--store", "memory"])
        let port = try #require(await first.listeningPort())
        let folder = try TemporaryFolder()
        let second = try BackendProcess([
            "serve", "--port", "\(port)", "--store", folder.store, "--log-level", "warning",
        ])
        #expect(await second.exitCode() == 69)
        var errors: [String] = []
        for await line in second.errorLines { errors.append(line) }
        #expect(
            errors == [
                "Port \(port) of 127.0.0.1 is in use: stop the process that uses it, or choose "
                    + "another port with --port."
            ])
        var output: [String] = []
        for await line in second.outputLines { output.append(line) }
        #expect(output.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        first.send(signal: SIGTERM)
        #expect(await first.exitCode() == 0)
    }

    @Test func theServerExitsWhenTheHostIsUnknown() async throws {
        let process = try BackendProcess([
            "serve", "--port", "0", "--store", "memory", "--open",
            "--hostname", "no-such-host.invalid",
        ])
        #expect(await process.exitCode() == 69)
    }

    @Test(arguments: [
        ["serve", "--port", "65536"], ["serve", "--port", "-1"], ["serve", "--port", "x"],
        ["serve", "--log-level", "loud"], ["serve", "--nonsense"], ["nonsense"],
    ])
    func aWrongCommandLineIsRefused(arguments: [String]) async throws {
        let process = try BackendProcess(arguments)
        #expect(await process.exitCode() == 64)
    }

    @Test func theLogHasNeitherTheQueryNorTheUserID() async throws {
        let process = try BackendProcess(["serve", "--port", "0", "--store", "memory", "--dev"])
        let port = try #require(await process.listeningPort())
        let target = "/activeconfig/user/ada?signal.mail=ada-at-home"
        #expect(try await HTTPConnection.answer(port: port, target: target).status == 200)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        var log: [String] = []
        for await line in process.errorLines { log.append(line) }
        let access = try #require(log.first { $0.contains("method=GET") })
        #expect(access.contains("path=/activeconfig/user/{userID}"))
        #expect(access.contains("status=200"))
        #expect(access.contains("bytes="))
        #expect(access.contains("duration_ms="))
        #expect(!log.contains { $0.contains("ada") })
    }

    @Test(arguments: [([], "sample-backend tokens create"), (["--dev"], "is printed")])
    func theLogSaysWhereATokenForTheConsoleComesFrom(
        options: [String], source: String
    ) async throws {
        let process = try BackendProcess(["serve", "--port", "0", "--store", "memory"] + options)
        let port = try #require(await process.listeningPort())
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        var log: [String] = []
        for await line in process.errorLines { log.append(line) }
        let advice = try #require(log.first { $0.contains("Sign in to the console") })
        #expect(advice.contains("http://127.0.0.1:\(port)/console/"))
        #expect(advice.contains(source))
    }

    /// A browser cannot open the address that means all addresses.
    @Test func theLogNamesAHostThatABrowserCanOpen() async throws {
        let process = try BackendProcess([
            "serve", "--port", "0", "--store", "memory", "--hostname", "0.0.0.0", "--open",
        ])
        var lines = process.outputLines.makeAsyncIterator()
        let line = try #require(await lines.next())
        let port = try #require(line.split(separator: ":").last.flatMap { Int($0) })
        #expect(line == "listening on http://0.0.0.0:\(port)")
        let advice = await process.errorLines.first { $0.contains("Sign in to the console") }
        #expect(advice?.contains("http://localhost:\(port)/console/") == true)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test func theLogHasNoRequestsAboveLevelInfo() async throws {
        let process = try BackendProcess([
            "serve", "--port", "0", "--store", "memory", "--log-level", "warning",
        ])
        let port = try #require(await process.listeningPort())
        #expect(try await HTTPConnection.answer(port: port, target: "/nothing").status == 404)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        var log: [String] = []
        for await line in process.errorLines { log.append(line) }
        #expect(log.isEmpty)
    }
}
