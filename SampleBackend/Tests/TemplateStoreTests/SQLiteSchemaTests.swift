import Foundation
import GRDB
import SQLiteTemplateStore
import SeededRandomness
import TemplateStore
import Templates
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SQLiteSchemaTests {
    /// The schema that this program writes.
    private static let newest = 8

    @Test func theStoreKeepsAllOfSchema1() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        try withDatabase(at: path) { try $0.execute(sql: SQLiteSchema1.sql) }
        let store = try await SQLiteTemplateStore(path: path)
        #expect(try await store.checkIntegrity() == [])
        let first = try await store.template(version: 1, inProject: "default")
        #expect(
            first
                == StoredTemplate(
                    project: "default",
                    version: TemplateVersion(
                        number: 1, updateTime: Date(timeIntervalSince1970: 1_700_000_000.123),
                        updateUser: .init(name: "root"), description: "the first",
                        updateOrigin: .console, updateType: .forcedUpdate),
                    content: Data("{}".utf8), revision: StoreRevision(1)))
        let snapshot = try await store.snapshot()
        #expect(snapshot.revision == StoreRevision(6))
        #expect(snapshot.templates.map(\.content) == [Data("{\"a\":0}".utf8)])
        #expect(snapshot.templates.map(\.version.rollbackSource) == [1])
        #expect(snapshot.overrides == ["default": [Data([0x61, 0]): Data("{\"b\":1}".utf8)]])
        let tokens = try await store.tokens()
        #expect(tokens.map(\.id) == ["t1"])
        #expect(tokens.first?.role == .editor)
        #expect(tokens.first?.lastUseDate == Date(timeIntervalSince1970: 1_700_000_050))
        #expect(tokens.first?.revocationDate == Date(timeIntervalSince1970: 1_700_000_060))
        let entries = try await store.auditEntries(inProject: "default", matching: AuditQuery())
        #expect(entries.map(\.revision.number) == [6, 5, 4, 3, 2, 1])
        var changes: [StoreChange.Subject] = []
        for try await change in store.changes(since: .zero) {
            changes.append(change.subject)
            if changes.count == 6 { break }
        }
        #expect(
            changes == [
                .template(project: "default", version: 1),
                .template(project: "default", version: 2),
                .overrides(project: "default", userID: "a\0"), .tokens, .tokens,
                .template(project: "default", version: 3),
            ])
        let submission = TemplateSubmission(
            project: "default", content: Data("{}".utf8), expectation: .version(3),
            date: testDate, user: .init())
        let next = try await store.publish(submission)
        #expect(next.version.number == 4)
        #expect(next.revision == StoreRevision(7))
        await store.close()
        folder.remove()
    }

    @Test func theStoreKeepsSessionsOfSchema1WhileTheyLast() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let later = (Date() + 3_600).millisecondsSince1970
        try withDatabase(at: path) { db in
            try db.execute(sql: SQLiteSchema1.sql)
            // As earlier versions stored sessions: lasting, signed out and expired.
            for (id, expiration, revocation) in [
                ("session.environment-00ff00ff.0123456789ab", later, "NULL"),
                ("session.t1.ba9876543210", later, "NULL"), ("session.t1.aaaaaaaaaaaa", later, "1"),
                ("session.t1.bbbbbbbbbbbb", 1, "NULL"),
            ] {
                try db.execute(
                    sql: """
                        INSERT INTO tokens VALUES (
                            NULL, CAST('\(id)' AS BLOB), CAST('Console session of x' AS BLOB),
                            'viewer', CAST('hash of \(id)' AS BLOB), 1700000000000, \(expiration),
                            NULL, \(revocation)
                        )
                        """)
            }
        }
        let store = try await SQLiteTemplateStore(path: path)
        #expect(try await store.tokens().map(\.id) == ["t1"])
        let sessions = try await store.sessions(lastingAt: Date())
        #expect(sessions.map(\.tokenID).sorted() == ["environment-00ff00ff", "t1"])
        let session = try #require(sessions.first { $0.tokenID == "t1" })
        #expect(
            session
                == StoredSession(
                    id: "session.t1.ba9876543210", tokenID: "t1", name: "Console session of x",
                    role: .viewer, hash: Data("hash of session.t1.ba9876543210".utf8),
                    creationDate: Date(timeIntervalSince1970: 1_700_000_000),
                    expirationDate: Date(millisecondsSince1970: later)))
        #expect(
            try withDatabase(at: path) {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM sessions")
            } == 2)
        #expect(try await store.removeSession(id: session.id, actor: "x", date: testDate))
        #expect(try await store.checkIntegrity() == [])
        await store.close()
        folder.remove()
    }

    @Test func theStoreStoresNothingInASchemaThatBecameNewer() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        let store = try await SQLiteTemplateStore(path: path)
        let first = try await store.publish(.make())
        try withDatabase(at: path) {
            try $0.execute(sql: "PRAGMA user_version = \(Self.newest + 1)")
        }
        for call in ["publish", "readiness"] {
            let error = try await storeError {
                if call == "publish" { _ = try await store.publish(.make()) }
                try await store.checkReadiness()
            }
            #expect(error?.code == .newerSchema, "\(call)")
            #expect(error?.message.contains("has the schema \(Self.newest + 1)") == true, "\(call)")
        }
        #expect(try await store.template(version: nil, inProject: "p") == first)
        try withDatabase(at: path) { try $0.execute(sql: "PRAGMA user_version = \(Self.newest)") }
        try await store.checkReadiness()
        #expect(try await store.publish(.make()).version.number == 2)
        await store.close()
        folder.remove()
    }

    @Test func theStoreAddsWebhooksToSchema1() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("store.sqlite")
        try withDatabase(at: path) { try $0.execute(sql: SQLiteSchema1.sql) }
        let store = try await SQLiteTemplateStore(path: path)
        let webhook = StoredWebhook(
            id: "w", project: "default", url: "https://w", secret: "s", creationDate: testDate,
            creator: "root")
        try await store.addWebhook(webhook)
        _ = try await store.publish(
            TemplateSubmission(
                project: "default", content: Data("{}".utf8), expectation: .version(3),
                date: testDate, user: .init()))
        let claimed = try await store.claimDeliveries(
            date: testDate, until: testDate + 1, limit: 1)
        #expect(claimed.map(\.webhook) == [webhook])
        #expect(claimed.map(\.knownVersion) == [3])
        #expect(claimed.map(\.delivery.version) == [4])
        #expect(try await store.checkIntegrity() == [])
        let version = try withDatabase(at: path) {
            try Int.fetchOne($0, sql: "PRAGMA user_version")
        }
        #expect(version == Self.newest)
        await store.close()
        folder.remove()
    }
}
