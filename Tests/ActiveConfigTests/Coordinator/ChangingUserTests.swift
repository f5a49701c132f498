import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Setting the user for the first time, and while downloads end.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ChangingUserTests {
    private struct DiskFull: Error {}

    /// Calls a closure during each read for `user`, so that a test can end a download during the
    /// read.
    private final class EndingStore: ActiveConfigStore {
        let base = InMemoryStore()
        let user: String?
        private let endDownload: Locked<@Sendable (_ number: Int) -> Void> = Locked { _ in }
        private let reads = Locked(0)

        init(user: String?) { self.user = user }

        var readCount: Int { reads.withLock { $0 } }

        func onRead(_ body: @escaping @Sendable (_ number: Int) -> Void) {
            endDownload.withLock { $0 = body }
        }

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            let found = base.lastKnownActiveConfiguration(forUserID: userID)
            guard userID == user else { return found }
            let number = reads.withLock { reads in
                reads += 1
                return reads
            }
            endDownload.withLock { $0 }(number)
            return found
        }

        func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.ownConfiguration(forUserID: userID)
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) throws {
            base.persistConfiguration(configuration, forUserID: userID)
        }
    }

    /// Runs `body` on a thread of its own, which may block.
    private func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                body()
                continuation.resume()
            }
        }
    }

    @Test(
        "The setter makes a bounded number of reads, even if a download ends during each",
        arguments: [false, true])
    func theSetterIsBounded(ofTheGenericUser: Bool) async throws {
        let store = EndingStore(user: "Z")
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held }, store: store)
        let config = fixture.config
        let count = 40
        let isEnded = DispatchSemaphore(value: 0)
        let recorder = NotificationRecorder(of: config, in: fixture.center) { entry in
            if entry.name == ActiveConfig.downloadUpdateFinishedNotification { isEnded.signal() }
        }
        for number in 1...count {
            config.currentUserID = ofTheGenericUser && number == 1 ? nil : "\(number)"
            fixture.startDownload()
            try await fixture.downloader.waitForRequests(number)
        }
        store.onRead { number in
            guard number <= count else { return }
            fixture.downloader.answer(
                number, with: .configuration(.titled(["Home": "\(number)"])))
            isEnded.wait()
        }
        await onThread { config.currentUserID = "Z" }
        #expect(config.currentUserID == "Z")
        // A fallback that a download replaced during the read is read once more, and the download's
        // end reads it too.
        #expect((ofTheGenericUser ? 2...3 : 1...1).contains(store.readCount))
        #expect(config["Home"]?.title == (ofTheGenericUser ? "1" : nil))
        withExtendedLifetime(recorder) {}
        for number in 1...count { fixture.downloader.answer(number, with: .unchanged) }
        try await fixture.downloader.waitForEndedRequests(count)
    }

    @Test("A document that is downloaded while the setter reads becomes active")
    func whatADownloadBringsMeanwhileIsNotUndone() async throws {
        let store = EndingStore(user: "A")
        store.base.persistConfiguration(.titled(["Home": "old"]), forUserID: "A")
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held }, store: store)
        let config = fixture.config
        let isEnded = DispatchSemaphore(value: 0)
        let recorder = NotificationRecorder(of: config, in: fixture.center) { entry in
            if entry.name == ActiveConfig.downloadUpdateFinishedNotification { isEnded.signal() }
        }
        config.currentUserID = "A"
        fixture.startDownload()
        try await fixture.downloader.waitForRequests(1)
        config.currentUserID = "B"
        store.onRead { _ in
            fixture.downloader.answer(1, with: .configuration(.titled(["Home": "new"])))
            isEnded.wait()
        }
        await onThread { config.currentUserID = "A" }
        #expect(config["Home"]?.title == "new")
        withExtendedLifetime(recorder) {}
    }

    /// Stored configurations at launch, and the sections that change when user "1" is set first.
    struct Launch: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var bootstrap: [String: String]?
        var generic: [String: String]?
        var own: [String: String]?
        let changed: [String]
    }

    static let launches = [
        Launch(testDescription: "nothing", changed: []),
        Launch(testDescription: "a bootstrap", bootstrap: ["Home": "x"], changed: []),
        Launch(testDescription: "the generic user's", generic: ["Home": "x"], changed: []),
        Launch(
            testDescription: "the user's, equal to the bootstrap", bootstrap: ["Home": "x"],
            own: ["Home": "x"], changed: []),
        Launch(
            testDescription: "the user's, different from the bootstrap",
            bootstrap: ["Home": "x", "Same": "s", "Gone": "g"],
            own: ["Home": "y", "Same": "s", "New": "n"], changed: ["Gone", "Home", "New"]),
        Launch(
            testDescription: "the user's, different from the generic user's",
            bootstrap: ["Home": "y"], generic: ["Home": "x", "Same": "s"],
            own: ["Home": "y", "Same": "s"], changed: ["Home"]),
        Launch(testDescription: "only the user's", own: ["Home": "y"], changed: ["Home"]),
    ]

    @Test(
        "Setting the first user notifies only about sections that differ from the active ones",
        arguments: launches, [false, true])
    func theFirstUserThatIsSet(launch: Launch, isReadBefore: Bool) throws {
        let base = InMemoryStore(bootstrap: launch.bootstrap.map { .state(.titled($0)) })
        if let generic = launch.generic {
            base.persistConfiguration(.titled(generic), forUserID: nil)
        }
        if let own = launch.own { base.persistConfiguration(.titled(own), forUserID: "1") }
        for store in [base, ObservedStore(base)] as [any ActiveConfigStore] {
            let fixture = CoordinatorFixture.make(store: store)
            let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
            if isReadBefore { _ = fixture.config["Home"] }
            fixture.config.currentUserID = "1"
            fixture.drain()
            #expect(recorder.entries.compactMap(\.sectionName) == launch.changed)
            #expect(recorder.entries.count == launch.changed.count)
        }
    }

    @Test("A bootstrap file below the first user's own configuration is not opened to compare")
    func opensNoBootstrapToCompare() throws {
        let log = RecordingLog()
        let store = InMemoryStore(
            bootstrap: .jsonFile(URL(filePath: "/nonexistent/InitialActiveConfig.json")),
            log: log.log)
        store.persistConfiguration(.titled(["Home": "1"]), forUserID: "1")
        let fixture = CoordinatorFixture.make(store: store)
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        fixture.config.currentUserID = "1"
        #expect(fixture.config["Home"]?.title == "1")
        fixture.drain()
        #expect(log.messages.isEmpty)
        // The app has not read another configuration before, so nothing changed.
        #expect(recorder.entries.isEmpty)
    }

    @Test("A document that could not be stored stays active in this launch: A → B → A shows it")
    func anUnstoredDocumentStaysActive() async throws {
        let isFull = Locked(true)
        let store = ObservedStore { event in
            if case .persist = event, isFull.withLock({ $0 }) { throw DiskFull() }
        }
        store.base.persistConfiguration(
            .titled(["Home": "old"], entityTag: "\"old\""), forUserID: "A")
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(.titled(["Home": "new"], entityTag: "\"new\"")), .unchanged,
                .unchanged), store: store)
        let config = fixture.config
        config.currentUserID = "A"
        try await config.downloadNewConfig()
        #expect(config["Home"]?.title == "new")
        config.currentUserID = "B"
        #expect(config["Home"] == nil)
        config.currentUserID = "A"
        #expect(config["Home"]?.title == "new")
        // The requests are conditional on it, and it is stored as soon as the store can write
        // again.
        try await config.downloadNewConfig()
        #expect(store.base.ownConfiguration(forUserID: "A")?.entityTag == "\"old\"")
        isFull.withLock { $0 = false }
        try await config.downloadNewConfig()
        #expect(
            fixture.downloader.requests.map(\.lastKnown?.entityTag)
                == ["\"old\"", "\"new\"", "\"new\""])
        #expect(store.base.ownConfiguration(forUserID: "A")?.entityTag == "\"new\"")
        // From then on the store takes precedence: another process may have written to it.
        store.base.persistConfiguration(.titled(["Home": "newer"]), forUserID: "A")
        config.currentUserID = "B"
        config.currentUserID = "A"
        #expect(config["Home"]?.title == "newer")
    }

    @Test("A generic configuration that could not be stored is the fallback of other users")
    func aGenericConfigurationThatCouldNotBeStored() async throws {
        let store = ObservedStore(InMemoryStore(bootstrap: .state(.titled(["Home": "bootstrap"]))))
        {
            if case .persist = $0 { throw DiskFull() }
        }
        store.base.persistConfiguration(.titled(["Home": "own"]), forUserID: "own")
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { _ in
                .configuration(.titled(["Home": "generic"], entityTag: "\"g\""))
            }, store: store)
        let config = fixture.config
        try await config.downloadNewConfig()
        config.currentUserID = "other"
        #expect(config["Home"]?.title == "generic")
        #expect(config.currentConfiguration.entityTag == nil)
        config.currentUserID = "own"
        #expect(config["Home"]?.title == "own")
        config.currentUserID = nil
        #expect(config["Home"]?.title == "generic")
    }
}
