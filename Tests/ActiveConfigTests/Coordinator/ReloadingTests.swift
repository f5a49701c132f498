import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Documents that another process stores in the same folder; here the other process is another
/// instance.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ReloadingTests {
    private let folder = TemporaryFolder()

    private var store: FileDefaultsStore { FileDefaultsStore(directory: folder.url) }

    private static func document(_ title: String, version: Int) -> ConfigurationState {
        .make(
            meta: ["template_version": .integer(version)],
            sections: ["Home": ["title": .string(title)]],
            entityTag: "\(version)")
    }

    private func persist(_ title: String, version: Int, of userID: String? = nil) throws {
        try store.persistConfiguration(
            Self.document(title, version: version), forUserID: userID)
    }

    @Test func aNewerDocumentBecomesActive() async throws {
        try persist("old", version: 1)
        let fixture = CoordinatorFixture.make(store: store)
        let listener = fixture.listener()
        try persist("new", version: 2)
        #expect(fixture.config["Home"]?.title == "old")

        let changes = await fixture.config.reload()
        #expect(changes.map(\.sectionName) == ["Home"])
        #expect(changes.map(\.reason) == [.reloaded])
        #expect(fixture.config["Home"]?.title == "new")
        #expect(await fixture.config.reload().isEmpty)
        fixture.drain()
        #expect(listener.sections.map { $0?.title } == ["old", "new"])
    }

    @Test(arguments: [true, false])
    func anAnswerThatWasOnItsWayDoesNotReplaceALaterDocument(isModified: Bool) async throws {
        try persist("four", version: 4)
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held }, store: store)
        #expect(fixture.config["Home"]?.title == "four")
        fixture.startDownload()
        try await fixture.downloader.waitForRequests(1)
        try persist("six", version: 6)
        #expect(await fixture.config.reload().map(\.reason) == [.reloaded])
        fixture.downloader.answer(
            1, with: isModified ? .configuration(Self.document("five", version: 5)) : .unchanged)
        try await fixture.downloader.waitForEndedRequests(1)
        await fixture.config.reload()
        #expect(fixture.config["Home"]?.title == "six")
        #expect(store.ownConfiguration(forUserID: nil)?["Home"]?.title == "six")
    }

    /// The answer was on its way while another process stored a later version.
    @Test(arguments: [ActivationPolicy.immediate, .manual])
    func anAnswerDoesNotReplaceALaterVersionOfAnotherProcess(
        policy: ActivationPolicy
    ) async throws {
        for isWaiting in policy == .manual ? [false, true] : [false] {
            let store = InMemoryStore()
            store.persistConfiguration(Self.document("old", version: 1), forUserID: nil)
            var options = ActiveConfigOptions()
            options.activationPolicy = policy
            let fixture = CoordinatorFixture.make(
                ScriptedDownloader { _ in .held }, store: store, options: options)
            let download = Task { try await fixture.config.downloadNewConfig() as DownloadResult }
            try await fixture.downloader.waitForRequests(1)
            let latest = Self.document("latest", version: 3)
            if isWaiting {
                store.persistPendingConfiguration(latest, forUserID: nil)
            } else {
                store.persistConfiguration(latest, forUserID: nil)
            }
            fixture.downloader.answer(1, with: .configuration(Self.document("late", version: 2)))
            _ = try await download.value
            await fixture.config.activate()
            #expect(fixture.config["Home"]?.title == "latest")
            #expect(store.ownConfiguration(forUserID: nil) == latest)
            #expect(store.pendingConfiguration(forUserID: nil) == nil)
        }
    }

    /// A server that was restored from a backup has lower versions.
    @Test(arguments: [ActivationPolicy.immediate, .manual])
    func aServerMayGoBack(policy: ActivationPolicy) async throws {
        var options = ActiveConfigOptions()
        options.activationPolicy = policy
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(
                .configuration(Self.document("later", version: 5)),
                .configuration(Self.document("restored", version: 4))), options: options)
        try await fixture.config.downloadNewConfig()
        try await fixture.config.fetchAndActivate()
        #expect(fixture.config["Home"]?.title == "restored")
    }

    @Test func whatIsOlderOrRemovedChangesNothing() async throws {
        try persist("old", version: 1)
        let document = Self.document("downloaded", version: 3)
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(document)), store: store)
        try await fixture.config.downloadNewConfig()
        try persist("late", version: 2)
        #expect(await fixture.config.reload().isEmpty)
        try store.persistConfiguration(nil, forUserID: nil)
        #expect(await fixture.config.reload().isEmpty)
        #expect(fixture.config["Home"]?.title == "downloaded")
    }

    @Test func aUserWithoutADocumentGetsTheOneThatAnotherProcessHasStored() async throws {
        try persist("generic", version: 1)
        let fixture = CoordinatorFixture.make(store: store)
        fixture.config.currentUserID = "1"
        #expect(fixture.config["Home"]?.title == "generic")
        try persist("own", version: 1, of: "1")
        #expect(await fixture.config.reload().count == 1)
        #expect(fixture.config["Home"]?.title == "own")
    }

    @Test func theUsersInMemoryAreReloadedToo() async throws {
        try persist("old", version: 1, of: "2")
        let fixture = CoordinatorFixture.make(store: store)
        let user = fixture.config.configuration(forUserID: "2")
        #expect(user["Home"]?.title == "old")
        try persist("new", version: 2, of: "2")
        #expect(await fixture.config.reload().isEmpty)
        #expect(user["Home"]?.title == "new")
    }

    @Test func aChangeByTheGenericUserIsReturned() async throws {
        try persist("old", version: 1)
        let fixture = CoordinatorFixture.make(store: store)
        fixture.config.currentUserID = "1"
        #expect(fixture.config["Home"]?.title == "old")
        try persist("new", version: 2)
        let changes = await fixture.config.reload()
        #expect(changes.map(\.sectionName) == ["Home"])
        #expect(changes.map(\.userID) == ["1"] && changes.map(\.reason) == [.reloaded])
        #expect(changes.map { [$0.old?.title, $0.new?.title] } == [["old", "new"]])
        #expect(await fixture.config.reload().isEmpty)
    }

    /// A file that cannot be read for a moment, as on a locked device, looks like a removed one.
    @Test func aRemovalKeepsTheFallbackOfThoseWhoReadIt() async throws {
        try persist("generic", version: 1)
        let fixture = CoordinatorFixture.make(store: store)
        let config = fixture.config
        config.currentUserID = "1"
        let user = config.configuration(forUserID: "2")
        #expect(config["Home"]?.title == "generic" && user["Home"]?.title == "generic")
        try store.persistConfiguration(nil, forUserID: nil)
        #expect(await config.reload().isEmpty)
        #expect(config["Home"]?.title == "generic" && user["Home"]?.title == "generic")
        #expect(config.configuration(forUserID: "3")["Home"]?.title == "generic")
        // The handles still read it.
        config.currentUserID = "4"
        #expect(user["Home"]?.title == "generic")
    }

    @Test func aRemovalKeepsTheFallbackOfTheCurrentUser() async throws {
        try persist("generic", version: 1)
        let config = CoordinatorFixture.make(store: store).config
        config.currentUserID = "1"
        #expect(config["Home"]?.title == "generic")
        try store.persistConfiguration(nil, forUserID: nil)
        #expect(await config.reload().isEmpty)
        #expect(config["Home"]?.title == "generic")
        config.currentUserID = "2"
        #expect(config["Home"] == nil, "nobody else reads it")
    }

    @Test func withoutAStoreTheDownloadStays() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(Self.document("downloaded", version: 1))), store: nil)
        try await fixture.config.downloadNewConfig()
        #expect(await fixture.config.reload().isEmpty)
        #expect(fixture.config["Home"]?.title == "downloaded")
    }

    /// The process's own writes trigger a reload, too.
    @Test func aReloadDoesNotTakeADownloadsDocumentBeforeItsEnd() async throws {
        let config = Locked<ActiveConfig?>(nil)
        let reloads = DispatchGroup()
        let reloaded = Locked<[SectionChange]?>(nil)
        let store = ObservedStore { event in
            guard event == .recordFirstDownloadFinished, let config = config.withLock(\.self)
            else { return }
            // The document is stored, and the download has not ended yet.
            DispatchQueue.global().async(group: reloads) {
                let changes = config.reload()
                reloaded.withLock { $0 = changes }
            }
            while reloaded.withLock({ $0 == nil }), config.users.turns.count(of: .generic) < 2 {
                sched_yield()
            }
        }
        store.base.persistConfiguration(Self.document("old", version: 1), forUserID: nil)
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(Self.document("new", version: 2))), store: store)
        var home = fixture.config.changes(inSection: "Home").makeAsyncIterator()
        #expect(await home.next()?.reason == .restored)
        config.withLock { $0 = fixture.config }
        let result: DownloadResult = try await fixture.config.downloadNewConfig()
        await withCheckedContinuation { done in
            reloads.notify(queue: .global()) { done.resume() }
        }
        #expect(result.changedSectionNames == ["Home"])
        #expect(reloaded.withLock(\.self)?.isEmpty == true)
        #expect(await home.next()?.reason == .downloaded)
        config.withLock { $0 = nil }
    }

    @Test func aReloadNotifiesObserversOfTheActiveVersion() async throws {
        for userID in [nil, "2"] { try persist("old", version: 1, of: userID) }
        let config = CoordinatorFixture.make(store: store).config
        let user = config.configuration(forUserID: "2")
        #expect([user["Home"]?.title, config["Home"]?.title] == ["old", "old"])
        let versions = Locked<[String]>([])
        let observation = config.addObserver(
            ClosureObserver { event in
                guard case .active = event.kind, let document = event.document else { return }
                let version = document.templateVersion ?? 0
                versions.withLock { $0.append("\(event.userID ?? "-") \(version)") }
            })
        for userID in [nil, "2"] { try persist("new", version: 2, of: userID) }
        await config.reload()
        await config.reload()
        observation.cancel()
        #expect(versions.withLock(\.self) == ["- 2", "2 2"])
    }

    @Test func aReloadNamesWhatIsLeftOutOfTheDocument() async throws {
        try persist("old", version: 1)
        let fixture = CoordinatorFixture.make(store: store)
        #expect(fixture.config["Home"]?.title == "old")
        let document = try DocumentText.read(
            DocumentText.make(
                sections: #"{"Home": {"settings": {"title": {"value": "new"}, "columns": null}}}"#))
        try #require(document.problems.count == 1)
        try store.persistConfiguration(document, forUserID: nil)
        await fixture.config.reload()
        #expect(fixture.config["Home"]?.title == "new")
        let warnings = fixture.log.messages(ofLevel: .warning)
        #expect(warnings.count == 1)
    }

    @Test func aDocumentThatWaitsForItsActivationWaitsAfterAReloadToo() async throws {
        try persist("old", version: 1)
        var options = ActiveConfigOptions()
        options.activationPolicy = .manual
        let config = CoordinatorFixture.make(store: store, options: options).config
        #expect(config["Home"]?.title == "old")
        try store.persistPendingConfiguration(Self.document("new", version: 2), forUserID: nil)
        #expect(await config.reload().isEmpty)
        #expect(config["Home"]?.title == "old")
        #expect(config.snapshot.pending?.document.templateVersion == 2)
        #expect(await config.activate().map(\.reason) == [.activated])
        #expect(config["Home"]?.title == "new")
    }

    /// The way this process picks up a document that another one has activated.
    enum Way: CaseIterable {
        case reload, activate, userSwitch

        func take(in config: ActiveConfig) async {
            switch self {
            case .reload: await config.reload()
            case .activate: await config.activate()
            case .userSwitch:
                config.currentUserID = "other"
                config.currentUserID = nil
            }
        }
    }

    private func launch(_ activation: ActivationPolicy) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.activationPolicy = activation
        return CoordinatorFixture.make(store: store, options: options).config
    }

    @Test(arguments: Way.allCases, [true, false])
    func aDocumentThatAnotherProcessActivatesBecomesActive(
        way: Way, isVersioned: Bool
    ) async throws {
        var (old, new) = (Self.document("old", version: 1), Self.document("new", version: 2))
        if !isVersioned { (old.meta, new.meta) = ([:], [:]) }
        try store.persistConfiguration(old, forUserID: nil)
        try store.persistPendingConfiguration(new, forUserID: nil)
        let config = launch(.manual)
        #expect(config["Home"]?.title == "old" && config.snapshot.pending?.document == new)
        #expect(await launch(.manual).activate().count == 1)
        #expect(config["Home"]?.title == "old")
        await way.take(in: config)
        #expect(config["Home"]?.title == "new")
        #expect(config.snapshot.pending?.document == nil)
    }

    @Test(arguments: [true, false])
    func aDocumentThatAnotherProcessActivatesBecomesActiveForHandles(
        isReloaded: Bool
    ) async throws {
        try persist("old", version: 1, of: "2")
        let new = Self.document("new", version: 2)
        try store.persistPendingConfiguration(new, forUserID: "2")
        let config = launch(.manual)
        let user = config.configuration(forUserID: "2")
        #expect(user["Home"]?.title == "old")
        #expect(await launch(.manual).configuration(forUserID: "2").activate().count == 1)
        if isReloaded { await config.reload() } else { await user.activate() }
        #expect(user["Home"]?.title == "new")
    }

    @Test func anActivatedDocumentBecomesActiveBeneathTheNextThatWaits() async throws {
        try persist("one", version: 1)
        try store.persistPendingConfiguration(Self.document("two", version: 2), forUserID: nil)
        let config = launch(.manual)
        #expect(config["Home"]?.title == "one")
        try persist("two", version: 2)
        try store.persistPendingConfiguration(Self.document("three", version: 3), forUserID: nil)
        await config.reload()
        #expect(config["Home"]?.title == "two")
        #expect(config.snapshot.pending?.document.templateVersion == 3)
    }

    /// The store has the previous document; the sections of the removed one stay.
    @Test(arguments: [true, false])
    func aRemovedPendingDocumentKeepsTheSectionsThatAreActive(isRemoved: Bool) async throws {
        try store.persistConfiguration(.titled(["Home": "old", "Kill": "old"]), forUserID: nil)
        try store.persistPendingConfiguration(
            .titled(["Home": "new", "Kill": "new"]), forUserID: nil)
        let config = launch(ActivationPolicy(.manual, sections: ["Kill": .nextLaunch]))
        #expect(config["Kill"]?.title == "new")
        if isRemoved { try store.persistPendingConfiguration(nil, forUserID: nil) }
        await Way.userSwitch.take(in: config)
        #expect(await config.reload().isEmpty)
        #expect([config["Home"]?.title, config["Kill"]?.title] == ["old", "new"])
    }
}
