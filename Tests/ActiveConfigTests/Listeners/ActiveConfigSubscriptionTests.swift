import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Observing sections with closures, and the tokens that end the subscription.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ActiveConfigSubscriptionTests {
    private let fixture = CoordinatorFixture.make(
        ScriptedDownloader { .configuration(.titled(["Other": "\($0.number)"])) },
        store: InMemoryStore(bootstrap: .state(.titled(["Home": "0"]))))

    /// Observes "Home" and records the titles.
    private func listen() -> (token: ActiveConfigSubscription, titles: Locked<[String?]>) {
        let titles = Locked<[String?]>([])
        let token = fixture.config.observe(sectionNamed: "Home") { section in
            titles.withLock { $0.append(section?.title) }
        }
        return (token, titles)
    }

    @Test func aClosureReceivesTheSameAsAListener() async throws {
        let (token, titles) = listen()
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(titles.withLock { $0 } == ["0", nil])
        withExtendedLifetime(token) {}
    }

    @Test("On the listener queue, nothing is delivered after `cancel()` has returned")
    func cancelEndsTheListening() async throws {
        let (token, titles) = fixture.queue.sync {
            let listening = listen()
            listening.token.cancel()
            return listening
        }
        token.cancel()
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(titles.withLock { $0 }.isEmpty)
    }

    @Test("Releasing the token ends the subscription and releases the closure")
    func releasingTheTokenEndsTheListening() async throws {
        final class Held: Sendable {}
        weak var weakHeld: Held?
        var token: ActiveConfigSubscription?
        do {
            let held = Held()
            weakHeld = held
            token = fixture.config.observe(sectionNamed: "Home") { _ in _ = held }
        }
        fixture.drain()
        #expect(weakHeld != nil)
        withExtendedLifetime(token) {}
        token = nil
        fixture.drain()
        #expect(weakHeld == nil)
    }

    @Test("Cancelling a token releases the closure, even if the token is retained")
    func cancelReleasesTheClosure() async throws {
        final class Held: Sendable {}
        weak var weakHeld: Held?
        let token: ActiveConfigSubscription
        do {
            let held = Held()
            weakHeld = held
            token = fixture.config.observe(sectionNamed: "Home") { _ in _ = held }
        }
        // A queued delivery does not retain the closure either.
        fixture.queue.sync {
            fixture.config.currentUserID = "1"
            token.cancel()
            #expect(weakHeld == nil)
        }
        withExtendedLifetime(token) {}
    }

    @Test("Cancelling on the main actor releases the closure, even during a queued delivery")
    @MainActor
    func cancelReleasesTheClosureOfTheMainActor() async throws {
        final class Held: Sendable {}
        weak var weakHeld: Held?
        let token: ActiveConfigSubscription
        do {
            let held = Held()
            weakHeld = held
            token = fixture.config.observeOnMainActor(sectionNamed: "Home") { _ in _ = held }
        }
        fixture.drain()
        token.cancel()
        #expect(weakHeld == nil)
        await drainMainQueue()
    }

    @Test("A closure that cancels its token while it is called is released after the call")
    func cancelsItselfWhileItIsCalled() async throws {
        let token = Locked<ActiveConfigSubscription?>(nil)
        let calls = Locked(0)
        fixture.queue.suspend()
        let made = fixture.config.observe(sectionNamed: "Home") { _ in
            calls.withLock { $0 += 1 }
            let own = token.withLock { token in
                defer { token = nil }
                return token
            }
            own?.cancel()
        }
        token.withLock { $0 = made }
        fixture.config.currentUserID = "1"
        fixture.queue.resume()
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func aTokenKeepsNoCoordinatorAlive() {
        var config: ActiveConfig? = .make(configuration: .make())
        weak let weakConfig = config
        let queue = DispatchQueue(label: "listeners")
        config = .make(configuration: .make(), listenerQueue: queue)
        let token = config?.observe(sectionNamed: "Home") { _ in }
        weak let second = config
        config = nil
        queue.sync {}
        #expect(weakConfig == nil)
        #expect(second == nil)
        token?.cancel()
    }

    /// Typical view model of an app.
    @MainActor
    private final class Model {
        var titles: [String?] = []
        private var token: ActiveConfigSubscription?

        init(_ config: ActiveConfig) {
            token = config.observeOnMainActor(sectionNamed: "Home") { [weak self] section in
                self?.titles.append(section?.title)
            }
        }

        func stop() { token?.cancel() }
    }

    /// Waits until everything that is on the main queue now has run.
    private func drainMainQueue() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }

    @Test(
        "A main-actor class can observe without boilerplate, whatever the listener queue is",
        arguments: [false, true])
    @MainActor
    func aClassOfTheMainActorListens(onMainQueue: Bool) async throws {
        let queue = onMainQueue ? DispatchQueue.main : fixture.queue
        let config = ActiveConfig.make(
            downloader: fixture.downloader,
            store: InMemoryStore(bootstrap: .state(.titled(["Home": "0"]))), listenerQueue: queue)
        let model = Model(config)
        try await config.downloadNewConfig()
        if !onMainQueue { fixture.drain() }
        await drainMainQueue()
        #expect(model.titles == ["0", nil])
    }

    @Test(
        "On the main actor, nothing is delivered after `cancel()` has returned",
        arguments: [false, true])
    @MainActor
    func cancelEndsTheListeningOfTheMainActor(onMainQueue: Bool) async throws {
        let queue = onMainQueue ? DispatchQueue.main : fixture.queue
        let config = ActiveConfig.make(
            configuration: .titled(["Home": "0"]), listenerQueue: queue)
        let model = Model(config)
        #expect(model.titles == ["0"])
        config.overrides.set("1", for: SettingPath("Home", "title"))
        // The delivery is already on the main queue, and runs after this function.
        if !onMainQueue { fixture.drain() }
        model.stop()
        await drainMainQueue()
        #expect(model.titles == ["0"])
    }
}
