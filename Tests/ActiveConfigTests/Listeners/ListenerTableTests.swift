import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ListenerTableTests {
    /// A minimal listener.
    private final class Mute: ActiveConfigListener {
        func activeConfig(
            _ activeConfig: ActiveConfig, didReceiveConfigSection section: ActiveConfigSection?,
            forSectionName sectionName: String
        ) {}
    }

    @Test("Released listeners do not accumulate")
    func deadListenersDoNotPileUp() {
        let fixture = CoordinatorFixture.make()
        // Each placeholder takes the memory of a dead listener, so that no two listeners have the
        // same address.
        var placeholders: [Mute] = []
        placeholders.reserveCapacity(200_000)
        for _ in 0..<200_000 {
            fixture.config.registerListener(Mute(), forSectionName: "Home")
            placeholders.append(Mute())
        }
        let count = fixture.config.front.listenerCount(ofSection: "Home")
        #expect(count <= 64)
        withExtendedLifetime(placeholders) {}
    }

    @Test("Released listeners of many sections do not accumulate")
    func deadListenersOfManySectionsDoNotPileUp() {
        let fixture = CoordinatorFixture.make()
        for number in 0..<50_000 {
            fixture.config.registerListener(Mute(), forSectionName: "\(number)")
        }
        let count = (0..<50_000).count {
            fixture.config.front.listenerCount(ofSection: "\($0)") > 0
        }
        #expect(count <= 64)
    }

    @Test("Pruning keeps the live listeners, in order")
    func liveListenersAreKept() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader(.configuration(.make())))
        let order = Locked<[Int]>([])
        var living: [RecordingListener] = []
        for number in 0..<1_000 {
            fixture.config.registerListener(RecordingListener(), forSectionName: "Home")
            let listener = RecordingListener { _, _ in order.withLock { $0.append(number) } }
            living.append(listener)
            fixture.config.registerListener(listener, forSectionName: "Home")
        }
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(order.withLock { $0 } == Array(0..<1_000))
        let count = fixture.config.front.listenerCount(ofSection: "Home")
        #expect((1_000...2_000).contains(count))
        withExtendedLifetime(living) {}
    }

    @Test("8,000 listeners of one section are each notified once, and each can be removed")
    func manyListenersOfOneSection() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(.titled(["Home": "\($0.number)"])) })
        let calls = Locked<[Int]>([])
        var tokens = (0..<8_000).map { number in
            fixture.config.observe(sectionNamed: "Home") { _ in
                calls.withLock { $0.append(number) }
            }
        }
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(calls.withLock { $0 } == Array(0..<8_000))
        for number in stride(from: 0, to: 8_000, by: 2) { tokens[number].cancel() }
        calls.withLock { $0 = [] }
        try await fixture.config.downloadNewConfig()
        fixture.drain()
        #expect(calls.withLock { $0 } == Array(stride(from: 1, to: 8_000, by: 2)))
        tokens.removeAll()
        #expect(fixture.config.front.listenerCount(ofSection: "Home") == 0)
    }

    @Test func closuresThatAreCancelledAreGone() {
        let fixture = CoordinatorFixture.make()
        for _ in 0..<1_000 {
            let token = fixture.config.observe(sectionNamed: "Home") { _ in }
            token.cancel()
        }
        _ = fixture.config.observe(sectionNamed: "Home") { _ in }
        let count = fixture.config.front.listenerCount(ofSection: "Home")
        #expect(count == 0)
    }

    @Test func pruningKeepsARegistrationThatHasTheKeyOfADeadOne() {
        let listener = RecordingListener()
        let registrations = (0..<2).map { _ in
            ListenerRegistration(of: listener, sectionName: "Home") { _, _ in }
        }
        var table = ListenerTable()
        for registration in registrations { _ = table.add(registration) }
        table.prune([registrations[0]])
        #expect(table["Home"].count == 1)
        #expect(table["Home"].first === registrations[1])
    }
}
