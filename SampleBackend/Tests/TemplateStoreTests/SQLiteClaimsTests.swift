import Foundation
import GRDB
import SQLiteTemplateStore
import SeededRandomness
import TemplateStore
import TemporaryFolders
import Testing

/// Claims of deliveries by stores that no longer run.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SQLiteClaimsTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store.sqlite")
    }

    private static func webhook(_ id: String) -> StoredWebhook {
        StoredWebhook(
            id: id, project: "p", url: "https://receiver.example/", secret: "s",
            creationDate: testDate, creator: "root")
    }

    /// Opens a store, publishes for a webhook, and claims the delivery for a minute.
    private func claimingStore() async throws -> SQLiteTemplateStore {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        try await store.addWebhook(Self.webhook("w"))
        _ = try await store.publish(.make())
        #expect(try await claim(in: store) == [1])
        return store
    }

    /// Claims deliveries for a minute, and returns their numbers of attempts.
    private func claim(
        in store: SQLiteTemplateStore, at date: Date = testDate
    ) async throws -> [Int] {
        try await store.claimDeliveries(date: date, until: date + 60, limit: 9)
            .map(\.delivery.attempts)
    }

    @Test func aStoreThatIsAloneEndsTheClaimsOfOthers() async throws {
        await (try await claimingStore()).close()
        let next = try await SQLiteTemplateStore(path: path)
        #expect(try await next.nextDeliveryDate() == testDate)
        #expect(try await claim(in: next) == [2])
        await next.close()
    }

    @Test func claimsLastWhileAnotherStoreIsOpen() async throws {
        let claiming = try await claimingStore()
        let second = try await SQLiteTemplateStore(path: path)
        #expect(try await claim(in: second) == [])
        await claiming.close()
        // The second store does not know the owner of the claim.
        let third = try await SQLiteTemplateStore(path: path)
        for store in [second, third] {
            #expect(try await claim(in: store, at: testDate + 59) == [])
        }
        #expect(try await claim(in: third, at: testDate + 60) == [2])
        await second.close()
        await third.close()
    }

    @Test func anUnreadableDeliveryStopsNoOther() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        _ = try await store.publish(.make())
        for id in ["w", "v"] { try await store.addWebhook(Self.webhook(id)) }
        _ = try await store.publish(.make())
        try withDatabase(at: path) { db in
            try db.execute(sql: "UPDATE deliveries SET event = CAST('x' AS BLOB) WHERE webhook = 1")
        }
        func claim() async throws -> [String] {
            try await store.claimDeliveries(date: testDate, until: testDate + 60, limit: 9)
                .map(\.webhook.id)
        }
        #expect(try await claim() == ["v"])
        // The log of a server says so.
        let error = await #expect(throws: TemplateStoreError.self) { _ = try await claim() }
        #expect(error?.code == .damaged)
        #expect(
            try await store.deliveries(ofWebhook: "w", inProject: "p", limit: 9).isEmpty)
        _ = try await store.publish(.make())
        #expect(try await claim() == ["w"])
        #expect(
            try await store.deliveries(ofWebhook: "w", inProject: "p", limit: 9).map(\.version)
                == [3])
        await store.close()
    }

    @Test func aStoreOpensThoughItCannotEndClaims() async throws {
        await (try await claimingStore()).close()
        try withDatabase(at: path) { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER failure BEFORE UPDATE ON deliveries BEGIN
                        SELECT RAISE(ABORT, 'no');
                    END
                    """)
        }
        let store = try await SQLiteTemplateStore(path: path)
        #expect(try await store.nextDeliveryDate() == testDate + 60)
        await store.close()
    }
}
