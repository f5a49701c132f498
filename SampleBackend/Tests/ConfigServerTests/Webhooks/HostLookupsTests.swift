import Foundation
import ServerTestSupport
import TemplateStore
import Testing

@testable import WebhookDelivery

/// Lookups of host names that take long.
@Suite(.timeLimit(.minutes(15)))
struct HostLookupsTests {
    /// Lookups of which those of names that begin with "slow" wait for ``end``.
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

    @Test func aNameIsLookedUpOnceForAllWhoWait() async throws {
        let slow = SlowLookups()
        let lookups = HostLookups { slow.find($0) }
        try await withThrowingTaskGroup(of: [NetworkAddress].self) { group in
            for _ in 0..<200 { group.addTask { try await lookups.addresses(of: "slow") } }
            // Another name waits for none of them.
            #expect(try await lookups.addresses(of: "fast").count == 1)
            while lookups.waiters.withLock({ $0["slow"]?.count }) != 200 { await Task.yield() }
            slow.end()
            for try await addresses in group { #expect(addresses.count == 1) }
        }
        #expect(slow.started.withLock { $0.sorted() } == ["fast", "slow"])
    }

    @Test func namesBeyondTheMaximumAreRefused() async throws {
        let slow = SlowLookups()
        let lookups = HostLookups { slow.find($0) }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<HostLookups.maximumCount {
                group.addTask { try await lookups.addresses(of: "slow \(number)").count }
            }
            while slow.started.withLock({ $0.count }) < HostLookups.maximumCount {
                await Task.yield()
            }
            await #expect(throws: ResolutionError.self) {
                try await lookups.addresses(of: "one more")
            }
            slow.end()
            for try await count in group { #expect(count == 1) }
        }
        #expect(try await lookups.addresses(of: "one more").count == 1)
    }

    @Test func anAddressNeedsNoLookup() async throws {
        #expect(try await HostAddresses.resolve("127.0.0.1") == HostAddresses.numeric("127.0.0.1"))
    }
}
