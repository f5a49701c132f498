import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Names, order, contents and queue of the notifications.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct NotificationTests {
    private let first = ActiveConfig.firstDownloadFinishedNotification
    private let update = ActiveConfig.downloadUpdateFinishedNotification
    private let failed = ActiveConfig.downloadFailedNotification
    private let section = ActiveConfig.sectionDidChangeNotification

    @Test func namesAndKeysAreTheContracts() {
        #expect(first.rawValue == "ActiveConfigFirstDownloadFinishedNotification")
        #expect(update.rawValue == "ActiveConfigDownloadUpdateFinishedNotification")
        #expect(failed.rawValue == "ActiveConfigDownloadFailedNotification")
        #expect(section.rawValue == "ActiveConfigSectionDidChangeNotification")
        #expect(ActiveConfig.NotificationKey.userID == "user_id")
        #expect(ActiveConfig.NotificationKey.meta == "meta")
        #expect(ActiveConfig.NotificationKey.configurationIsCurrent == "config_was_set")
        #expect(ActiveConfig.NotificationKey.sectionName == "section_name")
        #expect(ActiveConfig.NotificationKey.section == "section")
        #expect(ActiveConfig.NotificationKey.error == "error")
    }

    @Test("Notifications are posted in the order: sections, first download, update")
    func areInOrder() async throws {
        let state = ConfigurationState.make(
            meta: ["template_version": 7], sections: ["B": ["b": 1], "A": ["a": 1]])
        let fixture = CoordinatorFixture.make(ScriptedDownloader(.configuration(state)))
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        fixture.config.currentUserID = "1"
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        let entries = recorder.entries
        try #require(entries.map(\.name) == [section, section, first, update])
        #expect(entries.map(\.userID) == ["1", "1", "1", "1"])
        #expect(entries.map(\.sectionName) == ["A", "B", nil, nil])
        #expect(entries.map(\.section) == [.make(["a": 1]), .make(["b": 1]), nil, nil])
        #expect(entries.map(\.meta) == [nil, nil, state.meta, state.meta])
        #expect(entries.map(\.configurationIsCurrent) == [nil, nil, nil, true])
        #expect(
            entries.map(\.keys) == [
                ["user_id", "section_name", "section"], ["user_id", "section_name", "section"],
                ["user_id", "meta"], ["user_id", "meta", "config_was_set"],
            ])
    }

    @Test("`user_id` is NSNull for the generic user; `section` is absent when the section is gone")
    func theGenericUserIsNSNull() async throws {
        struct Failure: Error {}
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.titled(["Home": "x"])), .failure(Failure())),
            store: InMemoryStore(bootstrap: .state(.titled(["Gone": "x", "Home": "x"]))))
        _ = fixture.config.currentConfiguration
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        try await fixture.config.downloadNewConfig()
        await #expect(throws: Failure.self) { try await fixture.config.downloadNewConfig() }
        fixture.drain()
        #expect(recorder.names == [section, first, update, failed])
        let genericUser = recorder.entries.map(\.isOfGenericUser)
        #expect(genericUser == [true, true, true, true])
        #expect(recorder.entries[0].keys == ["user_id", "section_name"])
        #expect(recorder.entries[0].sectionName == "Gone")
        #expect(recorder.entries[3].keys == ["user_id", "error"])
        #expect(recorder.entries[3].error is Failure)
    }

    @Test(
        "Each successful download, changed or not, posts an update; the first one also posts first"
    )
    func everyDownloadPostsOneUpdate() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .unchanged, .configuration(.make()), .configuration(.make()), .unchanged))
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        for _ in 1...4 { try await fixture.config.downloadNewConfig() }
        fixture.drain()
        #expect(recorder.names == [first, update, section, update, update, update])
        #expect(recorder.entries(named: update).allSatisfy { $0.configurationIsCurrent == true })
        #expect(recorder.entries.last?.meta == ConfigurationState.make().meta)
    }

    @Test("First is posted once, and `firstConfigDownloadFinished` stays true across launches")
    func theFirstIsPostedOnceAcrossLaunches() async throws {
        let store = InMemoryStore()
        var firsts: [Int] = []
        for _ in 1...2 {
            let fixture = CoordinatorFixture.make(
                ScriptedDownloader { .configuration(.titled(["Home": "\($0.number)"])) },
                store: store)
            let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
            #expect(fixture.config.firstConfigDownloadFinished == !firsts.isEmpty)
            for user in ["1", "1", "2"] {
                fixture.config.currentUserID = user
                try await fixture.config.downloadNewConfig()
                #expect(fixture.config.firstConfigDownloadFinished)
            }
            fixture.drain()
            firsts.append(recorder.entries(named: first).count)
        }
        #expect(firsts == [1, 0])
    }

    @Test func withoutAStoreTheFirstIsPostedOncePerLaunch() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .unchanged }, store: nil)
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        #expect(!fixture.config.firstConfigDownloadFinished)
        for _ in 1...2 { try await fixture.config.downloadNewConfig() }
        #expect(fixture.config.firstConfigDownloadFinished)
        fixture.drain()
        #expect(recorder.names == [first, update, update])
    }

    @Test("Simultaneous first downloads of two users post first once")
    func firstDownloadsAtOncePostOneFirst() async throws {
        // Both downloads are being stored before either is active. The wait is bounded because on
        // one core the other download may not run in the meantime.
        let arrived = Locked(0)
        let store = ObservedStore { event in
            guard case .persist = event else { return }
            arrived.withLock { $0 += 1 }
            var turns = 0
            while arrived.withLock({ $0 }) < 2, turns < 200_000 { turns += 1 }
        }
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held }, store: store)
        let config = fixture.config
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        var downloads: [Task<DownloadResult, any Error>] = []
        for number in 1...2 {
            config.currentUserID = "\(number)"
            downloads.append(Task { try await config.downloadNewConfig() })
            try await fixture.downloader.waitForRequests(number)
        }
        for number in 1...2 { fixture.downloader.answer(number, with: .configuration(.make())) }
        for download in downloads { _ = try await download.value }
        fixture.drain()
        #expect(recorder.entries(named: first).count == 1)
        #expect(recorder.entries(named: update).count == 2)
    }

    @Test("`meta` is the active document's if the answer has none")
    func theMetaOfTheActiveDocument() async throws {
        let state = ConfigurationState.make(meta: ["is_bootstrapped_configuration": true])
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.unchanged), store: InMemoryStore(bootstrap: .state(state)))
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(recorder.entries.map(\.meta) == [state.meta, state.meta])
    }

    @Test("Notifications are posted on `listenerQueue`")
    func arePostedOnTheListenerQueue() async throws {
        let key = DispatchSpecificKey<Bool>()
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.make()), .failure(CancellationError())))
        fixture.queue.setSpecific(key: key, value: true)
        let isOnQueue = Locked<[Bool]>([])
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center) { _ in
            let here = DispatchQueue.getSpecific(key: key) == true
            isOnQueue.withLock { $0.append(here) }
        }
        try await fixture.config.downloadNewConfig()
        _ = try? await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(recorder.entries.count == 4)
        #expect(isOnQueue.withLock { $0 } == [true, true, true, true])
    }

    @Test("`listenerQueue` is the main queue by default") @MainActor
    func theListenerQueueIsTheMainQueue() async throws {
        let center = NotificationCenter()
        let config = ActiveConfig(
            configDownloader: ScriptedDownloader(.configuration(.make())),
            notificationCenter: center)
        // Without a run loop, the main queue is not bound to the main thread.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        let isOnMain = Locked<[Bool]>([])
        let recorder = NotificationRecorder(of: config, in: center) { _ in
            let isMain = DispatchQueue.getSpecific(key: key) == true
            isOnMain.withLock { $0.append(isMain) }
        }
        try await config.downloadNewConfig()
        try await recorder.waitForNotifications(3)
        #expect(isOnMain.withLock { $0 } == [true, true, true])
    }

    @Test("`object` is the ActiveConfig")
    func theObjectIsTheActiveConfig() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader(.configuration(.make())))
        let others = NotificationRecorder(of: .make(), in: fixture.center)
        let own = NotificationRecorder(of: fixture.config, in: fixture.center)
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(others.entries.isEmpty)
        #expect(own.entries.count == 3)
    }
}
