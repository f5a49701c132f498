import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Pending documents in a store that this version of the framework cannot read.
struct UnreadableWaitingTests {
    private static func document(_ version: Int) -> ConfigurationState {
        var document = ConfigurationState.titled(["Home": "\(version)"])
        document.meta["template_version"] = .integer(version)
        return document
    }

    /// A record with one changed byte.
    private static func damaged(_ version: Int) throws -> Data {
        var data = try StoredRecord.encode(document(version), of: UserID("1"))
        data[data.endIndex - 3] ^= 1
        return data
    }

    private static func download(
        _ version: Int, into store: any ActiveConfigStore, _ policy: ActivationPolicy
    ) async throws -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.activationPolicy = policy
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(document(version))), store: store, options: options)
        fixture.config.currentUserID = "1"
        try await fixture.config.downloadNewConfig()
        return fixture.config
    }

    /// Its header names a later version, which can never be activated.
    @Test(arguments: [ActivationPolicy.immediate, .manual])
    func aDamagedOneBlocksNothing(policy: ActivationPolicy) async throws {
        let store = InMemoryStore()
        let damaged = try Self.damaged(99)
        store.updateRecord(.pendingConfiguration(forUserID: "1")) { _ in damaged }
        let config = try await Self.download(5, into: store, policy)
        if policy == .manual { await config.activate() }
        #expect(config["Home"]?.string(forKey: "title") == "5")
        #expect(store.ownConfiguration(forUserID: "1")?.templateVersion == 5)
    }

    @Test func oneOfALaterVersionStays() async throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url, log: .disabled)
        try store.persistPendingConfiguration(Self.document(4), forUserID: "1")
        let name = try #require(folder.fileNames.first { $0.contains(".pending.") })
        let file = folder.url.appending(path: name)
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let newer = Data(text.replacing("record 1 ", with: "record 2 ").utf8)
        try newer.write(to: file)
        let config = try await Self.download(5, into: store, .immediate)
        #expect(config["Home"]?.string(forKey: "title") == "5")
        #expect(try Data(contentsOf: file) == newer)
        try await config.forgetUser("1")
        #expect(!folder.fileNames.contains(name))
    }
}
