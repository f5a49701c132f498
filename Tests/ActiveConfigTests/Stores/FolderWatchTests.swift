import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FolderWatchTests {
    private let folder = TemporaryFolder()

    private func document(_ title: String) -> ConfigurationState {
        .make(sections: ["Home": ["title": .string(title)]])
    }

    @Test func whatAnotherInstanceStoresIsNoticed() async throws {
        let store = FileDefaultsStore(directory: folder.url)
        let config = CoordinatorFixture.make(store: store).config
        var changes = store.changes().makeAsyncIterator()
        let other = FileDefaultsStore(directory: folder.url)
        for title in ["one", "two"] {
            try other.persistConfiguration(document(title), forUserID: nil)
            // More than one may come of one write.
            while config["Home"]?.title != title {
                _ = try #require(await changes.next())
                await config.reload()
            }
        }
    }

    @Test func theEndOfTheTaskEndsTheWatch() async {
        let store = FileDefaultsStore(directory: folder.url)
        let task = Task { for await _ in store.changes() {} }
        task.cancel()
        await task.value
    }

    @Test func aFolderThatCannotBeWatchedEndsTheSequenceAndIsLogged() async throws {
        try Data().write(to: folder.url)
        let log = RecordingLog()
        let store = FileDefaultsStore(directory: folder.url.appending(path: "sub"), log: log.log)
        for await _ in store.changes() { Issue.record("A change of a folder that is none.") }
        #expect(log.messages(ofLevel: .warning).count == 1)
    }
}
