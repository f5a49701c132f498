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
                _ = await config.push(to: .generic) { _ in .apply(.versioned(2)) }
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
        _ = await config.push(to: .generic) { _ in .apply(.versioned(2)) }
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
        _ = await config.push(to: .generic) { _ in .apply(.versioned(2)) }
        await config.reload()
        #expect(user["Home"]?.title == "1")
        #expect(config["Home"]?.title == "2")
    }
}
