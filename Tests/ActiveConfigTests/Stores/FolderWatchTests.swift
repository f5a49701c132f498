import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Serialized, because one of the tests counts open descriptors.
@Suite(.serialized, .timeLimit(.minutes(Rounds.minutes)))
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
        var changes = store.changes().makeAsyncIterator()
        _ = try #require(await changes.next())
    }

    @Test(arguments: [false, true])
    func theEndOfTheFolderEndsTheSequence(isRenamed: Bool) async throws {
        let store = FileDefaultsStore(directory: folder.url)
        var changes = store.changes().makeAsyncIterator()
        if isRenamed {
            let other = TemporaryFolder()
            try FileManager.default.moveItem(at: folder.url, to: other.url)
            while await changes.next() != nil {}
            return
        }
        try FileManager.default.removeItem(at: folder.url)
        while await changes.next() != nil {}
    }

    #if os(Linux)
        /// The descriptors of this process that watch folders.
        private var watches: Set<String> {
            let files = FileManager.default
            let names = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return Set(
                names.filter { name in
                    let target = try? files.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\(name)")
                    return target?.hasSuffix("inotify") == true
                })
        }

        @Test func cancellingTheTaskEndsTheWatch() async throws {
            let before = watches
            let store = FileDefaultsStore(directory: folder.url)
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                for await _ in store.changes() { begin.finish() }
            }
            for await _ in begins {}
            #expect(watches.subtracting(before).count == 1)
            task.cancel()
            await task.value
            // deadline: another thread closes it and sends no signal
            while !watches.isSubset(of: before) { await Task.yield() }
        }

        /// Linux allows 128 inotify instances per user by default.
        @Test func manyStreamsOfAFolderShareOneWatch() async throws {
            let before = watches
            var streams = (0..<200).map { _ in
                FileDefaultsStore(directory: folder.url).changes().makeAsyncIterator()
            }
            for index in streams.indices { _ = try #require(await streams[index].next()) }
            #expect(watches.subtracting(before).count == 1)
            let store = FileDefaultsStore(directory: folder.url)
            try store.persistConfiguration(document("one"), forUserID: nil)
            for index in streams.indices { _ = try #require(await streams[index].next()) }
            streams.removeFirst(199)
            #expect(watches.subtracting(before).count == 1)
            // An earlier change may already have been yielded.
            for number in 0..<3 {
                try store.persistConfiguration(document("\(number)"), forUserID: nil)
                _ = try #require(await streams[0].next())
            }
            streams = []
            // deadline: another thread closes it and sends no signal
            while !watches.isSubset(of: before) { await Task.yield() }
        }
    #endif

    @Test func aFolderThatCannotBeWatchedEndsTheSequenceAndIsLogged() async throws {
        try Data().write(to: folder.url)
        let log = RecordingLog()
        let store = FileDefaultsStore(directory: folder.url.appending(path: "sub"), log: log.log)
        for await _ in store.changes() { Issue.record("A change in a file instead of a folder.") }
        #expect(log.messages(ofLevel: .warning).count == 1)
    }
}
