import Foundation
import GRDB
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemporaryFolders
import Testing

/// Tokens of a server whose database becomes unreadable after a change, or receives many requests
/// at once.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct TokenStorageTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Creates a token.
    private func create(_ name: String, on backend: RunningBackend) async throws -> HTTPAnswer {
        try await backend.administer(
            "POST", "/v1/tokens", body: #"{"name":"\#(name)","role":"viewer"}"#)
    }

    /// Makes every list of tokens unreadable once one of them changes.
    private func spoilTheList(after change: String) async throws {
        let database = try DatabaseQueue(path: folder.path("test.sqlite"))
        try await database.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER spoiled AFTER \(change) ON tokens BEGIN
                        UPDATE tokens SET role = 'spoiled' WHERE name = CAST('old' AS BLOB);
                    END
                    """)
        }
        try database.close()
    }

    /// Status of a request with a token.
    private func status(_ token: String, on backend: RunningBackend) async throws -> Int {
        try await backend.answer("/v1/projects", fields: ["Authorization: Bearer \(token)"]).status
    }

    @Test func aStoredTokenIsAnsweredAndValidAtOnce() async throws {
        let backend = try await RunningBackend(store: folder.store)
        #expect(try await create("old", on: backend).status == 200)
        try await spoilTheList(after: "INSERT")
        let created = try await create("new", on: backend)
        #expect(created.status == 200)
        let token = try #require(try created.json["token"]?.stringValue)
        #expect(try await status(token, on: backend) == 200)
        backend.process.send(signal: SIGKILL)
    }

    @Test func aRevokedTokenIsRefusedAtOnce() async throws {
        let backend = try await RunningBackend(store: folder.store)
        #expect(try await create("old", on: backend).status == 200)
        let created = try await create("leaked", on: backend)
        let token = try #require(try created.json["token"]?.stringValue)
        let id = try #require(try created.json["id"]?.stringValue)
        #expect(try await status(token, on: backend) == 200)
        try await spoilTheList(after: "UPDATE OF revocation_time")
        let revoked = try await backend.administer("DELETE", "/v1/tokens/\(id)")
        #expect(revoked.status == 200)
        // 503, since another process might have created it, and the tokens cannot be read.
        #expect(try await status(token, on: backend) == 503)
        backend.process.send(signal: SIGKILL)
    }

    @Test func oneOfManyTokensOfANameIsCreated() async throws {
        let backend = try await RunningBackend(store: folder.store)
        for round in Rounds.numbers(5, nightly: 50) {
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { try await create("name \(round)", on: backend).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 400, count: 7))
        }
        _ = await backend.stop()
    }
}

extension HTTPAnswer {
    fileprivate var json: JSONNode {
        get throws { try JSONNode(jsonData: body) }
    }
}
