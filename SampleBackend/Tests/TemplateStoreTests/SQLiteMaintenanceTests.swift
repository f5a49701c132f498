import Foundation
import GRDB
import SQLiteTemplateStore
import SeededRandomness
import TemplateStore
import Templates
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SQLiteMaintenanceTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store.sqlite")
    }

    @Test func aBackupHasAllOfOneMoment() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        for _ in 0..<10 {
            _ = try await store.publish(.make(String(repeating: "x", count: 50_000)))
        }
        try await store.setOverrides(.make())
        let target = folder.path("backup.sqlite")
        async let published: Void = {
            for _ in 0..<20 { _ = try await store.publish(.make("after")) }
        }()
        try await store.backup(to: target)
        try await published
        await store.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: target)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(!FileManager.default.fileExists(atPath: target + "-wal"))
        let copy = try await SQLiteTemplateStore(path: target)
        #expect(try await copy.checkIntegrity() == [])
        let page = try await copy.versions(inProject: "p", matching: VersionQuery())
        #expect((10...30).contains(page.versions.count))
        #expect(page.versions.map(\.number) == Array((1...page.versions.count).reversed()))
        #expect(try await copy.overrides(forUserID: "1", inProject: "p") == Data("{}".utf8))
        await copy.close()
    }

    @Test func aBackupReplacesNothing() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        let target = folder.path("precious")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
        for path in [target, path, folder.url.path] {
            let error = try await storeError { try await store.backup(to: path) }
            #expect(error?.code == .unavailable, "\(path)")
            #expect(error?.message.contains(path) == true, "\(path)")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))
        let missing = try await storeError {
            try await store.backup(to: folder.path("missing/backup"))
        }
        #expect(missing?.message.contains("folder") == true)
        await store.close()
    }

    @Test func aBackupIsNotMadeOfFilesThatWereReplaced() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        try FileManager.default.removeItem(atPath: path + "-wal")
        let target = folder.path("backup.sqlite")
        let error = try await storeError { try await store.backup(to: target) }
        #expect(error?.code == .filesReplaced)
        #expect(!FileManager.default.fileExists(atPath: target))
        await store.close()
    }

    @Test(arguments: [
        ("DELETE FROM versions WHERE number = 3", "current version"),
        ("DELETE FROM versions WHERE number = 2", "gap"),
        ("UPDATE projects SET current_version = 2", "current version"),
        ("DELETE FROM changes WHERE revision = 3", "ends with the last change"),
        ("INSERT INTO changes (kind) VALUES ('tokens')", "audit trail"),
        ("PRAGMA foreign_keys = OFF; DELETE FROM projects", "not exist"),
    ])
    func theIntegrityCheckFindsRowsThatDoNotFit(_ statement: String, _ words: String) async throws {
        let store = try await SQLiteTemplateStore(path: path)
        for _ in 0..<3 { _ = try await store.publish(.make()) }
        #expect(try await store.checkIntegrity() == [])
        try withDatabase(at: path) { try $0.execute(sql: statement) }
        let findings = try await store.checkIntegrity()
        #expect(findings.contains { $0.contains(words) }, "\(findings)")
        await store.close()
    }
}
