import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// `sample-backend usage`, and what a killed server leaves of it.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UsageCommandTests {
    @Test func itShowsAppsAndSettings() async throws {
        let backend = try await RunningBackend(["--dev"])
        _ = try await backend.answer("/activeconfig?app.id=com.example&app.version=2.1")
        let environment = ["ACTIVECONFIG_TOKEN": RunningBackend.token]
        let run = try await CommandRun(
            ["usage", "--server", backend.url], environment: environment)
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.contains("com.example"), "\(run)")
        #expect(run.output.contains("unknown"), "\(run)")
        let stale = try await CommandRun(
            ["usage", "--stale", "--server", backend.url], environment: environment)
        #expect(stale.exitCode == 0, "\(stale)")
        #expect(!stale.output.contains("com.example"), "\(stale)")
        let json = try await CommandRun(
            ["usage", "--json", "--server", backend.url], environment: environment)
        let usage = try JSONNode(jsonData: Data(json.output.utf8))
        #expect(usage["apps"]?.arrayValue?.first?["id"] == "com.example")
        #expect(usage["settings"]?.arrayValue?.isEmpty == false)
        let missing = try await CommandRun(
            ["usage", "--project", "none", "--server", backend.url], environment: environment)
        #expect(missing.exitCode == 4, "\(missing)")
    }

    @Test func aKilledServerLosesTheLastUseOnly() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(store: folder.store, ["--dev"])
        func apps() async throws -> [String?] {
            let run = try await CommandRun(["usage", "--json", "--store", folder.store])
            let apps = try JSONNode(jsonData: Data(run.output.utf8))["apps"]?.arrayValue ?? []
            return apps.map { $0["id"]?.stringValue }
        }
        _ = try await backend.answer("/activeconfig?app.id=stored")
        try await waitUntil { try await apps() == ["stored"] }
        _ = try await backend.answer("/activeconfig?app.id=lost")
        backend.process.send(signal: SIGKILL)
        _ = await backend.process.exitCode()
        #expect(try await apps().contains("stored"))
    }
}
