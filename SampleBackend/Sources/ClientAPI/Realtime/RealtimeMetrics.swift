import Foundation
import Metrics
import NIOConcurrencyHelpers

/// A type that counts what streams do, by swift-metrics.
struct RealtimeMetrics: Sendable {
    private let connections = Gauge(label: "activeconfig_stream_connections")
    private let updates = Counter(label: "activeconfig_stream_updates")
    private let slowReaders = Counter(label: "activeconfig_stream_slow_readers")
    private let delivery = Metrics.Timer(label: "activeconfig_delivery_duration")

    /// Records how many streams are open.
    func setConnections(_ count: Int) { connections.record(count) }

    /// Counts a user's change that is sent.
    func countUpdate() { updates.increment() }

    /// Counts a client that was cut off because it did not read.
    func countSlowReader() { slowReaders.increment() }

    /// Records that the socket of a client has taken a change.
    ///
    /// - Parameter publication: When it was published.
    func recordDelivery(since publication: Date) {
        let seconds = max(0, Date().timeIntervalSince(publication))
        delivery.recordNanoseconds(Int64(seconds * 1_000_000_000))
    }
}
