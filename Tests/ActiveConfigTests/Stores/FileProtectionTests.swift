import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Protection of files until a device is unlocked, and exclusion from backups.
struct FileProtectionTests {
    private let system = ModelFileSystem()
    private let recorder = RecordingLog()
    private static let folder = "/home/app/store"
    private static let current = "generic.activeconfig"

    private func store(
        _ protection: FileDefaultsStore.FileProtection = .completeUntilFirstUserAuthentication,
        isExcludedFromBackup: Bool = false
    ) -> FileDefaultsStore {
        FileDefaultsStore(
            directory: URL(filePath: Self.folder), bootstrap: .state(Self.document("bootstrap")),
            log: recorder.log, protection: protection, isExcludedFromBackup: isExcludedFromBackup,
            system: system)
    }

    private static func document(_ text: String) -> ConfigurationState {
        ConfigurationState(
            meta: [:], sections: ["S": ActiveConfigSection(settings: ["text": .string(text)])])
    }

    @Test func whatCannotBeReadYetIsNeitherPutAsideNorLost() throws {
        let store = store()
        for text in ["a", "b"] {
            try store.persistConfiguration(Self.document(text), forUserID: nil)
        }
        try store.recordFirstDownloadFinished()
        let names = system.names(in: Self.folder)
        system.setDeviceLocked(true)
        #expect(store.lastKnownActiveConfiguration(forUserID: nil) == Self.document("bootstrap"))
        #expect(store.ownConfiguration(forUserID: nil) == nil)
        #expect(store.firstDownloadFinished)
        #expect(try !store.recordFirstDownloadFinished())
        #expect(system.names(in: Self.folder) == names)
        #expect(recorder.messages.allSatisfy { $0.text.contains("could not be read") })
        #expect(recorder.messages.count == 4)
        system.setDeviceLocked(false)
        #expect(store.lastKnownActiveConfiguration(forUserID: nil) == Self.document("b"))
        system.damage("\(Self.folder)/\(Self.current)")
        #expect(store.lastKnownActiveConfiguration(forUserID: nil) == Self.document("a"))
    }

    @Test func whatCannotBeWrittenWhileTheDeviceIsLockedLeavesWhatWasKept() throws {
        let store = store(.complete)
        for text in ["a", "b"] {
            try store.persistConfiguration(Self.document(text), forUserID: nil)
        }
        let names = system.names(in: Self.folder)
        system.setDeviceLocked(true)
        let error = #expect(throws: StoreError.self) {
            try store.persistConfiguration(Self.document("c"), forUserID: nil)
        }
        #expect(error?.code == .cannotWrite)
        let underlying = error?.underlyingError as NSError?
        #expect(underlying?.domain == NSPOSIXErrorDomain && underlying?.code == Int(EPERM))
        #expect(error?.description.contains("(error \(EPERM))") == true)
        #expect(system.names(in: Self.folder) == names)
        system.setDeviceLocked(false)
        #expect(store.ownConfiguration(forUserID: nil) == Self.document("b"))
    }

    @Test func whatIsPersistedOverAFileThatCannotBeReadKeepsTheVersionBefore() throws {
        let store = store()
        for text in ["a", "b"] {
            try store.persistConfiguration(Self.document(text), forUserID: nil)
        }
        let calls = try system.reopened().callsOfPersisting(in: store.directory)
        let reading = try #require(calls.firstIndex(of: "open \(Self.current) for reading"))
        let other = system.reopened(.init(failing: reading, error: EPERM))
        let otherStore = FileDefaultsStore(
            directory: URL(filePath: Self.folder), log: .disabled, system: other)
        try otherStore.persistConfiguration(Self.document("c"), forUserID: nil)
        #expect(otherStore.ownConfiguration(forUserID: nil) == Self.document("c"))
        #expect(other.names(in: Self.folder) == system.names(in: Self.folder))
        other.damage("\(Self.folder)/\(Self.current)")
        #expect(otherStore.ownConfiguration(forUserID: nil) == Self.document("a"))
    }

    @Test(arguments: [
        FileDefaultsStore.FileProtection.none, .complete, .completeUnlessOpen,
        .completeUntilFirstUserAuthentication,
    ])
    func aFileIsProtectedBeforeItHasContent(
        protection: FileDefaultsStore.FileProtection
    ) throws {
        try store(protection).persistConfiguration(Self.document("a"), forUserID: nil)
        #expect(system.protection(of: "\(Self.folder)/\(Self.current)") == protection)
        let protect = try #require(system.calls.firstIndex(of: "protect .new"))
        let write = try #require(system.calls.firstIndex(of: "write .new"))
        #expect(protect < write)
    }

    @Test func theFolderIsLeftOutOfBackupsOnlyWhenAskedFor() throws {
        try store().persistConfiguration(Self.document("a"), forUserID: nil)
        #expect(!system.isExcludedFromBackup(Self.folder))
        try store(isExcludedFromBackup: true)
            .persistConfiguration(Self.document("b"), forUserID: nil)
        #expect(system.isExcludedFromBackup(Self.folder))
    }

    @Test func theDefaultFolderIsTheAppsOwnAndNotMadeYet() throws {
        let folder = try FileDefaultsStore.defaultDirectory()
        #expect(folder.lastPathComponent == "ActiveConfig")
        #expect(folder.deletingLastPathComponent().lastPathComponent != "")
        #expect(folder.hasDirectoryPath)
        let bootstrap = ConfigurationState.titled(["Home": "bundled"])
        let store = try FileDefaultsStore(bootstrap: .state(bootstrap))
        #expect(store.directory == folder)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        #expect(store.lastKnownActiveConfiguration(forUserID: nil) == bootstrap)
    }
}

extension ModelFileSystem {
    /// System calls of persisting a configuration in a folder.
    fileprivate func callsOfPersisting(in directory: URL) throws -> [String] {
        let store = FileDefaultsStore(directory: directory, log: .disabled, system: self)
        try store.persistConfiguration(ConfigurationState(), forUserID: nil)
        return calls
    }

    @Test func aFolderThatMayNotBeLookedIntoHadItsFirstDownload() {
        let system = ModelFileSystem().reopened(.init(failing: 0, error: EACCES))
        let store = FileDefaultsStore(
            directory: URL(filePath: "/store"), log: .disabled, system: system)
        #expect(store.firstDownloadFinished)
        #expect(!store.firstDownloadFinished)
    }
}
