import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigTrust

/// The log's closure may use the framework, also while the guard logs a problem with its own
/// record.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct CrashGuardLogTests {
    /// Versions that the log's closure read, with the messages for which it was called.
    private func reads(
        _ store: any ActiveConfigStore, _ body: (ActiveConfig, CrashGuard) -> Void
    ) -> [(text: String, version: Int?)] {
        let config = Locked<ActiveConfig?>(nil)
        let reads = Locked<[(text: String, version: Int?)]>([])
        let crashGuard = CrashGuard()
        var options = ActiveConfigOptions()
        options.vetting.append(crashGuard)
        let log = ActiveConfigLog { _, text in
            let version = config.withLock { $0 }?["Home"]?.integer(forKey: "version")
            reads.withLock { $0.append((text, version)) }
        }
        let new = ActiveConfig.make(store: store, options: options, log: log)
        config.withLock { $0 = new }
        body(new, crashGuard)
        config.withLock { $0 = nil }
        return reads.withLock { $0 }
    }

    @Test func theLogMayReadWhenTheRecordIsDamaged() throws {
        let store = InMemoryStore()
        store.persistConfiguration(GuardedLaunch.document(1), forUserID: nil)
        store.updateClientState(named: "crash-guard") { _ in Data("damaged".utf8) }
        let reads = reads(store) { config, _ in
            #expect(config["Home"]?.integer(forKey: "version") == 1)
        }
        #expect(reads.map(\.version) == [1])
        #expect(reads.first?.text.contains("crash-guard of the store is damaged") == true)
    }

    @Test func theLogMayReadWhenTheRecordCannotBeStored() throws {
        let store = FailingStore([.updateClientState])
        store.base.persistConfiguration(GuardedLaunch.document(1), forUserID: nil)
        let reads = reads(store) { config, crashGuard in
            #expect(config["Home"]?.integer(forKey: "version") == 1)
            crashGuard.markHealthy()
            crashGuard.drain()
        }
        #expect(!reads.isEmpty && reads.allSatisfy { $0.version == 1 })
        #expect(reads.contains { $0.text.contains("The good configuration") })
    }

    /// The store uses the same log, and is read before a document is kept as good.
    @Test(arguments: ["forget", "change"])
    func theLogMayChangeTheUserWhenTheDocumentIsDamaged(change: String) throws {
        let folder = TemporaryFolder()
        let store = FileDefaultsStore(directory: folder.url)
        try store.persistConfiguration(GuardedLaunch.document(1), forUserID: "1")
        let shared = Locked<ActiveConfig?>(nil)
        let texts = Locked<[String]>([])
        let crashGuard = CrashGuard()
        var options = ActiveConfigOptions()
        options.vetting.append(crashGuard)
        let log = ActiveConfigLog { level, text in
            guard level == .warning, let config = shared.withLock({ $0 }) else { return }
            texts.withLock { $0.append(text) }
            if change == "change" { config.currentUserID = "2" }
            if change == "forget" { try? config.forgetUser("1") }
        }
        let config = ActiveConfig.make(store: store, options: options, log: log)
        shared.withLock { $0 = config }
        defer { shared.withLock { $0 = nil } }
        config.currentUserID = "1"
        #expect(config["Home"]?.integer(forKey: "version") == 1)
        for name in folder.fileNames where name.hasPrefix("user-") {
            try Data("garbage".utf8).write(to: folder.file(name))
        }
        crashGuard.markHealthy()
        crashGuard.drain()
        #expect(texts.withLock { $0.contains { $0.contains("damaged") } })
        #expect(config["Home"] == nil)
    }
}
