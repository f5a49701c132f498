import Foundation
import GRDB
import SQLiteTemplateStore
import SeededRandomness
import TemplateStore
import TemporaryFolders
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SQLiteTemplateStoreChangesTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("store.sqlite")
    }

    /// Creates a store that keeps only the last `kept` changes.
    private func makeStore(keeping kept: Int) async throws -> SQLiteTemplateStore {
        var options = SQLiteStoreOptions()
        options.keptChanges = kept
        return try await SQLiteTemplateStore(path: path, options: options)
    }

    @Test func theStoreLosesAFollowerForWhomTooLittleIsKept() async throws {
        let store = try await makeStore(keeping: 10)
        for _ in 0..<20 { _ = try await store.publish(.make()) }
        let rows: [(revision: Int64, isLost: Bool)] = [
            (0, true), (9, true), (10, false), (19, false),
        ]
        for (revision, isLost) in rows {
            let changes = store.changes(since: StoreRevision(revision))
            if isLost {
                let error = try await storeError { for try await _ in changes {} }
                #expect(error?.code == .watchLost, "\(revision)")
                #expect(error?.message.contains("no longer kept") == true, "\(revision)")
                // The sequence has ended with its error.
                for try await change in changes { Issue.record("\(change) after the end") }
            } else {
                for try await change in changes {
                    #expect(change.revision == StoreRevision(revision + 1))
                    break
                }
            }
        }
        await store.close()
    }

    @Test func theStoreLosesAFollowerThatDoesNotKeepUp() async throws {
        let store = try await makeStore(keeping: 10)
        _ = try await store.publish(.make())
        let changes = store.changes(since: .zero)
        for try await change in changes {
            #expect(change.revision == StoreRevision(1))
            break
        }
        for _ in 0..<20 { _ = try await store.publish(.make()) }
        let error = try await storeError { for try await _ in changes {} }
        #expect(error?.code == .watchLost)
        await store.close()
    }

    @Test func theStoreLosesAFollowerWhenAnOlderBackupIsPutBack() async throws {
        let store = try await makeStore(keeping: 10)
        for _ in 0..<3 { _ = try await store.publish(.make()) }
        let changes = store.changes(since: StoreRevision(3))
        let follower = Task { try await storeError { for try await _ in changes {} } }
        try withDatabase(at: path) { try $0.execute(sql: "DELETE FROM changes WHERE revision > 1") }
        let error = try await follower.value
        #expect(error?.code == .watchLost)
        #expect(error?.message.contains("replaced") == true)
        await store.close()
    }

    @Test func theStoreLosesAFollowerWhenTheDatabaseFails() async throws {
        let store = try await makeStore(keeping: 10)
        _ = try await store.publish(.make())
        let changes = store.changes(since: StoreRevision(1))
        let follower = Task { try await storeError { for try await _ in changes {} } }
        try withDatabase(at: path) { try $0.execute(sql: "ALTER TABLE changes RENAME TO gone") }
        #expect(try await follower.value?.code == .watchLost)
        await store.close()
    }

    @Test func theStoreNoticesWritesOfAnotherProcessWhileItWritesNothing() async throws {
        let store = try await SQLiteTemplateStore(path: path)
        let other = try await SQLiteTemplateStore(path: path)
        var iterator = store.changes(since: .zero).makeAsyncIterator()
        // Repeats the poller's pause several times.
        for number in 1...5 {
            async let published = other.publish(.make())
            let change = try await iterator.next()
            #expect(change?.subject == .template(project: "p", version: number))
            _ = try await published
        }
        for store in [store, other] { await store.close() }
    }
}
