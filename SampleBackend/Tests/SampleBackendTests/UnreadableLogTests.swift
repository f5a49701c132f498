import ChildProcesses
import SeededRandomness
import TemporaryFolders

#if os(Linux)
    import Foundation
    import JSONTree
    import ServerTestSupport
    import Testing

    /// A server that temporarily cannot open files, and therefore cannot check the log of its
    /// database.
    @Suite(.timeLimit(.minutes(Rounds.minutes)))
    struct UnreadableLogTests {
        private static let path = "/v1/projects/default/remoteConfig"

        /// Limits the number of open files of a process; files that are already open stay open.
        private func setOpenFileLimit(_ limit: Int, of server: BackendProcess) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
            process.arguments = ["--pid", "\(server.identifier)", "--nofile=\(limit):"]
            try process.runAlone()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        @Test func theServerStoresAgainOnceItCanLookAtTheLog() async throws {
            let folder = try TemporaryFolder()
            let backend = try await RunningBackend(store: folder.store)
            // An open connection needs no further file.
            try await HTTPConnection.open(port: backend.port) { connection in
                func ask(
                    _ method: String, _ target: String, _ fields: [String] = [], body: String = ""
                ) async throws -> HTTPAnswer {
                    connection.send(
                        method: method, target: target,
                        fields: ["Authorization: Bearer \(RunningBackend.token)"] + fields,
                        body: body)
                    return try await connection.receive()
                }
                func publish(_ title: String, over version: Int) async throws -> HTTPAnswer {
                    try await ask(
                        "PUT", Self.path, ["If-Match: etag-default-\(version)"],
                        body: AdministrationTarget.templateText(title: title))
                }
                func readiness() async throws -> JSONNode {
                    try await ask("GET", "/health/ready").json
                }
                let first = try await publish("first", over: 0)
                #expect(first.status == 200)
                try setOpenFileLimit(3, of: backend.process)
                for _ in 0..<3 {
                    let refused = try await publish("refused", over: 1)
                    #expect(refused.status == 503)
                    #expect(refused.fields["retry-after"] == "5")
                    #expect(!String(decoding: refused.body, as: UTF8.self).contains("replaced"))
                }
                #expect(try await readiness()["status"] == "degraded")
                try setOpenFileLimit(1_024, of: backend.process)
                #expect(try await readiness()["status"] == "ok")
                #expect(try await publish("second", over: 1).status == 200)
            }
            let log = await backend.stop()
            #expect(log.contains { $0.contains("cannot be checked now") })
            #expect(!log.contains { $0.contains("backup") })
        }
    }
#endif
