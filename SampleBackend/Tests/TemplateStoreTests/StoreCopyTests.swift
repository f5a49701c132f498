import Foundation
import GRDB
import InMemoryTemplateStore
import SeededRandomness
import TemplateStore
import TemplateStoreTesting
import Templates
import TemporaryFolders
import Testing

@testable import SQLiteTemplateStore

@Suite("Copies of stores", .timeLimit(.minutes(Rounds.minutes)))
struct StoreCopyTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func database(_ name: String) async throws -> SQLiteTemplateStore {
        try await SQLiteTemplateStore(path: folder.path(name))
    }

    @Test func aMemoryStoreIsCopiedToADatabaseAndBack() async throws {
        let source = InMemoryTemplateStore()
        try await StoreCopyTrial.fill(source)
        let database = try await database("copy.sqlite")
        try await StoreCopyTrial.copy(from: source, to: database)
        #expect(try await database.checkIntegrity() == [])
        let back = InMemoryTemplateStore()
        try await StoreCopyTrial.copy(from: database, to: back)
        await database.close()
        let reopened = try await self.database("copy.sqlite")
        try await StoreCopyTrial.checkUse(of: reopened, like: source)
        try await StoreCopyTrial.checkUse(of: back, like: source)
        await reopened.close()
    }

    @Test func aDatabaseIsCopiedToAnother() async throws {
        let source = try await database("source.sqlite")
        try await StoreCopyTrial.fill(source)
        let copy = try await database("copy.sqlite")
        try await StoreCopyTrial.copy(from: source, to: copy)
        #expect(try await copy.checkIntegrity() == [])
        #expect(try await copy.snapshot() == source.snapshot())
        try await StoreCopyTrial.checkUse(of: copy, like: source)
        await source.close()
        await copy.close()
    }

    @Test func raisedVersionsAreAboveAllOthers() async throws {
        let database = try await database("raised.sqlite")
        try await StoreCopyTrial.checkRaisedVersions(
            of: InMemoryTemplateStore(), copiedTo: database)
        #expect(try await database.checkIntegrity() == [])
        await database.close()
        let other = try await self.database("other.sqlite")
        try await StoreCopyTrial.checkRaisedVersions(of: other, copiedTo: InMemoryTemplateStore())
        #expect(try await other.checkIntegrity() == [])
        await other.close()
    }

    /// Reading a backup changes nothing; its use continues above later versions, once.
    @Test func theUseOfABackupRaisesTheVersions() async throws {
        let store = try await database("store.sqlite")
        for name in ["1", "2", "3"] { _ = try await store.publish(.make(name)) }
        let path = folder.path("backup.sqlite")
        try await store.backup(to: path)
        try SQLiteTemplateStore.addChecksum(toBackupAt: path)
        await store.close()
        for _ in 0..<2 {
            let backup = try await SQLiteTemplateStore.reading(path: path)
            #expect(try await backup.raiseCount() == 0)
            await backup.close()
        }
        let floor = VersionFloor.raised(above: 3, at: Date())
        for _ in 0..<2 {
            let served = try await database("backup.sqlite")
            #expect(try await served.raiseCount() == 1)
            await served.close()
        }
        let served = try await database("backup.sqlite")
        let published = try await served.publish(.make("KILL SWITCH")).version.number
        #expect(published > floor)
        #expect(try await served.publish(.make("after")).version.number == published + 1)
        #expect(try await served.checkIntegrity() == [])
        await served.close()
    }

    /// As in a file of another program that copied ours as a start.
    @Test func aFileWithoutOurTablesIsNamedByItsPath() async throws {
        let path = folder.path("foreign ?#%41é.sqlite")
        try withDatabase(at: path) { db in
            try db.execute(sql: "CREATE TABLE other (x)")
            try db.execute(sql: "PRAGMA application_id = 1094927943")
            try db.execute(sql: "PRAGMA user_version = \(SQLiteSchema.number)")
        }
        let error = try await storeError {
            let store = try await SQLiteTemplateStore.reading(path: path)
            _ = try await store.openArchive()
        }
        #expect(error?.message.contains("'\(path)'") == true, "\(String(describing: error))")
        #expect(error?.message.contains("copy.sqlite") == false)
    }

    /// Another process may have begun to use the backup, which a connection must notice.
    @Test func aBackupIsNoneOnceAnotherProcessUsesIt() async throws {
        let store = try await database("store.sqlite")
        _ = try await store.publish(.make())
        let path = folder.path("backup.sqlite")
        try await store.backup(to: path)
        try SQLiteTemplateStore.addChecksum(toBackupAt: path)
        await store.close()
        #expect(SQLiteTemplateStore.isBackup(at: path))
        let connection = try DatabaseQueue(path: path)
        #expect(try await connection.read { try SQLiteBackupChecksum.isPresent(in: $0) })
        let used = try await database("backup.sqlite")
        #expect(try await connection.read { try !SQLiteBackupChecksum.isPresent(in: $0) })
        try await connection.write { try SQLiteBackupChecksum.remove(from: $0) }
        try connection.close()
        await used.close()
        #expect(!SQLiteTemplateStore.isBackup(at: path))
        #expect(!SQLiteTemplateStore.isBackup(at: folder.path("none.sqlite")))
    }

    @Test func anEmptyStoreIsCopied() async throws {
        let copy = try await database("copy.sqlite")
        try await StoreCopyTrial.copy(from: InMemoryTemplateStore(), to: copy)
        _ = try await copy.publish(.make())
        await copy.close()
    }

    @Test func aCopyIsOfTheMomentAtWhichItBegan() async throws {
        let source = try await database("source.sqlite")
        _ = try await source.publish(.make("before"))
        let archive = try await source.openArchive()
        _ = try await source.publish(.make("after"))
        try await source.setOverrides(.make())
        var digest = ArchiveDigest()
        try await archive.read { digest.add($0) }
        #expect(digest.count(.versions) == 1)
        #expect(digest.count(.pins) == 0)
        await source.close()
    }

    @Test func aStoreWithContentIsNotFilled() async throws {
        let source = InMemoryTemplateStore()
        _ = try await source.publish(.make())
        for isDraftOnly in [true, false] {
            for target in [InMemoryTemplateStore(), try await database("\(isDraftOnly)")]
                as [any ArchivingStore]
            {
                if isDraftOnly {
                    _ = try await target.saveDraft(
                        DraftSubmission(
                            owner: "o", project: "p", baseVersion: 0, content: Data("{}".utf8),
                            expectation: .any, date: Date()))
                } else {
                    _ = try await target.publish(.make("mine"))
                }
                let before = try await StoreCopyTrial.digest(of: target)
                let error = try await storeError {
                    _ = try await StoreCopy.make(from: source, to: target)
                }
                #expect(error?.code == .notEmpty)
                #expect(try await StoreCopyTrial.digest(of: target) == before)
                try await target.checkReadiness()
                await target.close()
            }
        }
    }

    @Test func anInterruptedCopyIsNeverOpened() async throws {
        let source = InMemoryTemplateStore()
        try await StoreCopyTrial.fill(source)
        let target = try await database("copy.sqlite")
        let writer = try await target.beginFilling()
        try await source.openArchive().read { record throws(TemplateStoreError) in
            try await writer.write(record)
        }
        try await writer.flush()
        let used = try await storeError { _ = try await target.publish(.make()) }
        #expect(used?.code == .incompleteCopy)
        await target.close()
        let error = try await storeError { _ = try await database("copy.sqlite") }
        #expect(error?.code == .incompleteCopy)
        #expect(error?.message.contains("remove the file") == true)
    }

    @Test func aCopyThatDiffersStaysIncomplete() async throws {
        let source = InMemoryTemplateStore()
        try await StoreCopyTrial.fill(source)
        let target = try await database("copy.sqlite")
        let path = folder.path("copy.sqlite")
        let error = try await storeError {
            _ = try await StoreCopy.make(from: source, to: target) { _ in
                try? withDatabase(at: path) { try $0.execute(sql: "DELETE FROM overrides") }
            }
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("pins (7 and ") == true, "\(String(describing: error))")
        await target.close()
        let opened = try await storeError { _ = try await database("copy.sqlite") }
        #expect(opened?.code == .incompleteCopy)
    }
}

extension AuditStoring {
    /// The number of times that the version floor was raised.
    fileprivate func raiseCount() async throws -> Int {
        let query = AuditQuery(actions: [.raiseVersions])
        return try await auditEntries(inProject: "p", matching: query).count
    }
}
