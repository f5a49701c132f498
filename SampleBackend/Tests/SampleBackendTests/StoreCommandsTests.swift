import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import JSONTree
import SQLiteTemplateStore
import SeededRandomness
import ServerTestSupport
import TemplateStore
import TemplateStoreTesting
import TemporaryFolders
import Testing

/// A member shared by all tests that need no other.
enum SharedMember {
    static let cluster = Task { try await EtcdCluster() }
}

/// `sample-backend copy`, `backup` and `restore` with a store in etcd.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StoreCommandsTests {
    private let folder: TemporaryFolder
    /// The location of a store in etcd that does not exist yet.
    private let etcd: String

    init() async throws {
        folder = try TemporaryFolder()
        let location = try await SharedMember.cluster.value.location()
        etcd = "etcd:\(location.members[0])?prefix=\(location.prefix)"
    }

    /// Fills the database `test.sqlite`.
    private func fillDatabase() async throws {
        let store = try await SQLiteTemplateStore(path: folder.path("test.sqlite"))
        try await StoreCopyTrial.fill(store)
        await store.close()
    }

    private func digest(_ file: String) async throws -> ArchiveDigest {
        let store = try await SQLiteTemplateStore(path: folder.path(file))
        let digest = try await StoreCopyTrial.digest(of: store)
        await store.close()
        return digest
    }

    @Test func movingToEtcdAndBackIsOneCommandEach() async throws {
        try await fillDatabase()
        let up = try await CommandRun(["copy", "--from", folder.store, "--to", etcd])
        #expect(up.exitCode == 0, "\(up)")
        #expect(up.output.contains("4 projects, 301 versions"), "\(up)")
        #expect(up.error == "", "no progress but on a terminal")
        let get = ["get", "--project", StoreCopyTrial.project, "--store"]
        let before = try await CommandRun(get + [folder.store])
        let after = try await CommandRun(get + [etcd])
        #expect(after.exitCode == 0, "\(after)")
        #expect(after.output == before.output)
        let back = "sqlite:\(folder.path("back.sqlite"))"
        let down = try await CommandRun(["copy", "--from", etcd, "--to", back, "--json"])
        #expect(down.exitCode == 0, "\(down)")
        #expect(try down.json["verified"] == true)
        #expect(try down.json["drafts"] == 3)
        #expect(try down.json["projects"] == 4)
        let copied = try await digest("back.sqlite")
        #expect(try await copied.differences(from: digest("test.sqlite")) == [.sessions])
        #expect(try await CommandRun(["doctor", "--store", back]).exitCode == 0)
    }

    @Test func aBackupOfEtcdIsRestoredIntoAnEmptyStore() async throws {
        try await fillDatabase()
        #expect(
            try await CommandRun(["copy", "--from", folder.store, "--to", etcd]).exitCode == 0)
        let file = folder.path("backup.sqlite")
        let backup = try await CommandRun(["backup", file, "--store", etcd])
        #expect(backup.exitCode == 0, "\(backup)")
        #expect(!FileManager.default.fileExists(atPath: file + "-wal"))
        let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(permissions as? Int == 0o600)
        let again = try await CommandRun(["backup", file, "--store", etcd])
        #expect(again.exitCode == 1, "\(again)")
        let full = try await CommandRun(["restore", file, "--to", etcd, "--json"])
        #expect(full.exitCode == 1, "\(full)")
        #expect(full.error.contains("is not empty"), "\(full)")
        let restored = try await CommandRun([
            "restore", file, "--to", "sqlite:\(folder.path("restored.sqlite"))",
        ])
        #expect(restored.exitCode == 0, "\(restored)")
        // Who signed out after the backup stays signed out; a revoked token is valid again.
        #expect(restored.output.contains("People sign in to the console again"), "\(restored)")
        #expect(restored.output.contains("revoked after this state"), "\(restored)")
        let copied = try await digest("restored.sqlite")
        #expect(try await copied.differences(from: digest("test.sqlite")) == [.sessions])
    }

    /// A backup that is killed at any moment leaves no file that looks complete.
    @Test(arguments: ["etcd", "sqlite"])
    func aBackupThatIsKilledHasNoName(_ engine: String) async throws {
        try await fillDatabase()
        if engine == "etcd" {
            let copy = try await CommandRun(["copy", "--from", folder.store, "--to", etcd])
            #expect(copy.exitCode == 0, "\(copy)")
        }
        let path = folder.path("backup.sqlite")
        let command = ["backup", path, "--store", engine == "etcd" ? etcd : folder.store]
        func size() -> Int {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            let files = (names ?? []).filter { $0.hasPrefix("backup.sqlite") }
            if files.isEmpty { return -1 }
            return files.reduce(0) { sum, name in
                let attributes = try? FileManager.default.attributesOfItem(
                    atPath: folder.path(name))
                return sum + (attributes?[.size] as? Int ?? 0)
            }
        }
        var bytes = 0
        var isKilled = false
        while true {
            let backup = try BackendProcess(command)
            let end = Task { await backup.exitCode() }
            let isOver = Locked(false)
            Task {
                _ = await end.value
                isOver.withLock { $0 = true }
            }
            // deadline: the backup continues until the file is that large, or the process exits
            while size() < bytes, !isOver.withLock({ $0 }) {
                // deadline: the pause between two polls
                try await Task.sleep(for: .milliseconds(1))
            }
            backup.send(signal: SIGKILL)
            isKilled = await end.value != 0
            if !isKilled { break }
            // The backup may have been complete by then; this is checked below.
            if FileManager.default.fileExists(atPath: path) { break }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            where name.hasPrefix("backup.sqlite.partial-") {
                try FileManager.default.removeItem(atPath: folder.path(name))
            }
            bytes += 300_000
        }
        #expect(bytes > 0 || engine == "sqlite", "the copy of pages may be over at once")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { $0.hasPrefix("backup.sqlite") }
        #expect(left.contains("backup.sqlite"))
        // A kill just after the file got its name leaves its partial name, which is the same file, and
        // the empty files that SQLite keeps beside it.
        func attributes(_ name: String) throws -> (number: Int?, size: Int?) {
            let all = try FileManager.default.attributesOfItem(atPath: folder.path(name))
            return (all[.systemFileNumber] as? Int, all[.size] as? Int)
        }
        let number = try #require(try attributes("backup.sqlite").number)
        for name in left where name != "backup.sqlite" {
            let other = try attributes(name)
            #expect(isKilled && (other.number == number || other.size == 0), "\(name)")
        }
        let backup = try await digest("backup.sqlite")
        #expect(
            try await backup.differences(from: digest("test.sqlite"))
                == (engine == "etcd" ? [.sessions] : []))
    }

    /// As a timer does that starts a backup before the previous one has finished.
    @Test(arguments: ["etcd", "sqlite"])
    func severalBackupsAtOnceMakeOneFile(_ engine: String) async throws {
        try await fillDatabase()
        if engine == "etcd" {
            let copy = try await CommandRun(["copy", "--from", folder.store, "--to", etcd])
            #expect(copy.exitCode == 0, "\(copy)")
        }
        let path = folder.path("backup.sqlite")
        let command = ["backup", path, "--store", engine == "etcd" ? etcd : folder.store]
        let runs = try await withThrowingTaskGroup(of: CommandRun.self) { group in
            for _ in 0..<3 { group.addTask { try await CommandRun(command) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(runs.contains { $0.exitCode == 0 }, "\(runs)")
        for run in runs where run.exitCode != 0 {
            #expect(run.exitCode == 1 && run.error.contains(path), "\(run)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(names.filter { $0.hasPrefix("backup.sqlite") } == ["backup.sqlite"])
        let backup = try await digest("backup.sqlite")
        #expect(
            try await backup.differences(from: digest("test.sqlite"))
                == (engine == "etcd" ? [.sessions] : []))
    }

    /// A backup does not touch other files, whatever their names.
    @Test func aBackupRemovesNothing() async throws {
        try await fillDatabase()
        let name = "backup.sqlite.partial"
        try FileManager.default.createDirectory(
            atPath: folder.path(name), withIntermediateDirectories: false)
        _ = try folder.write("mine", to: "\(name)/file")
        _ = try folder.write("mine", to: "\(name)-wal")
        let run = try await CommandRun([
            "backup", folder.path("backup.sqlite"), "--store", folder.store,
        ])
        #expect(run.exitCode == 0, "\(run)")
        #expect(FileManager.default.fileExists(atPath: folder.path("\(name)/file")))
        #expect(FileManager.default.fileExists(atPath: folder.path("\(name)-wal")))
    }

    @Test func aCopyThatIsKilledIsNeverServed() async throws {
        try await fillDatabase()
        let copy = try BackendProcess(["copy", "--from", folder.store, "--to", etcd])
        let location = try await SharedMember.cluster.value.location(
            prefix: String(etcd.split(separator: "=")[1]))
        // deadline: the copy stores some hundred changes before it is complete
        while try await EtcdStatus(location).store.get()?.keyCount ?? 0 < 20 {
            try Task.checkCancellation()
        }
        copy.send(signal: SIGKILL)
        _ = await copy.exitCode()
        for arguments in [
            ["serve", "--port", "0", "--store", etcd], ["get", "--store", etcd],
            ["copy", "--from", folder.store, "--to", etcd],
            ["copy", "--from", etcd, "--to", "sqlite:\(folder.path("x.sqlite"))"],
        ] {
            let run = try await CommandRun(arguments)
            #expect(run.exitCode != 0, "\(run)")
            #expect(run.error.contains("etcdctl del --prefix \(location.prefix)"), "\(run)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("x.sqlite")))
    }

    @Test func aStoreThatIsMissingIsNoSource() async throws {
        let database = "sqlite:\(folder.path("none.sqlite"))"
        for (from, to) in [(etcd, database), (database, etcd), ("memory", database)] {
            let run = try await CommandRun(["copy", "--from", from, "--to", to])
            #expect(run.exitCode == (from == "memory" ? 64 : 69), "\(run)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("none.sqlite")))
        let lost = try await CommandRun(["copy", "--from", etcd, "--to", "memory"])
        #expect(lost.exitCode == 64, "\(lost)")
    }

    @Test(arguments: [
        ["get"], ["publish", "t.json", "--force"], ["tokens", "list"], ["audit"], ["versions"],
        ["backup", "none.sqlite"],
    ])
    func onlyAServerAndACopyMakeAStore(_ command: [String]) async throws {
        _ = try folder.write("{\"parameters\":{}}", to: "t.json")
        let run = try await CommandRun(
            command.map { $0.contains(".") ? folder.path($0) : $0 } + ["--store", etcd])
        #expect(run.exitCode == 69, "\(run)")
        #expect(run.error.contains("There is no store"), "\(run)")
        let location = try await SharedMember.cluster.value.location(
            prefix: String(etcd.split(separator: "=")[1]))
        #expect(try await EtcdStatus(location).store.get() == nil)
    }

    @Test(arguments: [
        "etcd:http://root:s3cret@127.0.0.1:1", "etcd:http://root:s3cret@127.0.0.1:1/v3",
        "etcd:http://127.0.0.1:1?user=a&password=s3cret", "etcd:http://127.0.0.1:1?s3cret",
        "etcd:http://127.0.0.1:1?prefix=%zzs3cret", "http://root:s3cret@127.0.0.1:1",
    ])
    func aPasswordInTheAddressOfAStoreIsNotPrinted(_ store: String) async throws {
        for arguments in [
            ["get", "--store", store], ["get", "--store=\(store)"], ["serve", "--store", store],
            ["copy", "--from", store, "--to", "memory"], ["doctor", "--json", "--store", store],
        ] {
            let run = try await CommandRun(arguments)
            #expect(run.exitCode == 64, "\(run)")
            #expect(!run.description.contains("s3cret"), "\(run)")
        }
    }
}
