import Foundation
import SeededRandomness
import ServerTestSupport
import Testing

/// Programs whose reader has closed the pipe of standard output, as `head` does.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ClosedOutputTests {
    private static let outputClosed: Int32 = 141

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aCommandEndsQuietly(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        for command in [
            ["get"], ["versions"], ["audit", "--json"], ["projects", "list"], ["doctor"],
        ] {
            let run = try await target.run(command, isOutputClosed: true)
            #expect(run.exitCode == Self.outputClosed, "\(command) \(run)")
            #expect(run.error.isEmpty, "\(command) \(run)")
        }
    }

    /// It would print nothing until the next change.
    @Test func aWatchEndsWithoutAChange() async throws {
        let backend = try await RunningBackend()
        // A watch of a missing project would end by itself.
        let published = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
            body: AdministrationTarget.templateText(title: "Hello"))
        #expect(published.status == 200)
        let run = try await CommandRun(["watch", "--server", backend.url], isOutputClosed: true)
        #expect(run.exitCode == Self.outputClosed, "\(run)")
        _ = await backend.stop()
    }

    @Test func aServerGoesOn() async throws {
        let process = try BackendProcess(
            ["serve", "--port", "0", "--store", "memory", "--dev"], isOutputClosed: true)
        // The line after those on standard output.
        let line = await process.errorLines.first { $0.contains("Sign in to the console") }
        let port = try #require(
            line?.firstMatch(of: /127\.0\.0\.1:([0-9]+)/).flatMap { Int($0.1) })
        #expect(try await HTTPConnection.answer(port: port, target: "/health/live").status == 200)
        process.send(signal: SIGTERM)
        #expect(await process.exitCode() == 0)
    }
}
