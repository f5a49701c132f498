import Foundation
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import WebhookDelivery

/// Slow lookups of host names.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct HostLookupsTests {
    /// Lookups that wait for ``end()`` if the name begins with "slow".
    private final class SlowLookups: Sendable {
        let started = Locked<[String]>([])
        private let gate = NSCondition()
        private let isOpen = Locked(false)

        func find(_ host: String) -> [NetworkAddress] {
            started.withLock { $0.append(host) }
            gate.lock()
            defer { gate.unlock() }
            while host.hasPrefix("slow"), !isOpen.withLock({ $0 }) { gate.wait() }
            return HostAddresses.numeric("127.0.0.1")
        }

        func end() {
            gate.lock()
            isOpen.withLock { $0 = true }
            gate.broadcast()
            gate.unlock()
        }
    }

    private typealias Outcome = Result<[NetworkAddress], ResolutionError>

    private let slow = SlowLookups()
    private let lookups: HostLookups
    private let outcomes: AsyncStream<Outcome>
    private let continuation: AsyncStream<Outcome>.Continuation

    init() {
        let slow = self.slow
        lookups = HostLookups { slow.find($0) }
        (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
    }

    /// Looks up a name, and yields the result as the next outcome.
    private func lookUp(_ host: String) {
        lookups.lookUp(host) { [continuation] in continuation.yield($0) }
    }

    /// The numbers of addresses found by the next lookups.
    private func counts(_ number: Int) async throws -> [Int] {
        var counts: [Int] = []
        for await outcome in outcomes.prefix(number) { counts.append(try outcome.get().count) }
        return counts
    }

    @Test func aNameIsLookedUpOnceForAllWhoWait() async throws {
        for _ in 0..<200 { lookUp("slow") }
        // Another name does not wait for them.
        #expect(try await lookups.addresses(of: "fast").count == 1)
        slow.end()
        #expect(try await counts(200) == Array(repeating: 1, count: 200))
        #expect(slow.started.withLock { $0.sorted() } == ["fast", "slow"])
    }

    @Test func namesBeyondTheMaximumAreRefused() async throws {
        for number in 0..<HostLookups.maximumCount { lookUp("slow \(number)") }
        await #expect(throws: ResolutionError.self) {
            try await lookups.addresses(of: "one more")
        }
        // A name whose lookup is in progress does not count twice.
        lookUp("slow 0")
        slow.end()
        #expect(try await counts(HostLookups.maximumCount + 1).allSatisfy { $0 == 1 })
        #expect(try await lookups.addresses(of: "one more").count == 1)
    }

    @Test func anAddressNeedsNoLookup() async throws {
        #expect(try await HostAddresses.resolve("127.0.0.1") == HostAddresses.numeric("127.0.0.1"))
    }
}
