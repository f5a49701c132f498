import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// An app's own store type around one of the framework's.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WrappingStoreTests {
    /// Forwards all members.
    private struct ForwardingStore: ActiveConfigStore {
        let base: any ActiveConfigStore

        var fallback: StoreFallback { base.fallback }
        var firstDownloadFinished: Bool { base.firstDownloadFinished }

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.lastKnownActiveConfiguration(forUserID: userID)
        }

        func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.ownConfiguration(forUserID: userID)
        }

        func ownEntityTag(forUserID userID: String?) -> String? {
            base.ownEntityTag(forUserID: userID)
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) throws { try base.persistConfiguration(configuration, forUserID: userID) }

        func persistConfiguration(
            _ configuration: ConfigurationState, forUserID userID: String?,
            unlessStored isLater: (Int) -> Bool
        ) throws -> Bool {
            try base.persistConfiguration(
                configuration, forUserID: userID, unlessStored: isLater)
        }

        func recordFirstDownloadFinished() throws -> Bool {
            try base.recordFirstDownloadFinished()
        }

        func record(_ record: StoreRecord) throws -> Data? { try base.record(record) }

        func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
            try base.updateRecord(record, change)
        }
    }

    private static func document(_ title: String) -> ConfigurationState {
        .titled(["Home": title], entityTag: "\"\(title)\"")
    }

    @Test func oneThatForwardsLosesNothing() async throws {
        let folder = TemporaryFolder()
        try FileDefaultsStore(directory: folder.url).persistConfiguration(
            Self.document("generic"), forUserID: nil)
        var options = ActiveConfigOptions()
        options.activationPolicy = .nextLaunch
        let log = RecordingLog()
        func launch(_ downloader: ScriptedDownloader) -> ActiveConfig {
            let store = ForwardingStore(
                base: FileDefaultsStore(
                    directory: folder.url, bootstrap: .state(Self.document("bootstrap"))))
            return .make(downloader: downloader, store: store, options: options, log: log.log)
        }
        let first = launch(ScriptedDownloader(.configuration(Self.document("own"))))
        first.currentUserID = "1"
        #expect(first.diagnostics.source(of: .title) == .genericUser)
        try await first.downloadNewConfig()
        let signals = ClientSignals(store: first.configStore)
        try await signals.setCustomSignals(["plan": "pro"])
        let second = launch(ScriptedDownloader())
        second.currentUserID = "1"
        #expect(second["Home"]?.title == "own")
        #expect(second.status.lastDownload?.outcome == .downloaded)
        #expect(ClientSignals(store: second.configStore).custom == ["plan": "pro"])
        #expect(log.messages(ofLevel: .warning).isEmpty)
        // The wrapped store uses the log of its ActiveConfig.
        try Data("damaged".utf8).write(to: folder.url.appending(path: "generic.activeconfig"))
        second.currentUserID = nil
        #expect(log.messages(ofLevel: .warning).count == 1)
    }

    @Test func oneThatKeepsNoRecordsIsNamedOnce() async throws {
        let log = RecordingLog()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader { .configuration(Self.document("\($0.number)")) },
            store: ObservedStore(), log: log.log)
        for userID in ["1", "2"] {
            config.currentUserID = userID
            try await config.downloadNewConfig()
            await config.reload()
        }
        await config.markStale()
        let warnings = log.messages(ofLevel: .warning)
        #expect(warnings.count == 1 && warnings[0].contains("ObservedStore keeps no records"))
    }
}
