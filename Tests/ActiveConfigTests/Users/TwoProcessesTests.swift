import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Two processes that share a store: neither overwrites a newer version that the other one stored
/// in the meantime.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct TwoProcessesTests {
    private static let partly = ActivationPolicy.manual(except: ["Kill"])
    private let store = SteppedStore()

    private func launch(
        _ versions: Int..., store: any ActiveConfigStore, _ activation: ActivationPolicy
    ) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.activationPolicy = activation
        let downloader = ScriptedDownloader { request in
            .configuration(.versioned(versions[min(request.number, versions.count) - 1]))
        }
        let config = CoordinatorFixture.make(downloader, store: store, options: options).config
        config.currentUserID = "b"
        return config
    }

    @Test func anActivationStoresNothingOverALaterVersion() async throws {
        let config = launch(2, store: store, .manual)
        try await config.downloadNewConfig()
        store.afterNextPendingRead(of: "b") { [store] in
            store.base.persistConfiguration(.versioned(3), forUserID: "b")
            store.base.persistPendingConfiguration(nil, forUserID: "b")
        }
        await config.activate()
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 3)
        #expect(config["Home"]?.title == "3" && config.snapshot.pending?.document == nil)
    }

    @Test func anActivationKeepsANewerDocumentThatWaits() async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        store.base.persistPendingConfiguration(.versioned(5), forUserID: "b")
        let here = launch(store: store, Self.partly)
        let there = launch(store: store.base, Self.partly)
        let stored = DispatchSemaphore(value: 0)
        store.afterNextPendingRead(of: "b") {
            Task {
                _ = await there.downloads.push(to: UserID("b")) { _ in .apply(.versioned(6)) }
                stored.signal()
            }
            stored.wait()
        }
        await here.activate()
        #expect(there["Kill"]?.title == "6")
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 5)
        #expect(store.base.pendingConfiguration(forUserID: "b")?.templateVersion == 6)
        await there.reload()
        #expect(there["Kill"]?.title == "6" && there["Home"]?.title == "5")
    }

    /// Ways to download, with what they say of the configuration.
    enum Way: CaseIterable, Sendable {
        case download, fetchAndActivate, start, handle, launchGate

        func download(with config: ActiveConfig) async throws -> DownloadResult? {
            switch self {
            case .download: return try await config.downloadNewConfig()
            case .fetchAndActivate: return try await config.fetchAndActivate()
            case .start: _ = try await config.downloads.startedDownload()()
            case .handle: return try await config.configuration(forUserID: "b").download()
            case .launchGate: await LaunchGate(config, appVersion: "1").check()
            }
            return nil
        }
    }

    /// The processes share the interval and the waits, and so the answer of the one that asks.
    @Test(arguments: Way.allCases, [false, true])
    func aDownloadWithoutARequestTakesOverWhatTheOtherProcessStored(
        way: Way, isThrottled: Bool
    ) async throws {
        let fixture = UpdatesFixture(
            store.base, fetchPolicy: .make(minimumInterval: isThrottled ? .zero : .seconds(3_600)))
        let here = fixture.launch(ScriptedDownloader(.configuration(.versioned(1))))
        here.config.currentUserID = "b"
        try await here.config.downloadNewConfig()
        let there = fixture.launch(
            ScriptedDownloader(
                .configuration(.versioned(2)), .failure(DownloadError(.timedOut))))
        there.config.currentUserID = "b"
        try await there.config.downloadNewConfig(ignoringInterval: true)
        if isThrottled { _ = try? await there.config.downloadNewConfig() }
        let listener = here.listener()
        here.drain()
        do {
            let result = try await way.download(with: here.config)
            #expect(!isThrottled || way == .launchGate)
            if let result {
                #expect(result.outcome == .withinInterval && result.isActive)
                #expect(result.changedSectionNames == ["Home", "Kill"])
            }
        } catch let error as DownloadError {
            #expect(isThrottled && error.code == .throttled)
        }
        #expect(here.downloader.requests.count == 1)
        #expect(here.config.snapshot.document.templateVersion == 2)
        here.drain()
        #expect(listener.sections.last == .titled("2"))
    }

    @Test func aDocumentOfTheOtherProcessIsPendingWithinTheInterval() async throws {
        let fixture = UpdatesFixture(
            store.base, fetchPolicy: .minimumInterval(.seconds(3_600)), activation: .manual)
        let here = fixture.launch(ScriptedDownloader(.configuration(.versioned(1)))).config
        try await here.fetchAndActivate()
        let there = fixture.launch(ScriptedDownloader(.configuration(.versioned(2)))).config
        try await there.downloadNewConfig(ignoringInterval: true)
        let result = try await here.downloadNewConfig()
        #expect(result.outcome == .withinInterval && !result.isActive)
        #expect(here["Home"]?.title == "1" && here.snapshot.pending?.document.templateVersion == 2)
        let activated = try await here.fetchAndActivate()
        #expect(activated.outcome == .withinInterval && activated.isActive)
        #expect(activated.changedSectionNames == ["Home", "Kill"])
        #expect(here["Home"]?.title == "2")
    }

    /// A download of an older version ends while the other process stores a newer one.
    @Test(arguments: [ActivationPolicy.immediate, partly])
    func aDownloadReplacesNoLaterVersion(policy: ActivationPolicy) async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        let here = launch(5, store: store.base, policy)
        let there = launch(4, store: store, policy)
        let stored = DispatchSemaphore(value: 0)
        store.beforeNextWrite(of: "b", isPending: policy != .immediate) {
            Task {
                _ = try? await here.downloadNewConfig()
                stored.signal()
            }
            stored.wait()
        }
        let result: DownloadResult = try await there.downloadNewConfig()
        #expect(result.changedSectionNames.isEmpty)
        #expect(here["Kill"]?.title == "5" && there["Kill"]?.title == "5")
        let found =
            policy == .immediate
            ? store.base.ownConfiguration(forUserID: "b")
            : store.base.pendingConfiguration(forUserID: "b")
        #expect(found?.templateVersion == 5)
        await here.reload()
        #expect(here["Kill"]?.title == "5")
    }

    /// A switch to a loaded user also reads the generic user's document, whom the user follows.
    @Test func aSwitchFindsAPendingDocumentBesidesANewFallback() {
        store.base.persistConfiguration(.versioned(1), forUserID: nil)
        let config = launch(store: store.base, .manual)
        let user = config.configuration(forUserID: "b")
        #expect(user["Home"]?.title == "1")
        config.currentUserID = "c"
        store.base.persistConfiguration(.versioned(2), forUserID: nil)
        store.base.persistPendingConfiguration(.versioned(3), forUserID: "b")
        config.currentUserID = "b"
        #expect(config["Home"]?.title == "2")
        #expect(config.snapshot.pending?.document.templateVersion == 3)
    }

    /// A policy keeps the former users in memory, where nobody reads their fallback.
    @Test(arguments: [ActivationPolicy.immediate, .manual, .nextLaunch])
    func formerUsersDoNotKeepARemovedFallback(policy: ActivationPolicy) {
        store.base.persistConfiguration(.versioned(1), forUserID: nil)
        let config = launch(store: store.base, policy)
        for userID in ["c", "d"] {
            #expect(config["Home"]?.title == "1")
            config.currentUserID = userID
        }
        store.base.persistConfiguration(nil, forUserID: nil)
        config.currentUserID = "e"
        #expect(config["Home"] == nil)
    }

    /// What stores a document within the user's turn.
    enum Change: CaseIterable, Sendable {
        case download, push, activation

        func make(_ version: Int, in config: ActiveConfig) async throws {
            switch self {
            case .download: try await config.downloadNewConfig()
            case .push:
                _ = await config.downloads.push(to: UserID("b")) { _ in .apply(.versioned(version))
                }
            case .activation: await config.activate()
            }
        }
    }

    /// Switches to another user and back, which reads the store.
    private func switching(_ config: ActiveConfig) -> @Sendable () -> Void {
        {
            onAnotherThread {
                config.currentUserID = "c"
                config.currentUserID = "b"
            }
        }
    }

    /// Stores a version as another process, and switches.
    private func switching(to version: Int, _ config: ActiveConfig) -> @Sendable () -> Void {
        { [store, switchUser = switching(config)] in
            store.base.persistConfiguration(.versioned(version), forUserID: "b")
            store.base.persistPendingConfiguration(nil, forUserID: "b")
            switchUser()
        }
    }

    /// The versions that are reported to observers as active.
    private struct ActiveVersions {
        private let reported = Locked<[Int?]>([])
        private let subscription: ActiveConfigSubscription

        init(of config: ActiveConfig) {
            subscription = config.addObserver(
                ClosureObserver { [reported] event in
                    if case .active = event.kind {
                        reported.withLock { $0.append(event.document?.templateVersion) }
                    }
                })
        }

        var versions: [Int?] { reported.withLock { $0 } }
    }

    /// A switch takes no turn, so it can read a later version between a decision and its save.
    @Test func anActivationStoresNothingOverAVersionThatASwitchHasRead() async throws {
        let config = launch(2, store: store, .manual)
        try await config.downloadNewConfig()
        store.afterNextPendingRead(of: "b", switching(to: 3, config))
        await config.activate()
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 3)
        #expect(config["Home"]?.title == "3" && config.snapshot.pending?.document == nil)
    }

    /// A switch can read what `activate()` has just stored.
    @Test func anActivationWhoseSaveASwitchHasReadIsReported() async throws {
        let config = launch(2, store: store, .manual)
        try await config.downloadNewConfig()
        let active = ActiveVersions(of: config)
        store.afterNextPersist(of: "b", switching(config))
        await config.activate()
        #expect(config["Home"]?.title == "2" && config.snapshot.pending?.document == nil)
        #expect(active.versions == [2])
    }

    /// Likewise what a download has just stored.
    @Test func aDownloadWhoseSaveASwitchHasReadIsReported() async throws {
        var new = ConfigurationState.versioned(2)
        new.replacedVersion = 5
        let downloader = ScriptedDownloader(.configuration(.versioned(5)), .configuration(new))
        let config = CoordinatorFixture.make(downloader, store: store).config
        config.currentUserID = "b"
        try await config.downloadNewConfig()
        let active = ActiveVersions(of: config)
        store.afterNextPersist(of: "b", switching(config))
        let result: DownloadResult = try await config.downloadNewConfig()
        #expect(result.outcome == .downloaded && result.isActive && result.replacedVersion == 5)
        #expect(config["Home"]?.title == "2")
        #expect(config.front.entry.documents.active?.source == .downloaded)
        #expect(active.versions == [2])
    }

    @Test func aPushStoresNothingOverAVersionThatASwitchHasRead() async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        let config = launch(store: store, .immediate)
        #expect(config["Home"]?.title == "1")
        let switchUser = switching(to: 3, config)
        let outcome = await config.downloads.push(to: UserID("b")) { held in
            #expect(held?.templateVersion == 1)
            switchUser()
            return .apply(.versioned(2))
        }
        guard case .skipped = outcome else {
            Issue.record("Another outcome: \(outcome)")
            return
        }
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 3)
        #expect(config["Home"]?.title == "3")
    }

    @Test(arguments: Change.allCases)
    func aVersionThatASwitchReadsDuringASaveStays(change: Change) async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        let config = launch(2, store: store, change == .activation ? .manual : .immediate)
        if change == .activation { try await config.downloadNewConfig() }
        #expect(config["Home"]?.title == "1")
        store.afterNextPersist(of: "b", switching(to: 3, config))
        try await change.make(2, in: config)
        #expect(config["Home"]?.title == "3" && config.snapshot.pending?.document == nil)
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 3)
        await config.reload()
        #expect(config["Home"]?.title == "3")
    }

    /// The store has the document of this process, the later one.
    @Test(arguments: Change.allCases)
    func aLaterVersionThanASwitchHasReadBecomesActive(change: Change) async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        let config = launch(4, store: store, change == .activation ? .manual : .immediate)
        if change == .activation { try await config.downloadNewConfig() }
        store.beforeNextWrite(of: "b", isPending: false, switching(to: 3, config))
        try await change.make(4, in: config)
        #expect(config["Home"]?.title == "4" && config.snapshot.pending?.document == nil)
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 4)
    }

    @Test func aDownloadOfALaterVersionThanASwitchHasReadReportsItsChanges() async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.versioned(4))), store: store)
        let config = fixture.config
        config.currentUserID = "b"
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        store.beforeNextWrite(of: "b", isPending: false, switching(to: 3, config))
        let result: DownloadResult = try await config.downloadNewConfig()
        #expect(result.outcome == .downloaded && result.isActive)
        #expect(result.changedSectionNames == ["Home", "Kill"])
        fixture.drain()
        let ends = recorder.names.filter { $0 != ActiveConfig.sectionDidChangeNotification }
        #expect(
            ends == [
                ActiveConfig.firstDownloadFinishedNotification,
                ActiveConfig.downloadUpdateFinishedNotification,
            ])
    }

    /// A store that runs a step once, before a call of it.
    private func store(
        running step: Locked<(@Sendable () -> Void)?>,
        before isMet: @escaping @Sendable (ObservedStore.Event) -> Bool,
        isFull: Bool = false
    ) -> ObservedStore {
        ObservedStore(store.base) { event in
            guard isMet(event) else { return }
            let body = step.withLock { step in
                defer { step = nil }
                return step
            }
            body?()
            if isFull { throw FullStore() }
        }
    }

    private struct FullStore: Error {}

    /// "Not modified" is about the document of the request.
    @Test func aConfirmationConfirmsNoVersionThatASwitchHasRead() async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        let step = Locked<(@Sendable () -> Void)?>(nil)
        let store = store(running: step, before: { $0 == .recordFirstDownloadFinished })
        let config = CoordinatorFixture.make(ScriptedDownloader(.unchanged), store: store).config
        config.currentUserID = "b"
        #expect(config["Home"]?.title == "1")
        let active = ActiveVersions(of: config)
        step.withLock { $0 = switching(to: 3, config) }
        let result: DownloadResult = try await config.downloadNewConfig()
        #expect(result.outcome == .notModified && result.isActive)
        #expect(config["Home"]?.title == "3")
        #expect(config.front.entry.documents.active?.source == .stored)
        #expect(active.versions == [])
    }

    /// Only memory has the later document then.
    @Test(arguments: [Change.download, .push])
    func aLaterVersionThatTheStoreCannotTakeBecomesActive(change: Change) async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        let step = Locked<(@Sendable () -> Void)?>(nil)
        let store = store(
            running: step,
            before: {
                if case .persist = $0 { true } else { false }
            }, isFull: true)
        let config = launch(4, store: store, .immediate)
        #expect(config["Home"]?.title == "1")
        step.withLock { $0 = switching(to: 3, config) }
        try await change.make(4, in: config)
        #expect(config["Home"]?.title == "4")
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 3)
    }

    /// A server may go back to an older version, unlike another process.
    @Test(arguments: [ActivationPolicy.immediate, partly])
    func aServerMayGoBack(policy: ActivationPolicy) async throws {
        let config = launch(5, 4, store: store, policy)
        for _ in 0..<2 { try await config.downloadNewConfig() }
        #expect(config["Kill"]?.title == "4")
        await config.activate()
        #expect(config["Home"]?.title == "4")
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 4)
        #expect(store.base.pendingConfiguration(forUserID: "b") == nil)
    }

    /// A version that could not be stored does not overwrite a later one.
    @Test func anUnstoredVersionReplacesNothing() async throws {
        struct Full: Error {}
        let isFull = Locked(true)
        let observed = ObservedStore(store.base) { event in
            if case .persist = event, isFull.withLock(\.self) { throw Full() }
        }
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.versioned(2)), .held), store: observed)
        fixture.config.currentUserID = "b"
        try await fixture.config.downloadNewConfig()
        isFull.withLock { $0 = false }
        let second = Task { try await fixture.config.downloadNewConfig() as DownloadResult }
        try await fixture.downloader.waitForRequests(2)
        store.base.persistConfiguration(.versioned(3), forUserID: "b")
        fixture.downloader.answer(2, with: .unchanged)
        _ = try await second.value
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 3)
        #expect(fixture.config["Home"]?.title == "3")
    }

    @Test(arguments: [ActivationPolicy.immediate, .manual, .nextLaunch, partly])
    func aDownloadReadsWhatWaitsOnceAtMost(policy: ActivationPolicy) async throws {
        store.base.persistConfiguration(.versioned(1), forUserID: "b")
        let config = launch(2, 3, 3, 4, store: store, policy)
        #expect(config["Home"]?.title == "1")
        for _ in 0..<4 {
            let count = store.pendingReadCount
            try await config.downloadNewConfig()
            #expect(store.pendingReadCount - count <= 1)
        }
        await config.activate()
        #expect(config["Home"]?.title == "4")
    }

    /// The lock of a folder excludes threads as well as processes.
    @Test func threadsThatShareAFolderStoreTheLatestVersion() throws {
        let folder = TemporaryFolder()
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            let store = FileDefaultsStore(directory: folder.url)
            for round in 0..<25 {
                let version = round * 8 + index + 1
                #expect(throws: Never.self) {
                    try store.persistConfiguration(.versioned(version), forUserID: "b") {
                        $0 > version
                    }
                }
                let found = store.ownConfiguration(forUserID: "b")?.templateVersion ?? 0
                #expect(found >= version)
            }
        }
        let last = FileDefaultsStore(directory: folder.url).ownConfiguration(forUserID: "b")
        #expect(last?.templateVersion == 200)
    }
}
