import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Store accesses of a download.
///
/// It reads only the header of a record that is active, and the document of any other.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StoredTagTests {
    private static let folder = URL(filePath: "/store")

    private static func document(_ text: String, tag: String?) -> ConfigurationState {
        .make(
            sections: ["Home": ["title": .string(String(repeating: text, count: 50_000))]],
            entityTag: tag)
    }

    private static func store(_ system: ModelFileSystem) -> FileDefaultsStore {
        FileDefaultsStore(directory: folder, log: .disabled, system: system)
    }

    /// Coordinator of a new launch, with a stored configuration of user "1".
    private static func launch(
        tag: String?
    ) throws -> (fixture: CoordinatorFixture, system: ModelFileSystem) {
        let first = ModelFileSystem()
        try store(first).persistConfiguration(document("a", tag: tag), forUserID: "1")
        let system = first.settled()
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { _ in .unchanged }, store: store(system))
        return (fixture, system)
    }

    @Test func aColdStartReadsTheDocumentOnceAndADownloadOnlyItsHead() async throws {
        let (fixture, system) = try Self.launch(tag: "\"1\"")
        fixture.config.currentUserID = "1"
        #expect(fixture.config["Home"]?.title?.count == 50_000)
        let loaded = system.takeReadCounts()
        #expect(loaded.count == 1)
        #expect(50_000..<60_000 ~= loaded.values.reduce(0, +))
        for _ in 1...3 {
            try await fixture.config.downloadNewConfig()
            // Without the short record of downloads.
            let counts = system.takeReadCounts().filter { !$0.key.hasPrefix("state-") }
            #expect(1...4096 ~= counts.values.reduce(0, +))
        }
        let requests = fixture.downloader.requests
        #expect(
            requests.map(\.lastKnown) == Array(repeating: Self.document("a", tag: nil), count: 3))
        #expect(requests.map(\.lastKnown?.entityTag) == ["\"1\"", "\"1\"", "\"1\""])
    }

    @Test func aColdStartReadsAFallbackOnce() async throws {
        let first = ModelFileSystem()
        try Self.store(first).persistConfiguration(Self.document("a", tag: "\"1\""), forUserID: nil)
        let system = first.settled()
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { _ in .unchanged }, store: Self.store(system))
        fixture.config.currentUserID = "1"
        #expect(fixture.config["Home"]?.title?.count == 50_000)
        #expect(50_000..<60_000 ~= system.takeReadCounts().values.reduce(0, +))
        try await fixture.config.downloadNewConfig()
        #expect(system.takeReadCounts().isEmpty)
        #expect(fixture.downloader.requests[0].lastKnown == nil)
    }

    @Test func aDownloadAsTheFirstThingReadsTheDocumentOnce() async throws {
        let (fixture, system) = try Self.launch(tag: "\"1\"")
        fixture.config.currentUserID = "1"
        try await fixture.config.downloadNewConfig()
        #expect(50_000..<60_000 ~= system.takeReadCounts().values.reduce(0, +))
        #expect(fixture.downloader.requests[0].lastKnown?.entityTag == "\"1\"")
    }

    @Test func aConfigurationWithoutATagIsReadForTheRequest() async throws {
        let (fixture, system) = try Self.launch(tag: nil)
        fixture.config.currentUserID = "1"
        _ = system.takeReadCounts()
        try await fixture.config.downloadNewConfig()
        #expect(system.takeReadCounts().values.reduce(0, +) > 50_000)
        #expect(fixture.downloader.requests[0].lastKnown == Self.document("a", tag: nil))
    }

    @Test func whatAnotherProcessStoredMeanwhileIsSent() async throws {
        let (fixture, system) = try Self.launch(tag: "\"1\"")
        fixture.config.currentUserID = "1"
        let newer = Self.document("b", tag: "\"2\"")
        try Self.store(system).persistConfiguration(newer, forUserID: "1")
        try await fixture.config.downloadNewConfig()
        #expect(fixture.downloader.requests[0].lastKnown == newer)
        #expect(fixture.downloader.requests[0].lastKnown?.entityTag == "\"2\"")
        #expect(fixture.config["Home"]?.title?.first == "b")
    }

    @Test func whatWasRemovedMeanwhileIsNotSent() async throws {
        let (fixture, system) = try Self.launch(tag: "\"1\"")
        fixture.config.currentUserID = "1"
        try Self.store(system).persistConfiguration(nil, forUserID: "1")
        try await fixture.config.downloadNewConfig()
        #expect(fixture.downloader.requests[0].lastKnown == nil)
    }

    @Test("A fallback with the same tag is not mistaken for the user's own document")
    func aFallbackOfTheSameTag() async throws {
        let system = ModelFileSystem()
        let generic = Self.document("a", tag: "\"1\"")
        try Self.store(system).persistConfiguration(generic, forUserID: nil)
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { _ in .unchanged }, store: Self.store(system))
        fixture.config.currentUserID = "1"
        #expect(fixture.config["Home"]?.title?.first == "a")
        let own = Self.document("b", tag: "\"1\"")
        try Self.store(system).persistConfiguration(own, forUserID: "1")
        try await fixture.config.downloadNewConfig()
        #expect(fixture.downloader.requests[0].lastKnown == own)
    }

    @Test func theActiveConfigurationIsNotTakenForAnotherUsers() {
        let store = InMemoryStore()
        let (first, second) = (Self.document("a", tag: "\"1\""), Self.document("b", tag: "\"1\""))
        store.persistConfiguration(first, forUserID: "A")
        store.persistConfiguration(second, forUserID: "B")
        let config = ActiveConfig.make(store: store)
        config.currentUserID = "B"
        for (user, document) in [("A", first), ("B", second)] {
            let entry = config.users.table.entry(of: UserID(user), isKept: false)
            #expect(config.users.newestDocument(of: entry) == document)
        }
    }

    @Test(
        "A store returns the entity tag of the user's own record only",
        arguments: [
            ("1", "\"tag\"", "\"tag\""), ("1", nil, nil),
            (nil, "\"\u{E9}\\\"", "\"\u{E9}\\\""),
            // This header is longer than the read-ahead, so no tag is found.
            (String(repeating: "x", count: 5_000), "\"tag\"", nil),
        ] as [(String?, String?, String?)])
    func theTagAlone(user: String?, tag: String?, expected: String?) throws {
        let system = ModelFileSystem()
        let store = Self.store(system)
        try store.persistConfiguration(Self.document("a", tag: tag), forUserID: user)
        #expect(store.ownEntityTag(forUserID: user) == expected)
        #expect(store.ownEntityTag(forUserID: "2") == nil)
        #expect(store.ownEntityTag(forUserID: user == nil ? "" : nil) == nil)
    }

    @Test("Without a store a download uses no store thread")
    func withoutAStoreNoThreadIsTaken() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(.titled(["Home": "\($0.number)"])) }, store: nil)
        let isOver = DispatchSemaphore(value: 0)
        let hasWaited = Locked(false)
        for _ in 0..<BlockingCalls.maximumRunningCount {
            fixture.config.users.calls.async {
                if isOver.wait(timeout: .now() + 100) == .timedOut {
                    hasWaited.withLock { $0 = true }
                }
            }
        }
        defer { for _ in 0..<BlockingCalls.maximumRunningCount { isOver.signal() } }
        try await fixture.config.downloadNewConfig()
        let second = try await fixture.config.downloadNewConfig()
        #expect(!hasWaited.withLock { $0 })
        #expect(second.changedSectionNames == ["Home"])
        #expect(fixture.config["Home"]?.title == "2")
    }
}
