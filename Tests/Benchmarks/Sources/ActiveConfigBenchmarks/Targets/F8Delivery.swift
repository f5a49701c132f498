import ActiveConfig
import Foundation
import Measuring
import Synchronization

/// F8: delivering a change of one section while many listeners observe others.
enum F8Delivery: BenchmarkTarget {
    static let name = "F8"
    static let work = "deliver a change, 1,000 listeners elsewhere"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        let changing = SampleDocument.sectionName(0)
        let old = try SampleDocument()
        let new = try SampleDocument { $0[changing]?[SampleDocument.settingKey(7)] = "changed" }
        let crowded = Audience(old.state, new.state, otherListeners: 1_000)
        let alone = Audience(old.state, new.state, otherListeners: 0)
        let samples = try await setup.singleRounds.measure([crowded.delivery(), alone.delivery()])
        return [
            Row(
                name, work, ours: samples[0], against: "none elsewhere", samples[1],
                wanted: .same(within: 0.2))
        ]
    }

    /// Configuration with listeners.
    private final class Audience: Sendable {
        /// A listener was called for an unchanged section, or not called for the changed one.
        struct WrongDelivery: Error {}

        private let config: ActiveConfig
        private let queue = DispatchQueue(label: "benchmarks.listeners")
        private let heardAt = Mutex<ContinuousClock.Instant?>(nil)
        private let wronglyHeard = Mutex(0)
        private let tokens = Mutex<[ActiveConfigSubscription]>([])

        init(_ old: ConfigurationState, _ new: ConfigurationState, otherListeners: Int) {
            let store = InMemoryStore()
            store.persistConfiguration(old, forUserID: nil)
            config = ActiveConfig(
                configDownloader: AlternatingDownloader(old, new), configStore: store,
                notificationCenter: NotificationCenter(), listenerQueue: queue)
            for number in 0..<otherListeners {
                let token = config.observe(
                    sectionNamed: SampleDocument.sectionName(1 + number % 9)
                ) { [weak self] _ in
                    self?.wronglyHeard.withLock { $0 += 1 }
                }
                tokens.withLock { $0.append(token) }
            }
            let token = config.observe(sectionNamed: SampleDocument.sectionName(0)) {
                [weak self] _ in
                self?.heardAt.withLock { $0 = .now }
            }
            tokens.withLock { $0.append(token) }
            // By now each listener has received the current section.
            queue.sync { wronglyHeard.withLock { $0 = 0 } }
        }

        /// Measures the time from the start of a download to its delivery.
        func delivery() -> Side {
            Side("delivery") { [self] in
                heardAt.withLock { $0 = nil }
                let start = ContinuousClock.now
                _ = try await config.downloadNewConfig()
                queue.sync {}
                guard let end = heardAt.withLock({ $0 }), wronglyHeard.withLock({ $0 }) == 0 else {
                    throw WrongDelivery()
                }
                return (end - start) / .nanoseconds(1)
            }
        }
    }
}
