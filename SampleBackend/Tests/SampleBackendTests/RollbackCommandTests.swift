import ArgumentParser
import Foundation
import JSONTree
import SeededRandomness
import TemporaryFolders
import Testing

@testable import SampleBackend

/// The version that `sample-backend rollback` replaces.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RollbackCommandTests {
    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aRollbackReplacesOnlyTheVersionItIsGiven(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        for title in ["one", "two", "three"] {
            let run = try await target.run("publish", target.template(title: title), "--force")
            #expect(run.exitCode == 0, "\(run)")
        }
        let stale = try await target.run("rollback", "1", "--if-match", "etag-default-2")
        #expect(stale.exitCode == 3, "\(stale)")
        #expect(stale.error.contains("current version"), "\(stale)")
        let current = try await target.run("get")
        #expect(try current.json["version"]?["versionNumber"] == "3")

        let done = try await target.run("rollback", "1", "--if-match", "etag-default-3")
        #expect(done.exitCode == 0, "\(done)")
        #expect(
            done.output.contains("Published version 1 again, as version 4."), "\(done)")
        #expect(try await target.run("rollback", "2", "--force").exitCode == 0)
        #expect(try await target.run("rollback", "2", "--if-match", "*").exitCode == 0)
        let both = try await target.run("rollback", "2", "--force", "--if-match", "*")
        #expect(both.exitCode == 64, "\(both)")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aRollbackReportsTheReplacedVersion(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        for title in ["one", "two"] {
            _ = try await target.run("publish", target.template(title: title), "--force")
        }
        let run = try await target.run("rollback", "1")
        #expect(
            run.output == "Published version 1 again, as version 3, in place of version 2.",
            "\(run)")
        let json = try await target.run("rollback", "1", "--json").json
        #expect(json["version"]?["versionNumber"] == "4")
        #expect(json["replacedVersionNumber"] == "3")
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func aRollbackThatRemovesMostSettingsNeedsYes(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        let empty = try target.folder.write(#"{"parameters": {}}"#, to: "empty.json")
        for file in [empty, try target.template()] {
            #expect(try await target.run("publish", file, "--force").exitCode == 0)
        }
        for options in [[], ["--force"], ["--if-match", "etag-default-2"]] {
            let run = try await target.run(["rollback", "1"] + options)
            #expect(run.exitCode == 1, "\(run)")
            #expect(run.error.contains("--yes"), "\(run)")
        }
        #expect(try await target.run("get").json["version"]?["versionNumber"] == "2")
        let stale = try await target.run("rollback", "1", "--if-match", "etag-default-1")
        #expect(stale.exitCode == 3, "\(stale)")
        #expect(try await target.run("rollback", "7").exitCode == 4)
        #expect(try await target.run("rollback", "1", "--yes").exitCode == 0)
        #expect(try await target.run("rollback", "2").exitCode == 0)
    }

    @Test func aRollbackReplacesNoVersionThatIsPublishedAfterItLooked() async throws {
        // Another version, 6, is published after the command has read version 5.
        let transport = ScriptedTransport { request in
            switch (request.method, request.ifMatch) {
            case ("GET", _):
                AdministrationAnswer(
                    status: 200, entityTag: "etag-default-5", warnings: [],
                    body: Self.template(version: 5))
            case (_, "etag-default-6"), (_, "*"), (_, nil):
                AdministrationAnswer(
                    status: 200, entityTag: "etag-default-7", warnings: [],
                    body: Self.template(version: 7))
            default:
                AdministrationAnswer(status: 412, entityTag: nil, warnings: [], body: Data())
            }
        }
        let command = try RollbackCommand.parse(["1"])
        let failure = await #expect(throws: CommandFailure.self) {
            try await command.run(with: transport)
        }
        #expect(failure?.code == Exit.versionMismatch)
    }

    /// Template that contains only its version.
    private static func template(version: Int) -> Data {
        let node: JSONNode = ["version": ["versionNumber": .string("\(version)")]]
        return node.jsonData()
    }
}

private struct ScriptedTransport: AdministrationTransport {
    let answer: @Sendable (AdministrationRequest) -> AdministrationAnswer

    func send(_ request: AdministrationRequest) async throws -> AdministrationAnswer {
        answer(request)
    }

    func close() {}
}
