import Foundation
import GRDB
import SQLiteTemplateStore
import SeededRandomness
import TemplateStore
import Templates
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SQLiteTemplateStoreTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store.sqlite")
    }

    @Test func theStoreWritesEachCommitToTheDisk() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        #expect(try await store.setting("synchronous") == "2")
        #expect(try await store.setting("journal_mode") == "wal")
        #expect(try await store.setting("foreign_keys") == "1")
        #expect(try await store.setting("busy_timeout") == "5000")
        await store.close()
    }

    @Test func theStoreMakesFilesThatOnlyTheOwnerReads() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
        }
        await store.close()
    }

    @Test func theStoreKeepsAllWhenItIsOpenedAgain() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        let template = try await store.publish(.make("first"))
        try await store.setOverrides(.make())
        try await store.addToken(.make(), actor: "root")
        let snapshot = try await store.snapshot()
        await store.close()
        let again = try await SQLiteTemplateStore(path: path)
        #expect(try await again.snapshot() == snapshot)
        #expect(try await again.template(version: 1, inProject: "p") == template)
        #expect(try await again.tokens() == [.make()])
        #expect(try await again.publish(.make()).revision > snapshot.revision)
        #expect(try await again.checkIntegrity() == [])
        await again.close()
    }

    @Test(arguments: ["UPDATE audit SET actor = x'00'", "DELETE FROM audit"])
    func theStoreRefusesToRewriteTheAuditTrail(_ statement: String) async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        let before = try await store.auditEntries(inProject: "p", matching: AuditQuery())
        let error = try #require(throws: DatabaseError.self) {
            try withDatabase(at: path) { try $0.execute(sql: statement) }
        }
        #expect(error.resultCode == .SQLITE_CONSTRAINT)
        #expect(error.message?.contains("audit trail") == true)
        let after = try await store.auditEntries(inProject: "p", matching: AuditQuery())
        #expect(after == before)
        await store.close()
    }

    @Test func anEarlierEntryOfAWebhookIsReadWithoutTheQuerysValues() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        try withDatabase(at: path) { db in
            try db.execute(
                sql: """
                    INSERT INTO audit (revision, project, time, actor, action, subject, detail)
                    SELECT max(revision) + 1, CAST('p' AS BLOB), 0, x'61', 'CREATE_WEBHOOK', x'62',
                        CAST('https://w/?key=secret' AS BLOB)
                    FROM audit
                    """)
        }
        let newest = try await store.auditEntries(inProject: "p", matching: AuditQuery()).first
        #expect(newest?.detail == "https://w/?key=***")
        await store.close()
    }

    @Test func theStoreRefusesAnAuditEntryInThePast() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        _ = try await store.publish(.make())
        #expect(throws: DatabaseError.self) {
            try withDatabase(at: path) { db in
                try db.execute(
                    sql:
                        "INSERT OR REPLACE INTO audit VALUES (1, NULL, 0, x'', 'PUBLISH', x'', NULL)"
                )
            }
        }
        await store.close()
    }

    @Test func theStoreStoresNothingWhenThereIsNoRoom() async throws {
        var options = SQLiteStoreOptions()
        options.maximumPageCount = 100
        let store = try await SQLiteTemplateStore(path: path, options: options)
        _ = try await store.publish(.make("small"))
        let before = try await store.snapshot()
        let big = String(repeating: "x", count: 1_000_000)
        let error = try await storeError { _ = try await store.publish(.make(big)) }
        #expect(error?.code == .outOfSpace)
        #expect(error?.message.contains("no space") == true)
        #expect(error?.message.contains(path) == true)
        #expect(try await store.snapshot() == before)
        let entries = try await store.auditEntries(inProject: "p", matching: AuditQuery())
        #expect(entries.count == 1)
        #expect(try await store.publish(.make("small")).version.number == 2)
        // A small write does not prove that the failed one would succeed.
        for _ in 0..<2 {
            let readiness = try await storeError { try await store.checkReadiness() }
            #expect(readiness?.code == .outOfSpace)
        }
        let trials = try withDatabase(at: path) { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema WHERE name = 'trial'")
        }
        #expect(trials == 0)
        #expect(try await store.setting("max_page_count = 100000") == "100000")
        try await store.checkReadiness()
        #expect(try await store.publish(.make(big)).version.number == 3)
        #expect(try await store.checkIntegrity() == [])
        await store.close()
    }

    @Test func theStoreSaysThatAnotherProcessHoldsTheDatabase() async throws {
        var options = SQLiteStoreOptions()
        options.busyTimeout = 0.01  // deadline: the lock is held until the wait is over
        let store = try await SQLiteTemplateStore(path: path, options: options)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: path, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        for call in ["publish", "readiness"] {
            let error = try await storeError {
                if call == "publish" { _ = try await store.publish(.make()) }
                try await store.checkReadiness()
            }
            #expect(error?.code == .unavailable, "\(call)")
            #expect(error?.message.contains("Another process") == true, "\(call)")
        }
        #expect(try await store.snapshot().templates == [])
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await store.checkReadiness()
        try other.close()
        await store.close()
    }

    @Test func theStoreNoticesThatTheFileWasReplaced() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        let changes = store.changes(since: .zero)
        for try await _ in changes { break }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        let publishing = try await storeError { _ = try await store.publish(.make()) }
        #expect(publishing?.code == .filesReplaced)
        #expect(publishing?.message.contains("moved or replaced") == true)
        #expect(try await storeError { try await store.checkReadiness() }?.code == .filesReplaced)
        let watching = try await storeError { for try await _ in changes {} }
        #expect(watching?.code == .watchLost)
        await store.close()
    }

    @Test func theStoreWritesTheUseOfATokenOnceAMinute() async throws {
        let stores = [
            try await SQLiteTemplateStore(path: path), try await SQLiteTemplateStore(path: path),
        ]
        try await stores[0].addToken(.make(), actor: "root")
        let version = { try await stores[0].setting("data_version") }
        for second in 0..<60 {
            let isFirst = second == 0
            let before = try await version()
            // The data version of the first store's connection shows the writes of the other store.
            try await stores[1].recordUses(["id of t": testDate + Double(second)])
            #expect((try await version() != before) == isFirst, "second \(second)")
        }
        try await stores[0].recordUses(["id of t": testDate + 59])
        #expect(try await stores[0].tokens().first?.lastUseDate == testDate)
        for store in stores { await store.close() }
    }

    @Test func theStoreLeavesAllInTheFileItselfWhenItCloses() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        let template = try await store.publish(.make("content"))
        // While a reading connection is open, the writing one is not the last to be closed.
        _ = try await store.snapshot()
        await store.close()
        let copy = folder.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let again = try await SQLiteTemplateStore(path: copy)
        #expect(try await again.template(version: nil, inProject: "p") == template)
        await again.close()
    }

    @Test func theStoreFinishesWhatIsUnderWayWhenItCloses() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        let published = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<32 {
                group.addTask { try? await store.publish(.make()).version.number }
            }
            group.addTask {
                await store.close()
                return nil
            }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        let again = try await SQLiteTemplateStore(path: path)
        let page = try await again.versions(inProject: "p", matching: VersionQuery())
        // The versions whose publish was confirmed are stored, and no others.
        #expect(page.versions.map(\.number).sorted() == published.sorted())
        await again.close()
    }
}
