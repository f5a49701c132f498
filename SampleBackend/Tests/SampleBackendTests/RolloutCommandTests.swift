import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// `sample-backend rollout` on a server with the sample template.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RolloutCommandTests {
    private static let condition = "Some feature, half of the users"

    @Test func aRolloutIsPlannedHeldResumedTakenBackAndStopped() async throws {
        let backend = try await RunningBackend(["--dev"])
        func run(_ arguments: String...) async throws -> CommandRun {
            try await CommandRun(
                ["rollout"] + arguments + ["--server", backend.url],
                environment: ["ACTIVECONFIG_TOKEN": RunningBackend.token])
        }
        let plan = ["--condition", Self.condition, "--percents", "60,80,100", "--every", "1d"]
        func start(_ more: String...) async throws -> CommandRun {
            try await CommandRun(
                ["rollout", "start"] + plan + more + ["--server", backend.url],
                environment: ["ACTIVECONFIG_TOKEN": RunningBackend.token])
        }
        let dry = try await start("--dry-run", "--maximum-problems", "1.5")
        #expect(dry.exitCode == 0 && dry.output.contains("not stored, willPublish"), "\(dry)")
        #expect(dry.output.contains("No app reports"), "\(dry)")
        let none = try await run("list", "--json")
        #expect(try JSONNode(jsonData: Data(none.output.utf8))["rollouts"] == [])
        let started = try await start("--json")
        #expect(started.exitCode == 0, "\(started)")
        let id = try #require(
            try JSONNode(jsonData: Data(started.output.utf8))["id"]?.stringValue)
        try await waitUntil { try await run("show", id).output.contains("running at 60 %") }
        let held = try await run("hold", id, "--reason", "Lunch")
        #expect(held.exitCode == 0 && held.output.contains("held at 60 %: Lunch"), "\(held)")
        #expect(try await run("resume", id, "--now").exitCode == 0)
        try await waitUntil { try await run("list").output.contains("running at 80 %") }
        let back = try await run("take-back", id)
        #expect(back.exitCode == 0 && back.output.contains("held at 60 %"), "\(back)")
        let stopped = try await run("stop", id)
        #expect(stopped.output.contains("stopped at 60 %"), "\(stopped)")
        #expect(try await run("hold", id).exitCode == 1)
        #expect(try await run("show", "none").exitCode == 4)
    }

    @Test(arguments: [["--every", "1w"], ["--percents", "1;5"], ["--every", "0d"]])
    func wrongOptionsAreRefused(_ wrong: [String]) async throws {
        var options = ["--condition": "a", "--percents": "1,5", "--every": "1d"]
        options[wrong[0]] = wrong[1]
        let run = try await CommandRun(
            ["rollout", "start"] + options.flatMap { [$0.key, $0.value] })
        #expect(run.exitCode == 64 && run.error.contains("Give \(wrong[0])"), "\(run)")
    }
}
