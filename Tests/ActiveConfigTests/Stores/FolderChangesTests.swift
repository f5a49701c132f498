import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FolderChangesTests {
    private let folder = TemporaryFolder()
    private let interval = Duration.milliseconds(1)

    private func document(_ title: String) -> ConfigurationState {
        .make(sections: ["Home": ["title": .string(title)]])
    }

    @Test func whatAnotherInstanceStoresIsNoticed() async throws {
        let store = FileDefaultsStore(directory: folder.url)
        let config = CoordinatorFixture.make(store: store).config
        var changes = store.changes(every: interval).makeAsyncIterator()
        let other = FileDefaultsStore(directory: folder.url)
        for title in ["one", "two"] {
            try other.persistConfiguration(document(title), forUserID: nil)
            // One write may cause more than one change.
            while config["Home"]?.title != title {
                _ = try #require(await changes.next())
                await config.reload()
            }
        }
    }

    @Test func whatWasWrittenBeforeIsNotMissed() async throws {
        let store = FileDefaultsStore(directory: folder.url)
        try store.persistConfiguration(document("before"), forUserID: nil)
        var changes = store.changes(every: interval).makeAsyncIterator()
        _ = try #require(await changes.next())
    }

    @Test(arguments: [false, true])
    func theEndOfTheFolderEndsTheSequence(isRenamed: Bool) async throws {
        let store = FileDefaultsStore(directory: folder.url)
        var changes = store.changes(every: interval).makeAsyncIterator()
        if isRenamed {
            let other = TemporaryFolder()
            try FileManager.default.moveItem(at: folder.url, to: other.url)
            while await changes.next() != nil {}
            return
        }
        try FileManager.default.removeItem(at: folder.url)
        while await changes.next() != nil {}
    }

    @Test func cancellingTheTaskEndsTheSequence() async throws {
        let store = FileDefaultsStore(directory: folder.url)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            for await _ in store.changes() { begin.finish() }
        }
        for await _ in begins {}
        task.cancel()
        await task.value
    }

    /// Reading and reloading change nothing, or they would cause the next change.
    @Test func reloadingIsNoChange() async throws {
        let store = FileDefaultsStore(directory: folder.url)
        try store.persistConfiguration(document("one"), forUserID: nil)
        let config = CoordinatorFixture.make(store: store).config
        await config.reload()
        let before = try modificationDate
        for _ in 0..<3 { await config.reload() }
        #expect(try modificationDate == before)
    }

    private var modificationDate: Date? {
        get throws {
            try FileManager.default.attributesOfItem(atPath: folder.url.path)[.modificationDate]
                as? Date
        }
    }

    @Test func aFolderThatCannotBeWatchedEndsTheSequenceAndIsLogged() async throws {
        try Data().write(to: folder.url)
        let log = RecordingLog()
        let store = FileDefaultsStore(directory: folder.url.appending(path: "sub"), log: log.log)
        for await _ in store.changes() { Issue.record("A change in a file instead of a folder.") }
        #expect(log.messages(ofLevel: .warning).count == 1)
    }
}
