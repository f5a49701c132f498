import Foundation
import Metrics
import NIOConcurrencyHelpers

/// The metrics of streams.
struct RealtimeMetrics: Sendable {
    private let connections = Gauge(label: "activeconfig_stream_connections")
    private let updates = Counter(label: "activeconfig_stream_updates")
    private let slowReaders = Counter(label: "activeconfig_stream_slow_readers")
    private let delivery = Metrics.Timer(label: "activeconfig_delivery_duration")

    func setConnections(_ count: Int) { connections.record(count) }

    /// Counts a change that is sent to a client.
    func countUpdate() { updates.increment() }

    /// Counts a client that was cut off because it did not read.
    func countSlowReader() { slowReaders.increment() }

    /// Records the time from a publication until a client's socket has accepted the change.
    func recordDelivery(since publication: Date) {
        let seconds = max(0, Date().timeIntervalSince(publication))
        delivery.recordNanoseconds(Int64(seconds * 1_000_000_000))
    }
}
