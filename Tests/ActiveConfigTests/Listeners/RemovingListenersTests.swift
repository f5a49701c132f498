import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// A listener is never called after `removeListener` has returned on its queue.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RemovingListenersTests {
    /// Listener that removes itself in its `deinit`.
    private final class Leaving: ActiveConfigListener {
        private let config: ActiveConfig

        init(_ config: ActiveConfig) {
            self.config = config
            config.registerListener(self, forSectionName: "Home")
        }

        deinit { config.removeListener(self, forSectionName: "Home") }

        func activeConfig(
            _ activeConfig: ActiveConfig, didReceiveConfigSection section: ActiveConfigSection?,
            forSectionName sectionName: String
        ) {}
    }

    private let fixture = CoordinatorFixture.make(
        ScriptedDownloader { .configuration(.titled(["Home": "\($0.number)"])) },
        store: InMemoryStore(bootstrap: .state(.titled(["Home": "0", "Other": "0"]))))

    @Test("Nothing is delivered after `removeListener` has returned on the queue")
    func deliversNothingAfterRemoval() {
        let listener = RecordingListener()
        fixture.queue.sync {
            fixture.config.registerListener(listener, forSectionName: "Home")
            fixture.config.removeListener(listener, forSectionName: "Home")
        }
        fixture.drain()
        #expect(listener.deliveries.isEmpty)
    }

    @Test("Nothing is delivered after removal, even for earlier registrations of the listener")
    func deliversNothingAfterRemovalOfARepeatedRegistration() {
        let listener = RecordingListener()
        fixture.queue.sync {
            fixture.config.registerListener(listener, forSectionName: "Home")
            fixture.config.registerListener(listener, forSectionName: "Home")
            fixture.config.currentUserID = "1"
            fixture.config.registerListener(listener, forSectionName: "Home")
            fixture.config.removeListener(listener, forSectionName: "Home")
        }
        fixture.drain()
        #expect(listener.deliveries.isEmpty)
    }

    @Test("Nothing is delivered after removal under contention")
    func deliversNothingAfterRemovalUnderContention() async throws {
        let config = fixture.config
        let queue = fixture.queue
        let isRemoved = Locked(false)
        let isCalledLate = Locked(false)
        let isChanging = Locked(true)
        let changer = Task {
            while isChanging.withLock({ $0 }) { try await config.downloadNewConfig() }
        }
        for _ in 0..<2_000 {
            isRemoved.withLock { $0 = false }
            let listener = fixture.listener { _, _ in
                if isRemoved.withLock({ $0 }) { isCalledLate.withLock { $0 = true } }
            }
            queue.sync {
                config.removeListener(listener, forSectionName: "Home")
                isRemoved.withLock { $0 = true }
            }
            queue.sync {}
        }
        isChanging.withLock { $0 = false }
        try await changer.value
        #expect(!isCalledLate.withLock { $0 })
    }

    @Test func theCoordinatorRemovesOneSectionOfTwo() async throws {
        let listener = fixture.listener()
        fixture.config.registerListener(listener, forSectionName: "Other")
        fixture.drain()
        fixture.config.removeListener(listener, forSectionName: "Home")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(
            listener.deliveries == [
                .init("Home", .titled("0")), .init("Other", .titled("0")), .init("Other", nil),
            ])
    }

    @Test func theCoordinatorRemovesOneListenerOfTwo() async throws {
        let first = fixture.listener()
        let second = fixture.listener()
        fixture.config.removeListener(first, forSectionName: "Home")
        fixture.config.removeListener(first, forSectionName: "Home")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(first.deliveries.count <= 1)
        #expect(second.sections == [.titled("0"), .titled("1")])
    }

    @Test("A listener that registers again receives the current section, then its changes")
    func registersAgainAfterRemoval() async throws {
        let listener = RecordingListener()
        fixture.queue.sync {
            fixture.config.registerListener(listener, forSectionName: "Home")
            fixture.config.removeListener(listener, forSectionName: "Home")
            fixture.config.registerListener(listener, forSectionName: "Home")
        }
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [.titled("0"), .titled("1")])
    }

    @Test("Registering again delivers the current section again, and each change once")
    func registeringAgainDeliversNothingTwice() async throws {
        let listener = fixture.listener()
        fixture.config.registerListener(listener, forSectionName: "Home")
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(listener.sections == [.titled("0"), .titled("0"), .titled("1")])
    }

    @Test("Registering again does not lose deliveries that are already queued")
    func registeringAgainLosesNothing() async throws {
        let listener = fixture.listener("Other")
        let isHeld = DispatchSemaphore(value: 0)
        fixture.drain()
        fixture.queue.async { isHeld.wait() }
        // The delivery of the removal of "Other" is still on the queue when the listener registers
        // again.
        try await fixture.config.downloadNewConfig()
        fixture.config.registerListener(listener, forSectionName: "Other")
        isHeld.signal()
        fixture.drain()
        #expect(listener.sections == [.titled("0"), nil])
    }

    @Test("A listener may be removed in its `deinit`")
    func isRemovedInDeinit() async throws {
        for _ in 0..<1_000 {
            let listener = Leaving(fixture.config)
            withExtendedLifetime(listener) {}
        }
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(fixture.config["Home"]?.title == "1")
    }

    @Test("Registering, removing and releasing listeners concurrently is safe")
    func comesAndGoesUnderContention() async throws {
        let config = fixture.config
        let witness = fixture.listener()
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for turn in 0..<1_000 {
                        if turn.isMultiple(of: 50), task == 0 {
                            try await config.downloadNewConfig()
                        }
                        let listener = Leaving(config)
                        if turn.isMultiple(of: 2) {
                            config.removeListener(listener, forSectionName: "Home")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        fixture.drain()
        #expect(witness.sections.count == 21)
    }
}
