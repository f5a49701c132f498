import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// Signals of `sample-backend serve` that do not end it at once.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SignalTests {
    private static func readiness(_ backend: RunningBackend) async throws -> Int {
        try await backend.answer("/health/ready").status
    }

    @Test func aServerWithoutFilesSurvivesSIGHUP() async throws {
        let backend = try await RunningBackend()
        try await HTTPConnection.open(port: backend.port) { connection in
            connection.send(target: "/health/live")
            #expect(await connection.receiveStatus() == 200)
            for _ in 0..<2 {
                backend.process.send(signal: SIGHUP)
                let line = await backend.process.errorLines.first {
                    $0.contains("There is no file to reload")
                }
                #expect(line != nil)
            }
            connection.send(target: "/health/live")
            #expect(await connection.receiveStatus() == 200)
        }
        _ = await backend.stop()
    }

    @Test func anInterruptedServerDoesNotDrain() async throws {
        let backend = try await RunningBackend(["--drain-seconds", "3600"])
        backend.process.send(signal: SIGINT)
        #expect(await backend.process.exitCode() == 0)
    }

    @Test func anInterruptEndsTheDraining() async throws {
        let backend = try await RunningBackend(["--drain-seconds", "3600"])
        backend.process.send(signal: SIGTERM)
        try await waitUntil { try await Self.readiness(backend) == 503 }
        backend.process.send(signal: SIGINT)
        #expect(await backend.process.exitCode() == 0)
    }

    @Test func aDrainingServerAnswersUntilTheSecondSignal() async throws {
        let backend = try await RunningBackend(["--drain-seconds", "3600"])
        #expect(try await Self.readiness(backend) == 200)
        backend.process.send(signal: SIGTERM)
        try await waitUntil { try await Self.readiness(backend) == 503 }
        let answer = try await backend.answer("/health/ready")
        #expect(answer.error?.message.contains("shut down") == true)
        #expect(answer.fields["connection"] == nil)
        #expect(try await backend.answer("/health/live").status == 200)
        #expect(try await backend.answer("/openapi.json").status == 200)
        backend.process.send(signal: SIGHUP)
        #expect(
            await backend.process.errorLines.first { $0.contains("no file to reload") } != nil)
        // Sends the second SIGTERM, and expects exit code 0.
        _ = await backend.stop()
    }

    @Test func aDrainingServerShutsDownByItself() async throws {
        let backend = try await RunningBackend(["--drain-seconds", "1"])
        let start = ContinuousClock.now
        backend.process.send(signal: SIGTERM)
        let end = try #require(await backend.process.end())
        #expect(end.code == 0)
        // deadline: a lower bound
        #expect(start.duration(to: end.time) >= .seconds(1))
    }

    @Test(arguments: ["-1", "3601"])
    func aDrainTimeOutOfRangeIsRefused(seconds: String) async throws {
        let run = try await CommandRun(["serve", "--port", "0", "--drain-seconds=\(seconds)"])
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains("--drain-seconds"), "\(run)")
    }
}
