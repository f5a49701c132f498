import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// App-defined stores that implement the fallback themselves and keep no records.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct OwnStoreTests {
    private let store = ObservedStore()

    private func launch(
        _ activation: ActivationPolicy = .immediate, _ answers: ScriptedDownloader.Answer...
    ) -> CoordinatorFixture {
        var options = ActiveConfigOptions()
        options.activationPolicy = activation
        let downloader = ScriptedDownloader { answers[min($0.number, answers.count) - 1] }
        return .make(downloader, store: store, options: options)
    }

    /// The generic user's document changes between the read of the fallback and its use.
    @Test func aForgottenUserGetsTheNewFallback() async throws {
        try store.persistConfiguration(.versioned(1), forUserID: nil)
        let config = launch(.immediate, .configuration(.versioned(7))).config
        #expect(config["Home"]?.title == "1")
        let user = config.configuration(forUserID: "b")
        try await user.download()
        #expect(user["Home"]?.title == "7")
        let pushed = DispatchSemaphore(value: 0)
        store.afterNextRead {
            Task {
                _ = await config.downloads.push(to: .generic) { _ in .apply(.versioned(2)) }
                pushed.signal()
            }
            pushed.wait()
        }
        try await config.forgetUser("b")
        #expect(config["Home"]?.title == "2" && user["Home"]?.title == "2")
    }

    @Test func aPendingDocumentInMemoryDoesNotReplaceALaterVersion() async throws {
        try store.persistConfiguration(.versioned(1), forUserID: "b")
        let config = launch(.manual(except: ["Kill"]), .configuration(.versioned(2))).config
        config.currentUserID = "b"
        try await config.downloadNewConfig()
        #expect(config["Kill"]?.title == "2" && config["Home"]?.title == "1")
        // As another process would.
        try store.persistConfiguration(.versioned(5), forUserID: "b")
        await config.reload()
        #expect(config["Home"]?.title == "5" && config["Kill"]?.title == "5")
        await config.activate()
        #expect(config["Home"]?.title == "5")
        #expect(store.base.ownConfiguration(forUserID: "b")?.templateVersion == 5)
    }

    @Test func aDocumentThatAnotherProcessActivatedIsActivatedHere() async throws {
        let here = launch(.manual, .configuration(.versioned(1)), .unchanged)
        here.config.currentUserID = "b"
        _ = try await here.config.fetchAndActivate()
        #expect(here.config["Home"]?.title == "1")
        let there = launch(.manual, .configuration(.versioned(2)))
        there.config.currentUserID = "b"
        _ = try await there.config.fetchAndActivate()
        for _ in 0..<3 {
            let outcome = try await here.config.fetchAndActivate()
            #expect(here.downloader.requests.last?.lastKnown?.entityTag == "\"2\"")
            #expect(outcome.isActive)
        }
        #expect(here.config["Home"]?.title == "2")
        #expect(here.config.snapshot.pending?.document == nil)
    }

    private func launch(vetting rule: VettingRule, _ store: ObservedStore) -> ActiveConfig {
        var options = ActiveConfigOptions()
        options.vetting = [rule]
        return CoordinatorFixture.make(ScriptedDownloader(), store: store, options: options).config
    }

    /// The store returns the generic user's document for a user for whom the rule would accept it.
    @Test(arguments: [true, false])
    func aGenericDocumentThatIsRefusedIsNoFallback(isIgnored: Bool) throws {
        try store.persistConfiguration(.versioned(1), forUserID: nil)
        let refusal = ConfigurationRefusal("It is the generic user's.")
        let rule = VettingRule { candidate in
            guard candidate.userID == nil else { return .accept }
            return isIgnored ? .ignore(refusal) : .refuse(refusal)
        }
        let config = launch(vetting: rule, store)
        #expect(config.configuration(forUserID: "b")["Home"] == nil)
        #expect(RefusalRecorder(config).refusals.count == 1)
    }

    /// The rule would accept the user's own document if it were the generic user's.
    @Test(arguments: [true, false])
    func aRefusedOwnDocumentIsNotAskedForAsAFallback(isIgnored: Bool) throws {
        try store.persistConfiguration(.versioned(1), forUserID: nil)
        try store.persistConfiguration(.versioned(2), forUserID: "b")
        let refusal = ConfigurationRefusal("It is the user's.")
        let rule = VettingRule { candidate in
            guard candidate.userID == "b" else { return .accept }
            return isIgnored ? .ignore(refusal) : .refuse(refusal)
        }
        let user = launch(vetting: rule, store).configuration(forUserID: "b")
        #expect(user["Home"]?.title == "1")
        #expect(user.currentConfiguration.templateVersion == 1)
    }

    @Test func anOwnDocumentIsNotReplacedByAFallbackThatIsUnstored() async throws {
        struct Full: Error {}
        let isFull = Locked(false)
        let store = ObservedStore { event in
            if case .persist = event, isFull.withLock(\.self) { throw Full() }
        }
        for userID in [nil, "b"] {
            try store.persistConfiguration(.versioned(1), forUserID: userID)
        }
        isFull.withLock { $0 = true }
        let config = CoordinatorFixture.make(ScriptedDownloader(), store: store).config
        _ = await config.downloads.push(to: .generic) { _ in .apply(.versioned(2)) }
        #expect(config.configuration(forUserID: "b")["Home"]?.title == "1")
        #expect(config.configuration(forUserID: "c")["Home"]?.title == "2")
    }

    /// A user's own document that equals the generic user's is not a fallback.
    @Test func anOwnDocumentThatEqualsTheGenericUsersStays() async throws {
        for userID in [nil, "b"] {
            try store.persistConfiguration(.versioned(1), forUserID: userID)
        }
        let config = launch().config
        let user = config.configuration(forUserID: "b")
        #expect(user["Home"]?.title == "1")
        _ = await config.downloads.push(to: .generic) { _ in .apply(.versioned(2)) }
        await config.reload()
        #expect(user["Home"]?.title == "1")
        #expect(config["Home"]?.title == "2")
    }

    /// A way to the user "b", who has no document.
    enum Reader: CaseIterable, Sendable {
        case switching, handle, heldHandle
    }

    /// What "b" reads of the section "Kill" after `change`, before which a held handle reads it.
    private func kill(
        _ reader: Reader, in config: ActiveConfig, after change: () async throws -> Void
    ) async rethrows -> String? {
        let held = reader == .heldHandle ? config.configuration(forUserID: "b") : nil
        _ = held?["Kill"]
        try await change()
        if let held { return held["Kill"]?.title }
        if reader == .handle { return config.configuration(forUserID: "b")["Kill"]?.title }
        config.currentUserID = "b"
        return config["Kill"]?.title
    }

    @Test(arguments: Reader.allCases)
    func sectionsThatNeedNotWaitReachThoseWhoFollow(reader: Reader) async throws {
        try store.persistConfiguration(.versioned(1), forUserID: nil)
        let config = launch(.manual(except: ["Kill"]), .configuration(.versioned(2))).config
        let title = try await kill(reader, in: config) { try await config.downloadNewConfig() }
        #expect(title == "2")
        #expect(config.configuration(forUserID: "b")["Home"]?.title == "1")
    }

    /// The store cannot take what the launch has activated.
    @Test(arguments: Reader.allCases)
    func theDocumentOfALaunchReachesThoseWhoFollow(reader: Reader) async throws {
        struct Full: Error {}
        let store = RecordingOpaqueStore()
        store.base.persistConfiguration(.versioned(1), forUserID: nil)
        store.base.persistPendingConfiguration(.versioned(2), forUserID: nil)
        store.isFull.withLock { $0 = true }
        var options = ActiveConfigOptions()
        options.activationPolicy = .nextLaunch
        let config = CoordinatorFixture.make(
            ScriptedDownloader(), store: store, options: options
        ).config
        let title = await kill(reader, in: config) { #expect(config["Kill"]?.title == "2") }
        #expect(title == "2")
    }

    @Test(arguments: [true, false])
    func aSwitchToTheGenericUserReachesThoseWhoFollow(isLoaded: Bool) throws {
        try store.persistConfiguration(.versioned(1), forUserID: nil)
        let config = launch().config
        if isLoaded { _ = config["Kill"] }
        config.currentUserID = "a"
        let user = config.configuration(forUserID: "b")
        #expect(config["Kill"]?.title == "1" && user["Kill"]?.title == "1")
        let isTold = DispatchSemaphore(value: 0)
        let token = user.observe(sectionNamed: "Kill") { section in
            if section?.title == "2" { isTold.signal() }
        }
        // As another process would.
        try store.persistConfiguration(.versioned(2), forUserID: nil)
        config.currentUserID = nil
        #expect(config["Kill"]?.title == "2")
        isTold.wait()
        #expect(user["Kill"]?.title == "2")
        token.cancel()
    }

    @Test func aConfirmedVersionReachesThoseWhoFollow() async throws {
        try store.persistConfiguration(.versioned(1), forUserID: nil)
        let config = launch().config
        let user = config.configuration(forUserID: "b")
        #expect(user.currentConfiguration.templateVersion == 1)
        var answer = ConfigurationState.versioned(1)
        answer.original = .confirmation(
            headerFields: ["ActiveConfig-Version": "2"], entityTag: "\"1\"")
        answer.confirmedVersion = 2
        await config.downloads.confirm(by: answer, asked: .versioned(1), of: .generic)
        #expect(config.currentConfiguration.templateVersion == 2)
        #expect(user.currentConfiguration.templateVersion == 2)
    }

    /// The store gives members of a group the group's document, with the generic user's version.
    @Test func aStoreIsAskedAgainForItsChoice() async throws {
        let store = ChoosingStore()
        store.base.persistConfiguration(.versioned(1), forUserID: nil)
        let config = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(.versioned(2))), store: store
        ).config
        let user = config.configuration(forUserID: "group:b")
        #expect(user["Home"]?.title == "group 1")
        try await config.downloadNewConfig()
        #expect(user["Home"]?.title == "group 2")
        try await config.forgetGenericUser()
        #expect(user["Home"]?.title == "group none")
    }

    /// A choice that was read before the generic user changed is read again.
    @Test func aChoiceThatIsOutdatedWhenItIsReadIsReadAgain() async throws {
        let store = ChoosingStore()
        store.base.persistConfiguration(.versioned(1), forUserID: nil)
        let config = CoordinatorFixture.make(ScriptedDownloader(), store: store).config
        let user = config.configuration(forUserID: "group:b")
        let heard = Locked<[String?]>([])
        let token = user.observe(sectionNamed: "Home") { section in
            heard.withLock { $0.append(section?.title) }
        }
        #expect(user["Home"]?.title == "group 1")
        store.base.persistConfiguration(.versioned(5), forUserID: nil)
        store.afterNextChoice {
            store.base.persistConfiguration(.versioned(7), forUserID: nil)
            let isActive = DispatchSemaphore(value: 0)
            let listener = config.observe(sectionNamed: "Home") { section in
                if section?.title == "7" { isActive.signal() }
            }
            Task { _ = await config.downloads.push(to: .generic) { _ in .apply(.versioned(7)) } }
            isActive.wait()
            listener.cancel()
        }
        await config.reload()
        #expect(user["Home"]?.title == "group 7")
        config.listenerQueue.sync {}
        #expect(heard.withLock { $0 } == ["group 1", "group 7"])
        token.cancel()
    }
}

/// A store with records that implements the fallback itself, and can be full.
private final class RecordingOpaqueStore: ActiveConfigStore {
    struct Full: Error {}
    let base = InMemoryStore()
    let isFull = Locked(false)

    private func write<Result>(_ body: () throws -> Result) throws -> Result {
        if isFull.withLock({ $0 }) { throw Full() }
        return try body()
    }

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        base.lastKnownActiveConfiguration(forUserID: userID)
    }

    func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        base.ownConfiguration(forUserID: userID)
    }

    func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        try write { base.persistConfiguration(configuration, forUserID: userID) }
    }

    func record(_ record: StoreRecord) throws -> Data? { base.record(record) }

    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
        try write { base.updateRecord(record, change) }
    }
}

/// A store that gives each user of a group a document that it makes of the generic user's.
private final class ChoosingStore: ActiveConfigStore {
    let base = InMemoryStore()
    private let next = Locked<(@Sendable () -> Void)?>(nil)

    /// Runs `body` between the next choice and its return.
    func afterNextChoice(_ body: @escaping @Sendable () -> Void) { next.withLock { $0 = body } }

    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        let found = base.lastKnownActiveConfiguration(forUserID: userID)
        guard userID?.hasPrefix("group:") == true else { return found }
        let version = found?["Home"]?.title ?? "none"
        next.withLock { body in
            defer { body = nil }
            return body
        }?()
        return .titled(["Home": "group \(version)"])
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
