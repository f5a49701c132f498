import ActiveConfigTesting
import Testing

@testable import ActiveConfig

/// Storing of downloads, and the stored configurations on which requests are conditional.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PersistingTests {
    private struct DiskFull: Error {}

    @Test("A change of `meta` alone is stored too")
    func storesAChangeOfMetaAlone() async throws {
        var second = ConfigurationState.make()
        second.meta["template_version"] = 2
        let store = ObservedStore()
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.make()), .configuration(second)), store: store)
        let listener = fixture.listener()
        try await fixture.config.downloadNewConfig()
        #expect(try await fixture.config.downloadNewConfig().changedSectionNames.isEmpty)
        #expect(store.persisted == [.make(), second])
        #expect(fixture.config.currentConfigurationMetaDictionary == second.meta)
        fixture.drain()
        #expect(listener.sections == [.make()])
    }

    @Test func theCoordinatorStoresAChangeOfTheEntityTagAlone() async throws {
        let store = ObservedStore()
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(.make(entityTag: "\"1\"")),
                .configuration(.make(entityTag: "\"2\"")),
                .configuration(.make(entityTag: "\"2\""))), store: store)
        for _ in 1...3 { try await fixture.config.downloadNewConfig() }
        #expect(store.persisted.map { $0?.entityTag } == ["\"1\"", "\"2\""])
    }

    @Test("A download that equals a fallback is stored as the user's own")
    func storesWhatEqualsAFallback() async throws {
        let store = ObservedStore(InMemoryStore(bootstrap: .state(.make())))
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { _ in .configuration(.make()) }, store: store)
        fixture.config.currentUserID = "1"
        try await fixture.config.downloadNewConfig()
        #expect(store.persisted == [.make()])
        try await fixture.config.downloadNewConfig()
        #expect(store.persisted.count == 1)
        #expect(store.base.ownConfiguration(forUserID: "1") == .make())
    }

    /// A fallback (generic or bootstrap) is never presented as the user's own.
    ///
    /// A request sends neither its entity tag nor its version.
    @Test
    func aFallbackLendsNothing() async throws {
        let store = InMemoryStore(bootstrap: .state(.make(entityTag: "\"bootstrap\"")))
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .unchanged }, store: store)
        let config = fixture.config
        config.currentUserID = "1"
        try await config.downloadNewConfig()
        store.persistConfiguration(.make(entityTag: "\"generic\""), forUserID: nil)
        config.currentUserID = "2"
        try await config.downloadNewConfig()
        store.persistConfiguration(.make(entityTag: "\"own\""), forUserID: "2")
        try await config.downloadNewConfig()
        config.currentUserID = nil
        try await config.downloadNewConfig()
        #expect(
            fixture.downloader.requests.map(\.lastKnown?.entityTag)
                == [nil, nil, "\"own\"", "\"generic\""])
        #expect(
            fixture.downloader.requests.map { $0.lastKnown == nil } == [true, true, false, false])
    }

    @Test func aBootstrapLosesItsEntityTag() {
        let bootstrap = BootstrapConfiguration.state(.make(entityTag: "\"bootstrap\""))
        #expect(bootstrap.state(log: .disabled) == .make())
        #expect(bootstrap.state(log: .disabled)?.entityTag == nil)
    }

    @Test func withoutAStoreARequestIsConditionalOnWhatWasDownloaded() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { request in
                request.lastKnown == nil
                    ? .configuration(.make(entityTag: "\"\(request.userID ?? "")\"")) : .unchanged
            }, store: nil)
        let config = fixture.config
        config.currentUserID = "A"
        try await config.downloadNewConfig()
        try await config.downloadNewConfig()
        config.currentUserID = "B"
        try await config.downloadNewConfig()
        // The end of a download holds its user a little longer than its callers wait.
        // deadline: only the test's time limit ends it
        while config.users.table.epoch(of: UserID("A")) != nil { await Task.yield() }
        config.currentUserID = "A"
        try await config.downloadNewConfig()
        #expect(
            fixture.downloader.requests.map(\.lastKnown?.entityTag) == [nil, "\"A\"", nil, nil])
        #expect(config["Home"] == .make())
    }

    @Test(
        "A configuration that cannot be stored becomes active and is logged; nothing is thrown")
    func aStoreThatCannotKeep() async throws {
        let store = ObservedStore { event in
            switch event {
            case .persist, .recordFirstDownloadFinished: throw DiskFull()
            default: break
            }
        }
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(.titled(["Home": "\($0.number)"])) }, store: store)
        let listener = fixture.listener()
        let result = try await fixture.config.downloadNewConfig()
        #expect(result.configurationIsCurrent && result.changedSectionNames == ["Home"])
        #expect(fixture.config["Home"]?.title == "1")
        #expect(fixture.config.firstConfigDownloadFinished)
        fixture.drain()
        #expect(listener.sections == [.titled("1")])
        let errors = fixture.log.messages(ofLevel: .error)
        #expect(errors.count == 2)
        #expect(errors.allSatisfy { $0.contains("DiskFull") })
        // The next download tries to store it again.
        try await fixture.config.downloadNewConfig()
        #expect(store.persisted.count == 2)
    }

    @Test("A configuration is stored completely before it can be read")
    func storesBeforeActivating() async throws {
        let seen = Locked<[ActiveConfigSection?]>([])
        let config = Locked<ActiveConfig?>(nil)
        let store = ObservedStore { event in
            guard case .persist = event else { return }
            let section = config.withLock { $0 }?["Home"]
            seen.withLock { $0.append(section) }
        }
        let new = ConfigurationState.titled(["Home": "new", "Other": "new"])
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(new)), store: store)
        config.withLock { $0 = fixture.config }
        try await fixture.config.downloadNewConfig()
        #expect(seen.withLock { $0 } == [nil])
        #expect(store.persisted == [new])
        config.withLock { $0 = nil }
    }

    @Test("Integers are 64 bits")
    func integersAre64Bits() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(
                    .make(sections: ["Home": ["id": .integer(.max), "low": .integer(.min)]]))))
        try await fixture.config.downloadNewConfig()
        #expect(fixture.config["Home"]?.integer(forKey: "id") == Int.max)
        #expect(fixture.config["Home"]?.integer(forKey: "low") == Int.min)
    }
}
