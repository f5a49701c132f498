import AdminAPI
import ChildProcesses
import Foundation
import GRDB
import JSONTree
import SQLiteTemplateStore
import SeededRandomness
import ServerTestSupport
import TemplateStore
import TemplateStoreTesting
import Templates
import TemporaryFolders
import Testing

/// The files of backups: `restore` and `doctor` leave them unchanged, and notice damage.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct BackupFilesTests {
    private let folder: TemporaryFolder
    private let backup: String

    /// Backs up a database, with the folder of the backup as a folder of its own.
    init() async throws {
        folder = try TemporaryFolder()
        let store = try await SQLiteTemplateStore(path: folder.path("test.sqlite"))
        try await StoreCopyTrial.fill(store)
        await store.close()
        try FileManager.default.createDirectory(
            atPath: folder.path("backups"), withIntermediateDirectories: false)
        backup = folder.path("backups/backup.sqlite")
        let run = try await CommandRun(["backup", backup, "--store", folder.store])
        try #require(run.exitCode == 0, "\(run)")
    }

    private func restore(_ file: String) async throws -> CommandRun {
        try await CommandRun(["restore", file, "--to", "sqlite:\(folder.path("restored.sqlite"))"])
    }

    private var isRestored: Bool {
        FileManager.default.fileExists(atPath: folder.path("restored.sqlite"))
    }

    private func addToken(to store: SQLiteTemplateStore) async throws {
        let token = AccessToken(name: "new", role: .viewer, date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: "root")
    }

    private func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("backups"))
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: folder.path("backups/\($0)"))))
            })
    }

    @Test func restoreAndDoctorWriteNothingBesideABackup() async throws {
        let before = try contents()
        #expect(Array(before.keys) == ["backup.sqlite"])
        let temporary = folder.path("temporary")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false)
        try setMode(0o400, 0o500)
        defer { try? setMode(0o600, 0o700) }
        let changed = try FileManager.default.attributesOfItem(atPath: folder.path("backups"))[
            .modificationDate]
        for command in [
            ["doctor", "--store", "sqlite:\(backup)"],
            ["restore", backup, "--to", "sqlite:\(folder.path("restored.sqlite"))"],
        ] {
            let run = try await CommandRun(command, environment: ["TMPDIR": temporary])
            #expect(run.exitCode == 0, "\(run)")
            #expect(try contents() == before)
            // Files that existed for a moment would have changed the folder.
            let now = try FileManager.default.attributesOfItem(atPath: folder.path("backups"))[
                .modificationDate]
            #expect(now as? Date == changed as? Date)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        let copy = try await SQLiteTemplateStore(path: folder.path("restored.sqlite"))
        let original = try await SQLiteTemplateStore(path: folder.path("test.sqlite"))
        let restored = try await StoreCopyTrial.digest(of: copy)
        let digest = try await StoreCopyTrial.digest(of: original)
        #expect(restored.differences(from: digest) == [.sessions])
        #expect(restored.count(.sessions) == 0)
        await copy.close()
        await original.close()
    }

    /// Makes the database larger than SQLite's cache, so that a copy has a file.
    private func enlargeDatabase() async throws {
        let queue = try DatabaseQueue(path: folder.path("test.sqlite"))
        try await queue.write { db in
            try db.execute(sql: "CREATE TABLE padding (bytes BLOB)")
            try db.execute(sql: "INSERT INTO padding VALUES (randomblob(8000000))")
        }
        try queue.close()
    }

    /// The copy that it reads has the secrets of webhooks.
    @Test func aKilledRestoreLeavesNoCopy() async throws {
        try await enlargeDatabase()
        let path = folder.path("backups/large.sqlite")
        let run = try await CommandRun(["backup", path, "--store", folder.store])
        try #require(run.exitCode == 0, "\(run)")
        let temporary = folder.path("temporary")
        try FileManager.default.createDirectory(
            atPath: temporary, withIntermediateDirectories: false)
        // Has the copy, and waits for the store to fill.
        let etcd = try await WebhookReceiver(.silence)
        let process = try BackendProcess(
            ["restore", path, "--to", "etcd:http://127.0.0.1:\(etcd.port)"],
            environment: ["TMPDIR": temporary])
        for await _ in etcd.requests { break }
        process.send(signal: SIGKILL)
        #expect(await process.exitCode() == -SIGKILL)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
        try await etcd.close()
    }

    /// Only a server, or a command that changes it, makes a backup a store in use.
    @Test func commandsThatOnlyReadLeaveABackup() async throws {
        let before = try contents()
        let store = "sqlite:\(backup)"
        let other = folder.path("other.sqlite")
        let commands = [
            ["versions"], ["audit"], ["tokens", "list"], ["projects", "list"],
            ["webhooks", "list"], ["connections"],
        ].map { $0 + ["--project", StoreCopyTrial.project] }
        for command in commands + [["backup", other]] {
            let run = try await CommandRun(command + ["--store", store])
            #expect(run.exitCode == 0, "\(command) \(run)")
            #expect(try contents() == before, "\(command)")
        }
        for command in [["restore", other], ["copy", "--from", folder.store]] {
            let run = try await CommandRun(command + ["--to", store])
            #expect(run.exitCode != 0)
            #expect(run.error.contains("is a backup, and is unchanged"), "\(run)")
            #expect(try contents() == before, "\(command)")
        }
        #expect(try await restore(other).exitCode == 0)
        let created = try await CommandRun([
            "tokens", "create", "--name", "new", "--role", "viewer", "--store", store,
        ])
        #expect(created.exitCode == 0, "\(created)")
        #expect(!SQLiteTemplateStore.isBackup(at: backup))
    }

    private func setMode(_ file: Int, _ parent: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: file], ofItemAtPath: backup)
        try FileManager.default.setAttributes(
            [.posixPermissions: parent], ofItemAtPath: folder.path("backups"))
    }

    @Test(arguments: ["", "not a database\n", String(repeating: "not a database\n", count: 500)])
    func aFileThatIsNoBackupIsRefused(content: String) async throws {
        let file = try folder.write(content, to: "backups/none.sqlite")
        let before = try contents()
        let run = try await restore(file)
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains(file), "\(run)")
        #expect(run.error.contains(content.isEmpty ? "is empty" : "not a database"), "\(run)")
        #expect(!isRestored)
        let doctor = try await CommandRun(["doctor", "--store", "sqlite:\(file)"])
        #expect(doctor.exitCode == 1, "\(doctor)")
        #expect(try contents() == before)
    }

    /// SQLite finds no fault in a file whose texts are others.
    @Test func aBackupWithOtherContentIsRefused() async throws {
        let queue = try DatabaseQueue(path: backup)
        try await queue.write { db in
            #expect(try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok")
            try db.execute(sql: "UPDATE versions SET content = CAST('{}' AS BLOB)")
        }
        try queue.close()
        let run = try await restore(backup)
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains(backup) && run.error.contains("checksum"), "\(run)")
        #expect(!isRestored)
        let doctor = try await CommandRun(["doctor", "--store", "sqlite:\(backup)"])
        #expect(doctor.exitCode == 1 && doctor.output.contains("checksum"), "\(doctor)")
    }

    /// Damage to a page without content would go unnoticed.
    @Test func aBackupHasNoUnusedPages() async throws {
        let queue = try DatabaseQueue(path: backup)
        #expect(try await queue.read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") } == 0)
    }

    @Test func aDamagedBackupIsRefused() async throws {
        var random = SeededGenerator.printingItsSeed()
        let intact = try Data(contentsOf: URL(fileURLWithPath: backup))
        for _ in Rounds.numbers(10, nightly: 300) {
            var data = intact
            // Free space of a page belongs to no content, so a single byte can be without effect.
            let place = Int.random(in: 100..<(data.count - 4_096), using: &random)
            for index in place..<(place + 4_096) { data[index] ^= 0x5A }
            try data.write(to: URL(fileURLWithPath: backup))
            let run = try await restore(backup)
            #expect(run.exitCode == 69, "place \(place): \(run)")
            #expect(!isRestored)
        }
    }

    @Test func aBackupThatIsServedLosesItsChecksumAndCanBeRestored() async throws {
        let store = try await SQLiteTemplateStore(path: backup)
        try await addToken(to: store)
        await store.close()
        let run = try await restore(backup)
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.contains("4 tokens"), "\(run)")
    }

    /// As when somebody copies the files of a database whose server was killed.
    @Test func theLogBesideABackupIsReadToo() async throws {
        let store = try await SQLiteTemplateStore(path: backup)
        try await addToken(to: store)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: backup + suffix, toPath: folder.path("log.sqlite") + suffix)
        }
        await store.close()
        let run = try await restore(folder.path("log.sqlite"))
        #expect(run.exitCode == 0, "\(run)")
        #expect(run.output.contains("4 tokens"), "\(run)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("log.sqlite-shm")))
    }

    /// As of the newest of several backups; nothing is written where the link leads either.
    @Test(arguments: [false, true])
    func aBackupIsReadThroughALink(isAbsolute: Bool) async throws {
        let link = folder.path("latest.sqlite")
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: isAbsolute ? backup : "backups/backup.sqlite")
        try setMode(0o400, 0o700)
        let before = try contents()
        for command in [
            ["doctor", "--store", "sqlite:\(link)"],
            ["restore", link, "--to", "sqlite:\(folder.path("restored.sqlite"))"],
        ] {
            let run = try await CommandRun(command)
            #expect(run.exitCode == 0, "\(run)")
            #expect(try contents() == before)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: backup)
        #expect(attributes[.posixPermissions] as? Int == 0o400)
    }

    @Test func aPipeIsRefused() async throws {
        let pipe = folder.path("pipe")
        let made = unsafe mkfifo(pipe, 0o600)
        try #require(made == 0)
        let run = try await restore(pipe)
        #expect(run.exitCode == 69 && run.error.contains("'\(pipe)' is not a file"), "\(run)")
        #expect(!isRestored)
    }

    @Test(.enabled(if: Disk.isSupported, "needs the permission to mount a file system"))
    func aBackupNeedsNoSpaceForTemporaryFiles() async throws {
        try await enlargeDatabase()
        let path = folder.path("backups/large.sqlite")
        do {
            let disk = try Disk(at: folder.path("disk"), size: "1m")
            defer { disk.remove() }
            let run = try await CommandRun(
                ["backup", path, "--store", folder.store], environment: ["TMPDIR": disk.path])
            #expect(run.exitCode == 0, "\(run)")
            // The copy that is restored does not fit either.
            let refused = try await CommandRun(
                ["restore", path, "--to", "sqlite:\(folder.path("restored.sqlite"))"],
                environment: ["TMPDIR": disk.path])
            #expect(refused.exitCode == 69, "\(refused)")
            #expect(refused.error.contains("'\(path)' cannot be copied"), "\(refused)")
            #expect(refused.error.contains("TMPDIR"), "\(refused)")
        }
        let run = try await restore(path)
        #expect(run.exitCode == 0, "\(run)")
    }

    /// The log of the database holds everything, and the file has no space for it.
    @Test(.enabled(if: Disk.isSupported, "needs the permission to mount a file system"))
    func aRestoreThatFitsOnlyIntoTheLogIsComplete() async throws {
        let path = folder.path("large.sqlite")
        let store = try await SQLiteTemplateStore(path: path)
        let text = String(repeating: "x", count: 1_000_000)
        let template = #"{"parameters": {"x": {"description": "\#(text)"}}}"#
        _ = try await store.publish(
            TemplateSubmission(
                project: "default", content: Data(template.utf8), expectation: .version(0),
                date: Date(), user: .init()))
        await store.close()
        let disk = try Disk(at: folder.path("disk"), size: "1600k")
        defer { disk.remove() }
        let restored = "sqlite:\(disk.path)/restored.sqlite"
        let run = try await CommandRun(["restore", path, "--to", restored])
        #expect(run.exitCode == 0, "\(run)")
        let log = try FileManager.default.attributesOfItem(
            atPath: "\(disk.path)/restored.sqlite-wal")
        #expect((log[.size] as? NSNumber)?.intValue ?? 0 > 1_000_000)
        let versions = try await CommandRun(["versions", "--store", restored])
        #expect(versions.exitCode == 0, "\(versions)")
        let audit = try await CommandRun(["audit", "--json", "--store", restored]).json
        let raise = audit["entries"]?.arrayValue?.first { $0["action"] == "RAISE_VERSIONS" }
        #expect(raise?["actor"] == "command line")
    }

    @Test(
        .enabled(if: Disk.isSupported, "needs the permission to mount a file system"),
        arguments: ["4k", "1m"])
    func aBackupToAFullDiskNamesItsFile(size: String) async throws {
        let disk = try Disk(at: folder.path("disk"), size: size)
        defer { disk.remove() }
        let path = disk.path + "/full.sqlite"
        let run = try await CommandRun(["backup", path, "--store", folder.store])
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains("no space for the backup \(path)"), "\(run)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
    }
}

/// A small file system in memory, which only a process with a permission of root can mount.
private struct Disk {
    /// True if this process may mount one.
    static let isSupported: Bool = {
        guard let folder = try? TemporaryFolder(),
            let disk = try? Disk(at: folder.path("disk"), size: "4k")
        else { return false }
        disk.remove()
        return true
    }()

    let path: String

    init(at path: String, size: String) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Self.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", path)
    }

    func remove() { _ = try? Self.run("umount", path) }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.runAlone()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
