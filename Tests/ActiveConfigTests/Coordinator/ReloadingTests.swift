import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// What another process stores in the same folder; here another instance.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ReloadingTests {
    private let folder = TemporaryFolder()

    private var store: FileDefaultsStore { FileDefaultsStore(directory: folder.url) }

    private static func document(_ title: String, version: Int) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["title": .string(title)]],
            entityTag: "\(version)")
    }

    private func persist(_ title: String, version: Int, of userID: String? = nil) throws {
        try store.persistConfiguration(
            Self.document(title, version: version), forUserID: userID)
    }

    @Test func aNewerDocumentComesInForce() async throws {
        try persist("old", version: 1)
        let fixture = CoordinatorFixture.make(store: store)
        let listener = fixture.listener()
        try persist("new", version: 2)
        #expect(fixture.config["Home"]?.title == "old")

        let changes = await fixture.config.reload()
        #expect(changes.map(\.sectionName) == ["Home"])
        #expect(changes.map(\.reason) == [.reloaded])
        #expect(fixture.config["Home"]?.title == "new")
        #expect(await fixture.config.reload().isEmpty)
        fixture.drain()
        #expect(listener.sections.map { $0?.title } == ["old", "new"])
    }

    @Test func whatIsOlderOrRemovedChangesNothing() async throws {
        try persist("old", version: 1)
        let document = Self.document("downloaded", version: 3)
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(document)), store: store)
        try await fixture.config.downloadNewConfig()
        try persist("late", version: 2)
        #expect(await fixture.config.reload().isEmpty)
        try store.persistConfiguration(nil, forUserID: nil)
        #expect(await fixture.config.reload().isEmpty)
        #expect(fixture.config["Home"]?.title == "downloaded")
    }

    @Test func aUserWithoutADocumentGetsTheOneThatAnotherProcessHasStored() async throws {
        try persist("generic", version: 1)
        let fixture = CoordinatorFixture.make(store: store)
        fixture.config.currentUserID = "1"
        #expect(fixture.config["Home"]?.title == "generic")
        try persist("own", version: 1, of: "1")
        #expect(await fixture.config.reload().count == 1)
        #expect(fixture.config["Home"]?.title == "own")
    }

    @Test func theUsersInMemoryAreReloadedToo() async throws {
        try persist("old", version: 1, of: "2")
        let fixture = CoordinatorFixture.make(store: store)
        let user = fixture.config.configuration(forUserID: "2")
        #expect(user["Home"]?.title == "old")
        try persist("new", version: 2, of: "2")
        #expect(await fixture.config.reload().isEmpty)
        #expect(user["Home"]?.title == "new")
    }

    @Test func withoutAStoreTheDownloadStays() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(Self.document("downloaded", version: 1))), store: nil)
        try await fixture.config.downloadNewConfig()
        #expect(await fixture.config.reload().isEmpty)
        #expect(fixture.config["Home"]?.title == "downloaded")
    }
}
