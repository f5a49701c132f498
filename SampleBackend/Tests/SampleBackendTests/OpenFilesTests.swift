#if os(Linux)
    import ChildProcesses
    import Foundation
    import SeededRandomness
    import ServerTestSupport
    import TemporaryFolders
    import Testing

    /// A server that runs out of open files, tested with the real process.
    @Suite(.timeLimit(.minutes(Rounds.minutes)))
    struct OpenFilesTests {
        @Test func theServerTakesNoMoreConnectionsThanItsFilesAllow() async throws {
            let backend = try await RunningBackend(
                ["--dev", "--max-connections", "1000", "--log-level", "notice"], openFiles: 300)
            try await IdleConnections.open(
                Array(repeating: "", count: 350), port: backend.port
            ) { _ in
                for _ in 0..<5 {
                    let answer = try await backend.answer("/activeconfig/user/1")
                    #expect(answer.status == 200)
                }
            }
            let warnings = await backend.stop().filter { $0.contains("--max-connections 1000") }
            #expect(warnings.count == 1)
            #expect(warnings.first?.contains("44 connections") == true, "\(warnings)")
        }

        @Test(arguments: [257, 200])
        func aServerWithoutFilesForConnectionsDoesNotStart(openFiles: Int) async throws {
            for arguments in [[], ["--max-connections", "100"]] {
                let process = try BackendProcess(
                    ["serve", "--port", "0", "--store", "memory"] + arguments,
                    openFiles: openFiles)
                try #require(await process.listeningPort() == nil)
                let run = await CommandRun(process)
                #expect(run.exitCode == 1)
                #expect(run.error.contains("\(openFiles) open files"), "\(run)")
            }
        }

        @Test(arguments: [(200, "FAIL"), (300, "warn")])
        func doctorJudgesTheLimitAsTheServerDoes(openFiles: Int, state: String) async throws {
            let folder = try TemporaryFolder()
            let run = await CommandRun(
                try BackendProcess(["doctor", "--store", folder.store], openFiles: openFiles))
            let line = run.output.split(separator: "\n").first { $0.contains("open files") }
            #expect(line?.contains(state) == true, "\(run)")
            #expect(line?.contains("\(openFiles)") == true, "\(run)")
        }

        @Test func aClientIsAnsweredWithTheFewestFiles() async throws {
            let backend = try await RunningBackend(["--dev"], openFiles: 258)
            try await HTTPConnection.open(port: backend.port) { connection in
                for _ in 0..<5 {
                    connection.send(target: "/activeconfig/user/1")
                    #expect(await connection.receiveStatus() == 200)
                }
                // A stream would take the only connection that is left for requests.
                connection.send(target: "/activeconfig/user/1/events")
                #expect(await connection.receiveStatus() == 503)
            }
            _ = await backend.stop()
        }

        /// Sets the limit on the open files of a running process; nil stands for this process's own
        /// limit.
        private static func setOpenFiles(_ limit: Int?, of server: BackendProcess) throws {
            var own = rlimit()
            #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &own) == 0)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
            process.arguments = [
                "--pid", "\(server.identifier)",
                "--nofile=\(limit.map { rlim_t($0) } ?? own.rlim_max):",
            ]
            try process.runAlone()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }

        /// Processor time of a process, in clock ticks.
        private static func ticks(ofProcess process: Int32) throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // The name is in parentheses, and may contain spaces.
            let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
            let user = try #require(Int(fields[11]))
            return try user + #require(Int(fields[12]))
        }

        @Test func acceptingPausesWhileThereAreNoFiles() async throws {
            let backend = try await RunningBackend(["--dev", "--log-level", "notice"])
            try await HTTPConnection.open(port: backend.port) { early in
                early.send(target: "/health/live")
                #expect(await early.receiveStatus() == 200)
                try Self.setOpenFiles(5, of: backend.process)
                try await HTTPConnection.open(port: backend.port) { late in
                    late.send(target: "/activeconfig")
                    var lines = backend.process.errorLines.makeAsyncIterator()
                    let first = try #require(await lines.next())
                    #expect(first.contains("warning"))
                    #expect(first.contains("Too many open files"))
                    let start = try Self.ticks(ofProcess: backend.process.identifier)
                    early.send(target: "/health/live")
                    #expect(await early.receiveStatus() == 200)
                    // The next attempt comes after a pause.
                    #expect(await lines.next() != nil)
                    let end = try Self.ticks(ofProcess: backend.process.identifier)
                    // A loop without a pause would take a hundred ticks a second.
                    #expect(end - start < 50)
                    try Self.setOpenFiles(nil, of: backend.process)
                    #expect(await late.receiveStatus() == 200)
                }
            }
            #expect(try await backend.answer("/activeconfig").status == 200)
            _ = await backend.stop()
        }
    }
#endif
