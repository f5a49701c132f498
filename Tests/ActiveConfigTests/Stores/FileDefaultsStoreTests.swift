import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Contents and files of a `FileDefaultsStore`.
struct FileDefaultsStoreTests {
    private let folder = TemporaryFolder()

    private func store(bootstrap: BootstrapConfiguration? = nil) -> FileDefaultsStore {
        FileDefaultsStore(directory: folder.url, bootstrap: bootstrap)
    }

    private static func document(_ text: String, tag: String? = nil) -> ConfigurationState {
        var state = ConfigurationState(
            meta: ["template_version": 7],
            sections: ["S": ActiveConfigSection(settings: ["text": .string(text)])])
        state.entityTag = tag
        return state
    }

    @Test func theStoreTouchesNoFolderBeforeSomethingIsKept() {
        #expect(store().lastKnownActiveConfiguration(forUserID: "u") == nil)
        #expect(!store().firstDownloadFinished)
        #expect(!FileManager.default.fileExists(atPath: folder.url.path(percentEncoded: false)))
    }

    @Test func theStoreKeepsAConfigurationWithItsEntityTagForTheNextLaunch() throws {
        try store().persistConfiguration(Self.document("a", tag: "\"t\""), forUserID: "u")
        let read = try #require(store().ownConfiguration(forUserID: "u"))
        #expect(read == Self.document("a"))
        #expect(read.entityTag == "\"t\"")
    }

    @Test func theStoreKeepsFilesForTheOwnerAlone() throws {
        try store().persistConfiguration(Self.document("a"), forUserID: "u")
        try store().persistConfiguration(Self.document("b"), forUserID: "u")
        try store().recordFirstDownloadFinished()
        #expect(try folder.permissions() == 0o700)
        #expect(folder.fileNames.count == 4)
        for name in folder.fileNames { #expect(try folder.permissions(of: name) == 0o600) }
    }

    @Test func theStoreKeepsTheEntityTagAndVersionBesideTheDocument() throws {
        try store().persistConfiguration(Self.document("a", tag: "\"t\""), forUserID: nil)
        let lines = try String(contentsOf: folder.file("generic.activeconfig"), encoding: .utf8)
            .split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1] == #"{"entity_tag":"\"t\"","template_version":7}"#)
        #expect(Data(lines[2].utf8) == Self.document("a").jsonData())
    }

    @Test func theStoreKeepsTheGoodVersionBeforeTheLast() throws {
        try store().persistConfiguration(Self.document("a"), forUserID: nil)
        try store().persistConfiguration(Self.document("b"), forUserID: nil)
        try FileManager.default.removeItem(at: folder.file("generic.activeconfig"))
        #expect(store().ownConfiguration(forUserID: nil) == Self.document("a"))
    }

    @Test func theStoreDoesNotKeepADamagedVersionAsThePreviousOne() throws {
        for text in ["a", "b"] {
            try store().persistConfiguration(Self.document(text), forUserID: nil)
        }
        try Data("garbage".utf8).write(to: folder.file("generic.activeconfig"))
        try store().persistConfiguration(Self.document("c"), forUserID: nil)
        try FileManager.default.removeItem(at: folder.file("generic.activeconfig"))
        #expect(store().ownConfiguration(forUserID: nil) == Self.document("a"))
    }

    @Test func theStoreRemovesAllFilesOfAUserAndNoOther() throws {
        for user in ["u", "v"] {
            try store().persistConfiguration(Self.document("a"), forUserID: user)
            try store().persistConfiguration(Self.document("b"), forUserID: user)
        }
        try store().persistConfiguration(nil, forUserID: "u")
        #expect(store().ownConfiguration(forUserID: "u") == nil)
        #expect(store().ownConfiguration(forUserID: "v") == Self.document("b"))
        #expect(folder.fileNames.count == 3)
    }

    @Test func removingFromAFolderThatIsNotThereIsNoError() throws {
        try store().persistConfiguration(nil, forUserID: "u")
        #expect(folder.fileNames.isEmpty)
    }

    @Test func theStoreFallsBackFromUserToGenericUserToBootstrap() throws {
        let store = store(bootstrap: .state(Self.document("bootstrap")))
        #expect(store.lastKnownActiveConfiguration(forUserID: "u") == Self.document("bootstrap"))
        try store.persistConfiguration(Self.document("generic", tag: "\"g\""), forUserID: nil)
        let generic = store.lastKnownActiveConfiguration(forUserID: "u")
        #expect(generic == Self.document("generic"))
        #expect(generic?.entityTag == nil, "a fallback has no entity tag")
        try store.persistConfiguration(Self.document("own"), forUserID: "u")
        #expect(store.lastKnownActiveConfiguration(forUserID: "u") == Self.document("own"))
    }

    @Test func theStoreOpensABootstrapOnlyWhenAFallbackReachesItAndLogsOnceThatItIsUnreadable()
        throws
    {
        let recorder = RecordingLog()
        let store = FileDefaultsStore(
            directory: folder.url, bootstrap: .jsonFile(folder.file("missing.json")),
            log: recorder.log)
        try store.persistConfiguration(Self.document("a"), forUserID: "u")
        #expect(store.lastKnownActiveConfiguration(forUserID: "u") == Self.document("a"))
        #expect(recorder.messages.isEmpty)
        for _ in 1...3 { #expect(store.lastKnownActiveConfiguration(forUserID: "v") == nil) }
        #expect(recorder.messages.count == 1)
        #expect(recorder.messages.first?.text.contains("missing.json") == true)
    }

    @Test func theStoreRemembersTheFirstDownload() throws {
        try store().recordFirstDownloadFinished()
        #expect(store().firstDownloadFinished)
    }

    @Test func theStoreWritesNothingOutsideItsFolderWhateverTheUserID() throws {
        let users = ["../../escape", "/etc/x", "..", "", "a/b", "a\0b", "🦊"]
        for user in users {
            try store().persistConfiguration(Self.document(user), forUserID: user)
        }
        #expect(folder.fileNames.count == users.count + 1)
        for user in users {
            #expect(store().ownConfiguration(forUserID: user) == Self.document(user))
        }
    }

    @Test func theStoreSaysWhyItCannotWrite() throws {
        try Data().write(to: folder.url)
        let error = #expect(throws: StoreError.self) {
            try store().persistConfiguration(Self.document("a"), forUserID: "u")
        }
        #expect(error?.description.contains(folder.url.lastPathComponent) == true)
    }
}
