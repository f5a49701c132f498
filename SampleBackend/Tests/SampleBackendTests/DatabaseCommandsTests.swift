import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// `sample-backend backup` and `doctor`.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DatabaseCommandsTests {
    @Test func aBackupCopiesADatabaseThatAServerUses() async throws {
        let folder = try TemporaryFolder()
        let backend = try await RunningBackend(store: folder.store, ["--dev"])
        let copy = folder.path("copy.sqlite")
        let run = try await CommandRun(["backup", copy, "--store", folder.store])
        #expect(run.exitCode == 0, "\(run)")
        let original = try await backend.administer("GET", "/v1/projects/default/remoteConfig")
        let get = try await CommandRun(["get", "--store", "sqlite:\(copy)"])
        #expect(try get.json == JSONNode(jsonData: original.body))
        #expect(try await CommandRun(["doctor", "--store", "sqlite:\(copy)"]).exitCode == 0)
        _ = await backend.stop()
    }

    @Test func aBackupWritesOverNoFile() async throws {
        let target = try await AdministrationTarget(.database)
        let file = try target.folder.write("mine", to: "mine.txt")
        let run = try await CommandRun(["backup", file, "--store", target.folder.store])
        #expect(run.exitCode == 1, "\(run)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    }

    /// States of the findings of `doctor --json`, by subject.
    private func states(_ run: CommandRun) throws -> [String: [String]] {
        let findings = try #require(try run.json["findings"]?.arrayValue)
        var states: [String: [String]] = [:]
        for finding in findings {
            let subject = try #require(finding["subject"]?.stringValue)
            states[subject, default: []].append(try #require(finding["state"]?.stringValue))
        }
        return states
    }

    @Test(arguments: AdministrationTarget.Kind.allCases)
    func doctorFindsNothingWrongAfterAPublish(kind: AdministrationTarget.Kind) async throws {
        let target = try await AdministrationTarget(kind)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let run = try await target.run("doctor", "--json")
        #expect(run.exitCode == 0, "\(run)")
        let states = try states(run)
        #expect(!states.values.joined().contains("fail"), "\(run)")
        #expect(states["clock"] == ["ok"])
        switch kind {
        case .server:
            #expect(states["server"] == ["ok"])
            #expect(states["token"] == ["ok"])
            #expect(run.output.contains("publisher"), "\(run)")
        case .database:
            #expect(states["database"] == ["ok"])
            #expect(run.output.contains("1 project, revision"), "\(run)")
        }
    }

    @Test func doctorFindsADamagedDatabase() async throws {
        let target = try await AdministrationTarget(.database)
        let big = String(repeating: "x", count: 200_000)
        let template = try target.folder.write(
            AdministrationTarget.templateText(title: big), to: "big.json")
        #expect(try await target.run("publish", template).exitCode == 0)
        let file = URL(fileURLWithPath: target.folder.path("test.sqlite"))
        var data = try Data(contentsOf: file)
        // Damages the pages of the tables, but not the first page with the file's header.
        for place in stride(from: 4096, to: min(data.count, 40_960), by: 64) {
            data[place..<(place + 32)] = Data(repeating: 0x5A, count: 32)
        }
        try data.write(to: file)
        // The log contains the same pages, and would replace the damaged ones.
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: file.path + suffix)
        }
        let run = try await CommandRun(["doctor", "--store", target.folder.store])
        #expect(run.exitCode == 1, "\(run)")
        #expect(run.output.contains("FAIL"), "\(run)")
    }

    @Test(arguments: [0o666, 0o644, 0o620])
    func doctorAndTheServerWarnOfADatabaseWithLoosePermissions(mode: Int) async throws {
        let target = try await AdministrationTarget(.database)
        #expect(try await target.run("publish", target.template()).exitCode == 0)
        let path = target.folder.path("test.sqlite")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let doctor = try await target.run("doctor", "--json")
        #expect(try states(doctor)["permissions"] == ["warn"])
        #expect(doctor.output.contains("chmod 600"))
        let backend = try await RunningBackend(store: target.folder.store)
        let log = await backend.stop()
        #expect(log.contains { $0.contains("chmod 600") && $0.contains(path) }, "\(log)")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(try states(try await target.run("doctor", "--json"))["permissions"] == nil)
    }

    @Test func doctorFindsAWrongTokenAndAMissingServer() async throws {
        let backend = try await RunningBackend(["--dev"])
        let wrong = try await CommandRun([
            "doctor", "--server", backend.url, "--token", "acfg_wrong", "--json",
        ])
        #expect(wrong.exitCode == 1, "\(wrong)")
        let states = try states(wrong)
        #expect(states["server"] == ["ok"])
        #expect(states["token"] == ["fail"])
        _ = await backend.stop()
        let gone = try await CommandRun(["doctor", "--server", backend.url])
        #expect(gone.exitCode == 1, "\(gone)")
        #expect(gone.output.contains("FAIL"), "\(gone)")
    }
}
