import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Pending documents and their activation, across launches.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ActivationTests {
    private static func answer(
        _ titles: [String: String], _ tag: String
    ) -> ScriptedDownloader.Answer {
        .configuration(.titled(titles, entityTag: tag))
    }

    private static let first = answer(["Home": "1", "Kill": "off"], "t1")
    private static let second = answer(["Home": "2", "Kill": "on", "New": "2"], "t2")

    private static let stores: [@Sendable (TemporaryFolder) -> any ActiveConfigStore] = [
        { FileDefaultsStore(directory: $0.url) },
        { _ in InMemoryStore() },
    ]

    private func titles(_ config: ActiveConfig) -> [String: String?] {
        config.currentConfiguration.sections.mapValues(\.title)
    }

    @Test func byDefaultADocumentBecomesActiveAtOnce() async throws {
        let launch = UpdatesFixture().launch(ScriptedDownloader(Self.first))
        let outcome = try await launch.config.fetchAndActivate()
        #expect(outcome.outcome == .downloaded && outcome.isActive)
        #expect(outcome.changedSectionNames == ["Home", "Kill"])
        #expect(launch.config.snapshot.pending?.document == nil)
        #expect(await launch.config.activate().isEmpty)
    }

    @Test(arguments: 0..<2)
    func aDocumentWaitsAcrossLaunchesUntilItIsActivated(store: Int) async throws {
        let folder = TemporaryFolder()
        let fixture = UpdatesFixture(Self.stores[store](folder), activation: .manual)
        let launch = fixture.launch(ScriptedDownloader(Self.first, Self.second, .unchanged))
        let result = try await launch.config.downloadNewConfig()
        #expect(!result.configurationIsCurrent && result.changedSectionNames.isEmpty)
        #expect(titles(launch.config).isEmpty)
        #expect(launch.config.pendingChanges.map(\.sectionName) == ["Home", "Kill"])
        let listener = launch.listener()
        #expect(await launch.config.activate().map(\.sectionName) == ["Home", "Kill"])
        launch.drain()
        #expect(listener.sections == [.titled("1")])
        #expect(await launch.config.activate().isEmpty)
        try await launch.config.downloadNewConfig()
        launch.drain()
        #expect(listener.sections == [.titled("1")])
        #expect(launch.config["Home"]?.title == "1")

        let next = fixture.launch(ScriptedDownloader(.unchanged))
        #expect(next.config["Home"]?.title == "1")
        let changes = next.config.pendingChanges
        #expect(changes.map(\.sectionName) == ["Home", "Kill", "New"])
        #expect(changes.map { $0.old?.title } == ["1", "off", nil])
        #expect(changes.map { $0.new?.title } == ["2", "on", "2"])
        #expect(changes.allSatisfy { $0.reason == .activated })
        // The pending document is confirmed and stays pending.
        let confirmed = try await next.config.downloadNewConfig()
        #expect(confirmed.outcome == .notModified && !confirmed.configurationIsCurrent)
        #expect(next.downloader.requests.first?.lastKnown?.entityTag == "t2")
        #expect(next.config.snapshot.pending?.document.entityTag == "t2")
        #expect(await next.config.activate() == changes)
        #expect(titles(next.config) == ["Home": "2", "Kill": "on", "New": "2"])

        let last = fixture.launch(ScriptedDownloader(.unchanged))
        #expect(titles(last.config) == ["Home": "2", "Kill": "on", "New": "2"])
        #expect(last.config.snapshot.pending?.document == nil)
        try await last.config.downloadNewConfig()
        #expect(last.downloader.requests.first?.lastKnown?.entityTag == "t2")
        #expect(last.config.diagnostics.source(of: SettingPath("Home", "title")) == .downloaded)
    }

    @Test func fetchAndActivateReturnsItsOutcome() async throws {
        let fixture = UpdatesFixture(
            fetchPolicy: .make(minimumInterval: .seconds(60)), activation: .manual)
        let launch = fixture.launch(
            ScriptedDownloader(
                Self.first, .unchanged, Self.second,
                .failure(DownloadError(.httpStatus, status: 500))))
        var outcome = try await launch.config.fetchAndActivate()
        #expect(outcome.outcome == .downloaded && outcome.isActive)
        #expect(outcome.changedSectionNames == ["Home", "Kill"])
        outcome = try await launch.config.fetchAndActivate()
        #expect(outcome.outcome == .withinInterval && outcome.isActive)
        #expect(outcome.changedSectionNames.isEmpty)
        fixture.time.advance(by: 60)
        outcome = try await launch.config.fetchAndActivate()
        #expect(outcome.outcome == .notModified && outcome.isActive)
        #expect(outcome.changedSectionNames.isEmpty)
        fixture.time.advance(by: 60)
        try await launch.config.downloadNewConfig()
        // Downloaded earlier and now within the interval: it is activated all the same.
        outcome = try await launch.config.fetchAndActivate()
        #expect(outcome.outcome == .withinInterval && outcome.isActive)
        #expect(outcome.changedSectionNames == ["Home", "Kill", "New"])
        fixture.time.advance(by: 60)
        await #expect(throws: DownloadError.self) {
            try await launch.config.fetchAndActivate()
        }
    }

    /// Only one of them activates the document, but both report it as active.
    @Test func callersWhoJoinAFetchAndActivateGetTheSameOutcome() async throws {
        let fixture = UpdatesFixture(activation: .manual)
        for round in 0..<50 {
            let launch = fixture.launch(
                ScriptedDownloader { _ in Self.answer(["Home": "\(round)"], "t\(round)") })
            async let first = launch.config.fetchAndActivate()
            async let second = launch.config.fetchAndActivate()
            let outcomes = try await [first, second]
            #expect(outcomes.map(\.isActive) == [true, true], "round \(round)")
            #expect(titles(launch.config) == ["Home": "\(round)"])
        }
    }

    /// Downloads and activations end in any order; no document stays pending forever, and no
    /// version goes back.
    @Test(arguments: [true, false])
    func whatWaitsIsActivatedInTheEnd(hasStore: Bool) async throws {
        let fixture = UpdatesFixture(hasStore ? InMemoryStore() : nil, activation: .manual)
        let launch = fixture.launch(
            ScriptedDownloader { request in
                request.number.isMultiple(of: 3)
                    ? .unchanged
                    : .configuration(
                        .make(
                            meta: ["template_version": .integer(request.number)],
                            sections: ["Home": ["title": .string("\(request.number)")]],
                            entityTag: "t\(request.number)"))
            })
        let config = launch.config
        let seen = Locked<[Int]>([])
        let token = config.observe(sectionNamed: "Home") { section in
            seen.withLock { $0.append(section?.title.flatMap { Int($0) } ?? 0) }
        }
        await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<30 {
                        _ = try? await config.downloadNewConfig() as DownloadResult
                        await config.activate()
                    }
                }
            }
        }
        await config.activate()
        launch.drain()
        #expect(config.snapshot.pending?.document == nil)
        let versions = seen.withLock { $0 }
        #expect(versions == versions.sorted() && !versions.isEmpty)
        let newest = launch.downloader.requests.map(\.number).filter { !$0.isMultiple(of: 3) }.max()
        #expect(versions.last == newest)
        token.cancel()
    }

    @Test func aFetchThatFailsActivatesNothing() async throws {
        let launch = UpdatesFixture(activation: .manual).launch(
            ScriptedDownloader(Self.first, .failure(DownloadError(.timedOut))))
        try await launch.config.downloadNewConfig()
        await #expect(throws: DownloadError.self) {
            try await launch.config.fetchAndActivate()
        }
        #expect(titles(launch.config).isEmpty)
        #expect(launch.config.snapshot.pending?.document.entityTag == "t1")
    }

    @Test func aFetchForAnotherUserActivatesNothing() async throws {
        let launch = UpdatesFixture(activation: .manual).launch(ScriptedDownloader { _ in .held })
        launch.config.currentUserID = "A"
        let fetch = Task { try await launch.config.fetchAndActivate() }
        try await launch.downloader.waitForRequests(1)
        launch.config.currentUserID = "B"
        launch.downloader.answer(1, with: Self.first)
        let outcome = try await fetch.value
        #expect(outcome.userID == "A" && !outcome.isActive)
        #expect(outcome.changedSectionNames.isEmpty)
        launch.config.currentUserID = "A"
        #expect(launch.config.snapshot.pending?.document.entityTag == "t1")
        #expect(titles(launch.config).isEmpty)
    }

    @Test func aFetchForAnotherUserIsActiveForItsOwner() async throws {
        let launch = UpdatesFixture().launch(ScriptedDownloader { _ in .held })
        launch.config.currentUserID = "A"
        let fetch = Task { try await launch.config.fetchAndActivate() }
        try await launch.downloader.waitForRequests(1)
        launch.config.currentUserID = "B"
        launch.downloader.answer(1, with: Self.first)
        let result = try await fetch.value
        #expect(result.isActive && !result.configurationIsCurrent)
    }

    @Test(arguments: 0..<2)
    func forTheNextLaunchADocumentBecomesActiveWhenItsUserIsFirstLoaded(store: Int) async throws {
        let folder = TemporaryFolder()
        let fixture = UpdatesFixture(Self.stores[store](folder), activation: .nextLaunch)
        let launch = fixture.launch(ScriptedDownloader(Self.first, Self.second))
        launch.config.currentUserID = "A"
        try await launch.config.downloadNewConfig()
        #expect(titles(launch.config).isEmpty)
        // Loaded again in the same launch.
        launch.config.currentUserID = "B"
        launch.config.currentUserID = "A"
        #expect(titles(launch.config).isEmpty)

        let next = fixture.launch(ScriptedDownloader(Self.second, .unchanged))
        next.config.currentUserID = "A"
        #expect(next.config["Home"]?.title == "1")
        #expect(next.config.snapshot.pending?.document == nil)
        try await next.config.downloadNewConfig()
        #expect(next.downloader.requests.first?.lastKnown?.entityTag == "t1")
        next.config.currentUserID = "B"
        next.config.currentUserID = "A"
        #expect(next.config["Home"]?.title == "1")
        #expect(next.config.pendingChanges.count == 3)

        let last = fixture.launch(ScriptedDownloader(.unchanged))
        last.config.currentUserID = "A"
        #expect(last.config["Home"]?.title == "2")
        try await last.config.downloadNewConfig()
        #expect(last.downloader.requests.first?.lastKnown?.entityTag == "t2")
        #expect(last.config.snapshot.pending?.document == nil)
    }

    @Test func anImmediateSectionDoesNotWaitAndTheOthersStay() async throws {
        let fixture = UpdatesFixture(activation: .manual(except: ["Kill"]))
        let third = Self.answer(["Home": "3"], "t3")
        let launch = fixture.launch(ScriptedDownloader(Self.first, Self.second, third))
        try await launch.config.fetchAndActivate()
        let kill = launch.listener("Kill")
        let home = launch.listener("Home")
        let result = try await launch.config.downloadNewConfig()
        #expect(result.changedSectionNames == ["Kill"] && !result.configurationIsCurrent)
        #expect(titles(launch.config) == ["Home": "1", "Kill": "on"])
        #expect(launch.config.pendingChanges.map(\.sectionName) == ["Home", "New"])
        launch.drain()
        #expect(kill.sections == [.titled("off"), .titled("on")])
        #expect(home.sections == [.titled("1")])
        #expect(launch.config.diagnostics.source(of: SettingPath("Kill", "title")) == .downloaded)

        let next = fixture.launch()
        #expect(titles(next.config) == ["Home": "1", "Kill": "on"])
        #expect(next.config.pendingChanges.map(\.sectionName) == ["Home", "New"])

        try await launch.config.downloadNewConfig()
        #expect(launch.downloader.requests.last?.lastKnown?.entityTag == "t2")
        #expect(titles(launch.config) == ["Home": "1"])
        #expect(await launch.config.activate().map(\.sectionName) == ["Home"])
        #expect(titles(launch.config) == ["Home": "3"])
    }

    @Test func eachSectionHasItsMoment() async throws {
        let fixture = UpdatesFixture(
            activation: ActivationPolicy(.nextLaunch, sections: ["Home": .manual]))
        let launch = fixture.launch(ScriptedDownloader(Self.first, Self.second))
        try await launch.config.fetchAndActivate()
        try await launch.config.downloadNewConfig()
        #expect(titles(launch.config) == ["Home": "1", "Kill": "off"])

        let next = fixture.launch(
            ScriptedDownloader(Self.answer(["Home": "3", "Kill": "x"], "t3")))
        #expect(titles(next.config) == ["Home": "1", "Kill": "on", "New": "2"])
        #expect(next.config.pendingChanges.map(\.sectionName) == ["Home"])
        try await next.config.downloadNewConfig()
        next.config.currentUserID = "B"
        next.config.currentUserID = nil
        #expect(titles(next.config) == ["Home": "1", "Kill": "on", "New": "2"])
        #expect(await next.config.activate().map(\.sectionName) == ["Home", "Kill", "New"])
        #expect(titles(next.config) == ["Home": "3", "Kill": "x"])
    }

    @Test func aDocumentThatEqualsTheActiveOneDoesNotWait() async throws {
        let fixture = UpdatesFixture(activation: .manual)
        let again = Self.answer(["Home": "1", "Kill": "off"], "t3")
        let launch = fixture.launch(ScriptedDownloader(Self.first, Self.second, again, .unchanged))
        try await launch.config.fetchAndActivate()
        try await launch.config.downloadNewConfig()
        #expect(!launch.config.pendingChanges.isEmpty)
        let result = try await launch.config.downloadNewConfig()
        #expect(result.configurationIsCurrent && result.changedSectionNames.isEmpty)
        #expect(launch.config.snapshot.pending?.document == nil)
        #expect(await launch.config.activate().isEmpty)
        try await launch.config.downloadNewConfig()
        #expect(launch.downloader.requests.last?.lastKnown?.entityTag == "t3")
        let next = fixture.launch()
        #expect(next.config["Home"]?.title == "1" && next.config.snapshot.pending?.document == nil)
    }

    @Test func aNewerDocumentOfAnotherProcessIsNotReplacedByAPendingOne() async throws {
        let store = InMemoryStore()
        let fixture = UpdatesFixture(store, activation: .nextLaunch)
        let first = ConfigurationState.titled(["Home": "1"], entityTag: "t1")
        let second = ConfigurationState.titled(["Home": "2"], entityTag: "t2")
        let third = ConfigurationState.titled(["Home": "3"], entityTag: "t3")
        // The state that the other process leaves: its own document and its pending one.
        for (own, pending) in [(third, nil), (second, third), (nil, nil)] {
            store.persistConfiguration(first, forUserID: "A")
            store.persistPendingConfiguration(second, forUserID: "A")
            let config = fixture.launch().config
            // Delays the write that follows the loading.
            config.users.turns.run(of: config.users.table.entry(of: UserID("A"), isKept: false)) {
                _ in
                config.currentUserID = "A"
                #expect(config["Home"]?.title == "2")
                store.persistConfiguration(own, forUserID: "A")
                store.persistPendingConfiguration(pending, forUserID: "A")
            }
            // Also stores the document that loading activated.
            let entry = config.users.table.entry(of: UserID("A"), isKept: false)
            config.users.turns.run(of: entry) { config.users.storeLaunch(in: $0) }
            #expect(store.ownConfiguration(forUserID: "A")?.entityTag == own?.entityTag)
            #expect(store.pendingConfiguration(forUserID: "A")?.entityTag == pending?.entityTag)
        }
    }

    @Test func eachUserHasADocumentOfTheirOwnThatWaits() async throws {
        let fixture = UpdatesFixture(activation: .manual)
        let launch = fixture.launch(
            ScriptedDownloader { request in
                let userID = request.userID ?? "-"
                return Self.answer(["Home": userID], "tag-\(userID)")
            })
        for userID in ["A", "B"] {
            launch.config.currentUserID = userID
            try await launch.config.downloadNewConfig()
        }
        for userID in ["A", "B"] {
            launch.config.currentUserID = userID
            #expect(launch.config.snapshot.pending?.document.entityTag == "tag-\(userID)")
            #expect(titles(launch.config).isEmpty)
        }
        #expect(await launch.config.activate().count == 1)
        #expect(titles(launch.config) == ["Home": "B"])
        launch.config.currentUserID = "A"
        #expect(titles(launch.config).isEmpty)
        #expect(launch.config.snapshot.pending?.document.entityTag == "tag-A")
    }

    @Test(arguments: 0..<2)
    func whoIsForgottenLosesWhatWaits(store: Int) async throws {
        let folder = TemporaryFolder()
        let fixture = UpdatesFixture(Self.stores[store](folder), activation: .manual)
        let launch = fixture.launch(ScriptedDownloader(Self.first, Self.second))
        launch.config.currentUserID = "A"
        try await launch.config.fetchAndActivate()
        try await launch.config.downloadNewConfig()
        try await launch.config.forgetUser("A")
        #expect(
            launch.config.snapshot.pending?.document == nil && launch.config.pendingChanges.isEmpty)
        #expect(await launch.config.activate().isEmpty)
        #expect(launch.config.status.lastDownload == nil)
        let next = fixture.launch()
        next.config.currentUserID = "A"
        #expect(titles(next.config).isEmpty && next.config.snapshot.pending?.document == nil)
        // File names do not reveal users.
        #expect(!folder.fileNames.contains { $0.hasPrefix("user-") })
    }

    /// An app that changed its policy to immediate finds a document that an older version held
    /// back.
    @Test func aPendingDocumentBecomesActiveUnderAnotherPolicy() async throws {
        let store = InMemoryStore()
        let manual = UpdatesFixture(store, activation: .manual)
        let launch = manual.launch(ScriptedDownloader(Self.first, Self.second))
        try await launch.config.fetchAndActivate()
        try await launch.config.downloadNewConfig()
        let immediate = UpdatesFixture(store)
        let next = immediate.launch(ScriptedDownloader(.unchanged))
        #expect(next.config["Home"]?.title == "2")
        try await next.config.downloadNewConfig()
        #expect(next.downloader.requests.first?.lastKnown?.entityTag == "t2")
        #expect(manual.launch().config["Home"]?.title == "2")
    }

    /// A store that keeps no pending document, and no store.
    @Test(arguments: [true, false])
    func withoutAStoreForItADocumentWaitsInMemory(hasStore: Bool) async throws {
        let fixture = UpdatesFixture(hasStore ? ObservedStore() : nil, activation: .manual)
        let launch = fixture.launch(ScriptedDownloader(Self.first, Self.second, .unchanged))
        try await launch.config.fetchAndActivate()
        try await launch.config.downloadNewConfig()
        #expect(launch.config["Home"]?.title == "1")
        try await launch.config.downloadNewConfig()
        #expect(launch.downloader.requests.last?.lastKnown?.entityTag == "t2")
        #expect(await launch.config.activate().count == 3)
        #expect(launch.config["Home"]?.title == "2")
    }

    @Test func anExplanationSaysThatAValueWaits() async throws {
        let launch = UpdatesFixture(activation: .manual).launch(
            ScriptedDownloader(Self.first, Self.second))
        try await launch.config.fetchAndActivate()
        #expect(launch.config.diagnostics.explain(SettingPath("Home", "title")).pending == nil)
        try await launch.config.downloadNewConfig()
        let explanation = launch.config.diagnostics.explain(SettingPath("Home", "title"))
        #expect(explanation.value == "1" && explanation.pending?.value == "2")
        #expect(explanation.description.contains(#"waiting for activation: "2""#))
        #expect(explanation.settingValue["pending"] == "2")
        #expect(launch.config.diagnostics.report().document.isPending)
        #expect(launch.config.diagnostics.report().description.contains("waits for its activation"))
        launch.config.diagnostics.markSecret(SettingPath("Home", "title"))
        #expect(
            launch.config.diagnostics.explain(SettingPath("Home", "title")).pending?.value == nil)
    }

    @Test func theFallbackOfOthersHasTheImmediateSectionsOfTheGenericUser() async throws {
        let launch = UpdatesFixture(activation: .manual(except: ["Kill"])).launch(
            ScriptedDownloader(Self.first, Self.second))
        try await launch.config.fetchAndActivate()
        try await launch.config.downloadNewConfig()
        launch.config.currentUserID = "A"
        #expect(titles(launch.config) == ["Home": "1", "Kill": "on"])
        #expect(launch.config.snapshot.pending?.document == nil)
    }

    /// Readers see the old document or the new one, whichever task activates it.
    @Test func activatingWhileDownloadingNeverLosesTheNewestDocument() async throws {
        let fixture = UpdatesFixture(activation: .manual)
        let count = 40
        let launch = fixture.launch(
            ScriptedDownloader { request in
                let text = "\(request.number)"
                return Self.answer(["Home": text, "Kill": text], text)
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<count { try await launch.config.downloadNewConfig() }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<count {
                        await launch.config.activate()
                        let document = launch.config.currentConfiguration
                        #expect(document["Home"] == document["Kill"])
                        #expect((document["Home"]?.title ?? "") == (document.entityTag ?? ""))
                    }
                }
            }
            try await group.waitForAll()
        }
        await launch.config.activate()
        #expect(launch.config["Home"]?.title == "\(count)")
        #expect(fixture.launch().config["Home"]?.title == "\(count)")
    }
}
