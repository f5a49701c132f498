import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Deliveries to registered listeners: content, order and queue.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ActiveConfigListenerTests {
    /// Coordinator that starts with `titles`, and whose n-th download returns the n-th of `next`.
    private func make(
        _ titles: [String: String] = ["Home": "0"], then next: [String: String]...
    ) -> CoordinatorFixture {
        .make(
            ScriptedDownloader { .configuration(.titled(next[$0.number - 1])) },
            store: InMemoryStore(bootstrap: .state(.titled(titles))))
    }

    @Test("`registerListener` delivers the current section immediately, if there is one")
    func deliversTheCurrentSection() {
        let fixture = make()
        let listener = fixture.listener()
        fixture.config.registerListener(listener, forSectionName: "Nowhere")
        fixture.drain()
        #expect(listener.deliveries == [.init("Home", .titled("0"))])
    }

    @Test(
        "A listener receives each change of its section once, and nil once when it is removed")
    func receivesEachChangeOnce() async throws {
        let fixture = make(
            then: ["Home": "1"], ["Home": "1", "Other": "1"], ["Other": "2"], ["Other": "3"],
            ["Home": "1"])
        let listener = fixture.listener()
        for _ in 1...5 {
            try await fixture.config.downloadNewConfig()
        }
        fixture.drain()
        #expect(listener.sections.map { $0?.title } == ["0", "1", nil, "1"])
    }

    @Test("Equal values in another document are not a change")
    func sameValuesAreNoChange() async throws {
        let text = #"""
            {"config_sections": {"Home": {"note": 1, "settings": {"title": {"value": "0", "x": []}}}},
             "meta": {"creation_time": "now"}}
            """#
        let other = try ConfigurationState(jsonData: Data(text.utf8))
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader(.configuration(other)),
            store: InMemoryStore(bootstrap: .state(.titled(["Home": "0"]))))
        let listener = fixture.listener()
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [.titled("0")])
        #expect(fixture.config.currentConfiguration.creationTime == "now")
    }

    @Test("Listeners are held weakly")
    func areHeldWeakly() async throws {
        let fixture = make(then: ["Home": "1"])
        let count = Locked(0)
        weak var weakListener: RecordingListener?
        do {
            let listener = fixture.listener { _, _ in count.withLock { $0 += 1 } }
            weakListener = listener
            fixture.drain()
            withExtendedLifetime(listener) {}
        }
        // A delivery that is running on the queue may retain it for a moment.
        fixture.drain()
        #expect(weakListener == nil)
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A queued delivery does not keep its listener alive")
    func aQueuedDeliveryHoldsNoListener() {
        let fixture = make()
        weak var weakListener: RecordingListener?
        fixture.queue.sync {
            let listener = fixture.listener()
            weakListener = listener
        }
        fixture.drain()
        #expect(weakListener == nil)
    }

    @Test("Listeners are called on `listenerQueue`")
    func areCalledOnTheListenerQueue() async throws {
        let fixture = make(then: ["Home": "1"])
        let key = DispatchSpecificKey<Bool>()
        fixture.queue.setSpecific(key: key, value: true)
        let isOnQueue = Locked<[Bool]>([])
        let listener = fixture.listener { _, _ in
            let here = DispatchQueue.getSpecific(key: key) == true
            isOnQueue.withLock { $0.append(here) }
        }
        try await fixture.config.downloadNewConfig()
        fixture.config.currentUserID = "1"
        fixture.drain()
        #expect(listener.deliveries.count == 2)
        #expect(isOnQueue.withLock { $0 } == [true, true])
    }

    @Test(
        "When the setter or the async download returns, its deliveries are on `listenerQueue`")
    func whatIsDueIsOnTheQueue() async throws {
        let fixture = make(["Home": "0"], then: ["Home": "1"])
        let store = try #require(fixture.config.configStore)
        try store.persistConfiguration(.titled(["Home": "user"]), forUserID: "1")
        let listener = fixture.listener()
        fixture.queue.sync { #expect(listener.sections.count == 1) }
        try await fixture.config.downloadNewConfig()
        fixture.queue.sync { #expect(listener.sections.last == .titled("1")) }
        fixture.config.currentUserID = "1"
        fixture.queue.sync { #expect(listener.sections.last == .titled("user")) }
        #expect(listener.sections.count == 3)
    }

    @Test("Listeners are called in the order of the changes, also under contention")
    func areCalledInTheOrderOfTheChanges() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader {
                .configuration(.make(sections: ["Home": ["number": .integer($0.number)]]))
            })
        let config = fixture.config
        let listener = fixture.listener()
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 { try await config.downloadNewConfig() }
                }
            }
            try await group.waitForAll()
        }
        fixture.drain()
        let numbers = listener.sections.compactMap { $0?.integer(forKey: "number") }
        #expect(numbers == Array(1...fixture.downloader.requests.count))
    }

    @Test(
        "A listener that registers during changes receives each later state, in order")
    func registeringUnderContentionMissesNothing() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader {
                .configuration(.make(sections: ["Home": ["number": .integer($0.number)]]))
            })
        let config = fixture.config
        let listeners = Locked<[RecordingListener]>([])
        try await withThrowingTaskGroup { group in
            group.addTask {
                for _ in 0..<1_000 { try await config.downloadNewConfig() }
            }
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        let listener = fixture.listener()
                        listeners.withLock { $0.append(listener) }
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        fixture.drain()
        for listener in listeners.withLock({ $0 }) {
            let numbers = listener.sections.compactMap { $0?.integer(forKey: "number") }
            let first = try #require(numbers.first)
            #expect(numbers == Array(first...1_000))
        }
    }

    @Test("No lock is held while a listener is called: it may make any call")
    func mayMakeAnyCall() async throws {
        let fixture = make(["Home": "0", "Other": "0"], then: ["Home": "1"], ["Home": "2"])
        let other = RecordingListener()
        let isDone = Locked(false)
        let tokens = Locked<[ActiveConfigSubscription]>([])
        let listener = fixture.listener { config, _ in
            let isFirst = isDone.withLock { isDone in
                defer { isDone = true }
                return !isDone
            }
            guard isFirst else { return }
            #expect(config["Home"]?.title == "0")
            #expect(config.currentConfiguration.sections.count == 2)
            #expect(!config.firstConfigDownloadFinished)
            config.registerListener(other, forSectionName: "Other")
            config.removeListener(other, forSectionName: "Nowhere")
            let token = config.observe(sectionNamed: "Home") { _ in _ = config.currentUserID }
            tokens.withLock { $0.append(token) }
            config.currentUserID = "1"
            #expect(config.currentUserID == "1")
            config.downloadNewConfig()
        }
        let deliveries = try await listener.waitForDeliveries(2)
        #expect(deliveries.map { $0.section?.title } == ["0", "1"])
        try await other.waitForDeliveries(2)
        #expect(other.sections == [.titled("0"), nil])
        // An observer of a notification may also make any call.
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center) {
            [config = fixture.config] entry in
            guard entry.sectionName == "Home" else { return }
            config.currentUserID = nil
            config.registerListener(other, forSectionName: "Home")
        }
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        fixture.drain()
        #expect(recorder.entries.count >= 2)
        #expect(fixture.config.currentUserID == nil)
        #expect(other.sections.last == .titled("0"))
        withExtendedLifetime(listener) {}
    }
}
