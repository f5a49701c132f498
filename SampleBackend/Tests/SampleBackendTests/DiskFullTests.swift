import ChildProcesses
import SeededRandomness
import TemporaryFolders

#if os(Linux)
    import Foundation
    import JSONTree
    import ServerTestSupport
    import Testing

    /// A server without disk space for its writes.
    @Suite(.timeLimit(.minutes(Rounds.minutes)))
    struct DiskFullTests {
        private static let path = "/v1/projects/default/remoteConfig"

        /// Limits the size of the files that a process writes, which has the effect of a full disk.
        private func setFileSizeLimit(_ limit: String, of server: BackendProcess) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
            process.arguments = ["--pid", "\(server.identifier)", "--fsize=\(limit):"]
            try process.runAlone()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        @Test func theServerReportsAFullDiskUntilThereIsSpace() async throws {
            let folder = try TemporaryFolder()
            let backend = try await RunningBackend(store: folder.store)
            func readiness() async throws -> JSONNode {
                try await backend.answer("/health/ready").json
            }
            func publish(_ title: String, over version: Int) async throws -> HTTPAnswer {
                try await backend.administer(
                    "PUT", Self.path, ifMatch: "etag-default-\(version)",
                    body: AdministrationTarget.templateText(title: title))
            }
            func readyGauge() async throws -> Int? {
                String(decoding: try await backend.answer("/metrics").body, as: UTF8.self)
                    .split(separator: "\n").first { $0.hasPrefix("activeconfig_store_ready ") }
                    .flatMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            }
            #expect(try await publish("first", over: 0).status == 200)
            let log = try FileManager.default.attributesOfItem(
                atPath: folder.path("test.sqlite-wal"))
            let size = try #require((log[.size] as? NSNumber)?.uintValue)
            try setFileSizeLimit("\(size + 200_000)", of: backend.process)
            let big = String(repeating: "x", count: 400_000)
            let full = try await publish(big, over: 1)
            #expect(full.status == 503)
            #expect(String(decoding: full.body, as: UTF8.self).contains("no space left"))
            #expect(full.fields["retry-after"] != nil)
            let ready = try await readiness()
            #expect(ready["status"] == "degraded")
            #expect(ready["reason"]?.stringValue?.contains("no space left") == true)
            #expect(try await readyGauge() == 0)
            #expect(try await backend.answer("/activeconfig").status == 200)
            // A small write fits, and does not prove that a large one would.
            #expect(try await publish("second", over: 1).status == 200)
            #expect(try await readiness()["status"] == "degraded")
            try setFileSizeLimit("unlimited", of: backend.process)
            #expect(try await readiness()["status"] == "ok")
            #expect(try await readyGauge() == 1)
            #expect(try await publish(big, over: 2).status == 200)
            #expect(try await readiness()["status"] == "ok")
            _ = await backend.stop()
            let doctor = try await CommandRun(["doctor", "--store", folder.store])
            #expect(doctor.exitCode == 0, "\(doctor)")
        }
    }
#endif
