import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// A server whose database is removed, moved or overwritten while it runs.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ReplacedDatabaseTests {
    /// A fault of the database's files.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case removedLog, replacedLog, cutLog, removedIndex
        case removedDatabase, movedDatabase, replacedDatabase
        case otherCopiedOver, backupCopiedOver, olderSelfCopiedOver, textCopiedOver

        var testDescription: String { rawValue }
    }

    private static let path = "/v1/projects/default/remoteConfig"

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Path of the database, or of one of its companion files.
    private func file(_ suffix: String = "") -> String { folder.path("test.sqlite" + suffix) }

    /// Publishes a template over a version.
    private func publish(
        _ title: String, over version: Int, on backend: RunningBackend
    ) async throws -> HTTPAnswer {
        try await backend.administer(
            "PUT", Self.path, ifMatch: "etag-default-\(version)",
            body: AdministrationTarget.templateText(title: title))
    }

    /// Starts a server and publishes three versions.
    private func publishedBackend() async throws -> RunningBackend {
        let backend = try await RunningBackend(store: folder.store)
        for version in 0..<3 {
            let answer = try await publish("title \(version + 1)", over: version, on: backend)
            #expect(answer.status == 200)
        }
        return backend
    }

    /// Overwrites a file in place, as `cp` does, so that it keeps its identity.
    private func copy(_ source: String, over target: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: source))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: target))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
        try handle.close()
    }

    /// Creates another database with as many versions.
    private func otherDatabase() async throws -> String {
        let path = folder.path("other.sqlite")
        let backend = try await RunningBackend(store: "sqlite:" + path)
        for version in 0..<3 { _ = try await publish("other", over: version, on: backend) }
        _ = await backend.stop()
        return path
    }

    /// Causes a fault.
    private func cause(_ fault: Fault) async throws {
        let files = FileManager.default
        switch fault {
        case .removedLog: try files.removeItem(atPath: file("-wal"))
        case .replacedLog:
            try files.moveItem(atPath: file("-wal"), toPath: file("-old"))
            try files.copyItem(atPath: file("-old"), toPath: file("-wal"))
        case .cutLog:
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file("-wal")))
            try handle.truncate(atOffset: 0)
            try handle.close()
        case .removedIndex: try files.removeItem(atPath: file("-shm"))
        case .removedDatabase: try files.removeItem(atPath: file())
        case .movedDatabase: try files.moveItem(atPath: file(), toPath: file(".moved"))
        case .replacedDatabase:
            let other = try await otherDatabase()
            try files.removeItem(atPath: file())
            try files.moveItem(atPath: other, toPath: file())
        case .otherCopiedOver: try copy(try await otherDatabase(), over: file())
        case .backupCopiedOver:
            let backup = folder.path("backup.sqlite")
            #expect(
                try await CommandRun(["backup", backup, "--store", folder.store]).exitCode == 0)
            try copy(backup, over: file())
        case .olderSelfCopiedOver:
            try files.copyItem(atPath: file(), toPath: file(".old"))
            try copy(file(".old"), over: file())
        case .textCopiedOver:
            let text = try folder.write("no database", to: "text")
            try copy(text, over: file())
        }
    }

    /// Message of an error body.
    private func message(of answer: HTTPAnswer) throws -> String {
        try #require(
            try answer.json["error"]?["message"]?.stringValue)
    }

    @Test(arguments: Fault.allCases)
    func theServerRefusesWritesToReplacedFilesAndSaysWhy(fault: Fault) async throws {
        let backend = try await publishedBackend()
        try await cause(fault)
        let answer = try await publish("lost", over: 3, on: backend)
        #expect(answer.status == 503)
        #expect(try message(of: answer).contains("start"), "\(answer)")
        #expect(try message(of: answer).contains("replaced"), "\(answer)")
        let ready = try await backend.answer("/health/ready")
        #expect(ready.status == 200)
        #expect(try ready.json["status"] == "degraded")
        #expect(String(decoding: ready.body, as: UTF8.self).contains("replaced"))
        let override = try await backend.administer(
            "PUT", "/v1/projects/default/users/3/overrides", body: #"{"Home":{"title":"x"}}"#)
        #expect(override.status == 503)
        let token = try await backend.administer(
            "POST", "/v1/tokens", body: #"{"name":"late","role":"viewer"}"#)
        #expect(token.status == 503)
        // Clients are served from memory.
        let document = try await backend.answer("/activeconfig")
        #expect(document.status == 200)
        #expect(String(decoding: document.body, as: UTF8.self).contains("title 3"))
        backend.process.send(signal: SIGKILL)
        _ = await backend.process.exitCode()
    }

    @Test(arguments: [Fault.removedLog, .replacedLog, .movedDatabase], [true, false])
    func theServerLosesNothingThatWasAcknowledged(fault: Fault, isWritten: Bool) async throws {
        let backend = try await publishedBackend()
        try await cause(fault)
        if isWritten {
            #expect(try await publish("lost", over: 3, on: backend).status == 503)
        } else {
            // A slow check returns the previous result.
            try await waitUntil {
                try await backend.answer("/health/ready").json["status"] == "degraded"
            }
        }
        backend.process.send(signal: SIGKILL)
        _ = await backend.process.exitCode()
        if fault == .movedDatabase {
            try FileManager.default.moveItem(atPath: file(".moved"), toPath: file())
        }
        let again = try await RunningBackend(store: folder.store)
        let current = try await again.administer("GET", Self.path)
        #expect(current.fields["etag"] == #""etag-default-3""#)
        #expect(String(decoding: current.body, as: UTF8.self).contains("title 3"))
        #expect(try await publish("next", over: 3, on: again).status == 200)
        _ = await again.stop()
        let doctor = try await CommandRun(["doctor", "--store", folder.store])
        #expect(doctor.exitCode == 0, "\(doctor)")
    }

    @Test func theServerLeavesWhatWasCopiedOverTheDatabaseAlone() async throws {
        let backend = try await publishedBackend()
        try await cause(.otherCopiedOver)
        let copied = try Data(contentsOf: URL(fileURLWithPath: file()))
        #expect(try await publish("lost", over: 3, on: backend).status == 503)
        _ = await backend.stop()
        #expect(try Data(contentsOf: URL(fileURLWithPath: file())) == copied)
    }

    @Test func doctorReportsAReplacedDatabase() async throws {
        let backend = try await publishedBackend()
        try await cause(.removedLog)
        let run = try await CommandRun([
            "doctor", "--server", backend.url, "--token", RunningBackend.token,
        ])
        #expect(run.exitCode == 1, "\(run)")
        #expect(run.output.contains("replaced"), "\(run)")
        backend.process.send(signal: SIGKILL)
        _ = await backend.process.exitCode()
    }

    @Test func theServerTakesNoCheckpointOfACommandForAReplacement() async throws {
        let backend = try await publishedBackend()
        var version = 3
        for round in 0..<4 {
            let file = try folder.write(
                AdministrationTarget.templateText(title: "command \(round)"), to: "t.json")
            // A command checkpoints the log into the database when it exits.
            #expect(
                try await CommandRun(["publish", file, "--force", "--store", folder.store]).exitCode
                    == 0)
            version += 1
            let big = String(repeating: "x", count: 400_000)
            for _ in 0..<12 {
                #expect(try await publish(big, over: version, on: backend).status == 200)
                version += 1
            }
            let ready = try await backend.answer("/health/ready")
            #expect(try ready.json["status"] == "ok")
        }
        _ = await backend.stop()
    }
}
