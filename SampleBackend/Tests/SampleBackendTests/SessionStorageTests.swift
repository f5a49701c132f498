import Foundation
import GRDB
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// The console's sessions in the database.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SessionStorageTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Uses the database of the running server.
    private func withDatabase<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let database = try DatabaseQueue(path: folder.path("test.sqlite"))
        defer { try? database.close() }
        return try database.writeWithoutTransaction(body)
    }

    private func signIn(on backend: RunningBackend) async throws -> ConsoleSession {
        try ConsoleSession(
            await HTTPConnection.answer(
                port: backend.port, method: "POST", target: "/console/session",
                body: #"{"token":"\#(RunningBackend.token)"}"#))
    }

    /// Status of the list of projects for a session.
    private func status(_ session: ConsoleSession, on backend: RunningBackend) async throws -> Int {
        try await backend.answer("/v1/projects", fields: session.fields).status
    }

    @Test func anEndedSessionLeavesNoRow() async throws {
        let backend = try await RunningBackend(store: folder.store)
        let open = try await signIn(on: backend)
        for _ in 0..<3 {
            let session = try await signIn(on: backend)
            let ended = try await HTTPConnection.answer(
                port: backend.port, method: "DELETE", target: "/console/session",
                fields: session.fields)
            #expect(ended.status == 204)
            #expect(try await status(session, on: backend) == 401)
        }
        let rows = try withDatabase { db in
            try ["sessions", "tokens"].map {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)")
            }
        }
        #expect(rows == [1, 0])
        #expect(try await status(open, on: backend) == 200)
        // The audit trail records who signed in and out.
        _ = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
            body: AdministrationTarget.templateText(title: "a"))
        let audit = try JSONNode(
            jsonData: await backend.administer("GET", "/v1/projects/default/audit").body)
        #expect(audit["entries"]?.arrayValue?.count == 8)
        _ = await backend.stop()
    }

    @Test func anExpiredSessionIsRemovedByTheNextSignIn() async throws {
        let backend = try await RunningBackend(store: folder.store)
        for _ in 0..<3 { _ = try await signIn(on: backend) }
        _ = await backend.stop()
        try withDatabase { try $0.execute(sql: "UPDATE sessions SET expiration_time = 1") }
        let again = try await RunningBackend(store: folder.store)
        _ = try await signIn(on: again)
        let count = try withDatabase { try Int.fetchOne($0, sql: "SELECT count(*) FROM sessions") }
        #expect(count == 1)
        _ = await again.stop()
    }

    @Test func aSessionIsKnownToEveryServerOfTheDatabaseUntilItEnds() async throws {
        let first = try await RunningBackend(store: folder.store)
        let second = try await RunningBackend(store: folder.store)
        let session = try await signIn(on: first)
        try await waitUntil { try await status(session, on: second) == 200 }
        let ended = try await HTTPConnection.answer(
            port: first.port, method: "DELETE", target: "/console/session", fields: session.fields)
        #expect(ended.status == 204)
        try await waitUntil { try await status(session, on: second) == 401 }
        _ = await first.stop()
        _ = await second.stop()
    }

    @Test func manySessionsLetStreamsResumeAfterARestart() async throws {
        let backend = try await RunningBackend(store: folder.store)
        for (version, title) in ["first", "second"].enumerated() {
            let answer = try await backend.administer(
                "PUT", "/v1/projects/default/remoteConfig", ifMatch: "etag-default-\(version)",
                body: AdministrationTarget.templateText(title: title))
            #expect(answer.status == 200)
        }
        let pinned = try await backend.administer(
            "PUT", "/v1/projects/default/users/pinned/overrides", body: #"{"Home":{"title":"x"}}"#)
        #expect(pinned.status == 200)
        _ = await backend.stop()
        try withDatabase { db in
            let last = try Int.fetchOne(db, sql: "SELECT max(revision) FROM audit") ?? 0
            let numbers = """
                WITH RECURSIVE numbers (n) AS (
                    SELECT \(last + 1) UNION ALL SELECT n + 1 FROM numbers WHERE n < \(last + 10500)
                )
                """
            // As signing in does.
            try db.execute(
                sql: """
                    BEGIN;
                    \(numbers) INSERT INTO changes (revision, kind) SELECT n, 'tokens' FROM numbers;
                    \(numbers) INSERT INTO audit
                        SELECT n, NULL, 0, x'61', 'CREATE_TOKEN', x'61', NULL FROM numbers;
                    COMMIT;
                    """)
        }
        let again = try await RunningBackend(store: folder.store)
        for (user, event) in [("1", "update"), ("pinned", "reset")] {
            try await EventStreamClient.open(
                port: again.port, "/activeconfig/user/\(user)/events",
                fields: ["Last-Event-ID: 1"]
            ) { stream in
                let events = [try await stream.next().name, try await stream.next().name]
                #expect(events == ["hello", event], "\(user)")
            }
        }
        _ = await again.stop()
    }
}
