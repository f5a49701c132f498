import ChildProcesses
import SeededRandomness
import TemporaryFolders

#if os(Linux)
    import Foundation
    import JSONTree
    import ServerTestSupport
    import Testing

    /// Files that nobody may write, not even root.
    private enum ImmutableFile {
        /// True if this user may make files immutable.
        static let isSupported: Bool = {
            guard let folder = try? TemporaryFolder(),
                let file = try? folder.write("", to: "file"), (try? set(true, file)) == true
            else { return false }
            defer { _ = try? set(false, file) }
            return FileHandle(forWritingAtPath: file) == nil
        }()

        /// Makes a file immutable, or mutable again; false when this is not possible.
        @discardableResult
        static func set(_ isImmutable: Bool, _ file: String) throws -> Bool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/chattr")
            process.arguments = [isImmutable ? "+i" : "-i", file]
            process.standardError = FileHandle.nullDevice
            try process.runAlone()
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    /// A database that the server may read but not write, also as root.
    @Suite(
        .timeLimit(.minutes(Rounds.minutes)),
        .enabled(if: ImmutableFile.isSupported, "needs chattr and its permission"))
    struct ReadOnlyDatabaseTests {
        private static let path = "/v1/projects/default/remoteConfig"

        private static func publish(
            _ title: String, over version: Int, _ backend: RunningBackend
        ) async throws -> HTTPAnswer {
            try await backend.administer(
                "PUT", path, ifMatch: "etag-default-\(version)",
                body: AdministrationTarget.templateText(title: title))
        }

        @Test(arguments: ["", "-wal"])
        func aServerThatMayNotWriteDoesNotStart(suffix: String) async throws {
            let folder = try TemporaryFolder()
            let backend = try await RunningBackend(store: folder.store)
            #expect(try await Self.publish("first", over: 0, backend).status == 200)
            // The log stays.
            backend.process.send(signal: SIGKILL)
            _ = await backend.process.exitCode()
            let file = folder.path("test.sqlite" + suffix)
            try #require(try ImmutableFile.set(true, file))
            defer { _ = try? ImmutableFile.set(false, file) }
            let run = try await CommandRun(["serve", "--port", "0", "--store", folder.store])
            #expect(run.exitCode == 69, "\(run)")
            #expect(!run.output.contains("listening"), "\(run)")
            let database = folder.path("test.sqlite")
            #expect(run.error.contains("'\(database)' cannot be written"), "\(run)")
            #expect(run.error.contains("writable for this user"), "\(run)")
            let get = try await CommandRun(["get", "--store", folder.store])
            #expect(get.exitCode == 0, "\(get)")
            try ImmutableFile.set(false, file)
            let again = try await RunningBackend(store: folder.store)
            #expect(try await Self.publish("second", over: 1, again).status == 200)
            _ = await again.stop()
        }

        @Test func aRunningServerIsDegradedUntilItMayWriteAgain() async throws {
            let folder = try TemporaryFolder()
            let backend = try await RunningBackend(store: folder.store)
            func readiness() async throws -> JSONNode {
                try await backend.answer("/health/ready").json
            }
            #expect(try await Self.publish("first", over: 0, backend).status == 200)
            #expect(try await readiness()["status"] == "ok")
            let log = folder.path("test.sqlite-wal")
            try #require(try ImmutableFile.set(true, log))
            defer { _ = try? ImmutableFile.set(false, log) }
            let refused = try await Self.publish("second", over: 1, backend)
            #expect(refused.status == 503)
            #expect(refused.error?.message.contains("read-only") == true, "\(refused)")
            let database = folder.path("test.sqlite")
            let line = await backend.process.errorLines.first { $0.contains("store failed") }
            #expect(line?.contains("'\(database)' cannot be written") == true, "\(line ?? "")")
            let ready = try await readiness()
            #expect(ready["status"] == "degraded")
            #expect(ready["reason"]?.stringValue?.contains("read-only") == true, "\(ready)")
            #expect(try await backend.answer("/activeconfig").status == 200)
            try ImmutableFile.set(false, log)
            // A periodic check may have begun before, and the request waits for its result.
            try await waitUntil { try await readiness()["status"] == "ok" }
            #expect(try await Self.publish("second", over: 1, backend).status == 200)
            _ = await backend.stop()
        }
    }
#endif
