import Foundation
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
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

    /// A key set for users' tokens.
    static let keys = """
        {"keys": [{"kty": "EC", "crv": "P-256", "kid": "1",
         "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
         "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}
        """

    /// As on a mount that does not respond.
    @Test(arguments: [SIGTERM, SIGINT])
    func aReloadThatBlocksDoesNotDelayTheShutdown(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.keys, to: "keys.json")
        let backend = try await RunningBackend(["--user-token-jwks", path])
        let pipe = try NamedPipe(at: path)
        backend.process.send(signal: SIGHUP)
        let writer = try await pipe.writer()
        #expect(try await Self.readiness(backend) == 200)
        backend.process.send(signal: signal)
        #expect(await backend.process.exitCode() == 0)
        try writer.close()
    }

    private func start(reading pipe: String) throws -> BackendProcess {
        try BackendProcess(["serve", "--port", "0", "--store", "memory", "--user-token-jwks", pipe])
    }

    @Test func aSIGHUPDuringTheStartReloadsAfterIt() async throws {
        let folder = try TemporaryFolder()
        let pipe = try NamedPipe(at: folder.path("keys.json"))
        let process = try start(reading: folder.path("keys.json"))
        let writer = try await pipe.writer()
        process.send(signal: SIGHUP)
        // The process has the pipe open, and reads the file the next time.
        try FileManager.default.removeItem(atPath: folder.path("keys.json"))
        _ = try folder.write(Self.keys, to: "keys.json")
        try writer.write(contentsOf: Data(Self.keys.utf8))
        try writer.close()
        #expect(await process.listeningPort() != nil)
        let line = await process.errorLines.first {
            $0.contains("Reloaded the key set of user tokens")
        }
        #expect(line != nil)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsAStartThatBlocks(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let pipe = try NamedPipe(at: folder.path("keys.json"))
        let process = try start(reading: folder.path("keys.json"))
        let writer = try await pipe.writer()
        process.send(signal: signal)
        let run = await CommandRun(process)
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.isEmpty)
        try writer.close()
    }

    /// The key is read by a call that blocks, and one processor has one thread for tasks.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/taskset")))
    func aSignalEndsAStartThatBlocksTheOnlyThread() async throws {
        let folder = try TemporaryFolder()
        let pipe = try NamedPipe(at: folder.path("key"))
        let process = try BackendProcess(
            [
                "serve", "--port", "0", "--store", "memory", "--signing-key",
                "1:" + folder.path("key"),
            ], launcher: ["/usr/bin/taskset", "-c", "0"])
        let writer = try await pipe.writer()
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
        try writer.close()
    }

    @Test func aSignalEndsTheWaitForAStore() async throws {
        let etcd = try await WebhookReceiver(.silence)
        let process = try BackendProcess([
            "serve", "--port", "0", "--store", "etcd:http://127.0.0.1:\(etcd.port)",
            "--drain-seconds", "3600",
        ])
        for await _ in etcd.requests { break }
        process.send(signal: SIGTERM)
        let run = await CommandRun(process)
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.isEmpty && !run.error.contains("etcd"), "\(run)")
        try await etcd.close()
    }

    @Test(arguments: ["-1", "3601"])
    func aDrainTimeOutOfRangeIsRefused(seconds: String) async throws {
        let run = try await CommandRun(["serve", "--port", "0", "--drain-seconds=\(seconds)"])
        #expect(run.exitCode == 64, "\(run)")
        #expect(run.error.contains("--drain-seconds"), "\(run)")
    }
}
