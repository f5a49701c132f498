import CoreMetrics
import Synchronization

/// The values of one series; other threads may record while they are read.
protocol MetricSeries: AnyObject, Sendable {
    /// The type of the family, which is different for each series class.
    static var type: MetricFamily.Kind { get }

    func samples(named name: String, labels: String) -> [MetricFamily.Sample]
}

/// A number that only grows.
final class CounterSeries: MetricSeries, CounterHandler {
    static let type = MetricFamily.Kind.counter

    private let count = Atomic<UInt64>(0)

    /// The count wraps around at 2⁶⁴; Prometheus treats that as a restart.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        count.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    func reset() { count.store(0, ordering: .relaxed) }

    func samples(named name: String, labels: String) -> [MetricFamily.Sample] {
        [.init(name: name, labels: labels, count: count.load(ordering: .relaxed))]
    }
}

/// The last number recorded.
final class GaugeSeries: MetricSeries, RecorderHandler {
    static let type = MetricFamily.Kind.gauge

    private let number = AtomicDouble()

    func record(_ value: Int64) { number.store(Double(value)) }

    func record(_ value: Double) { number.store(value) }

    func samples(named name: String, labels: String) -> [MetricFamily.Sample] {
        [.init(name: name, labels: labels, value: number.value)]
    }
}

/// Durations counted by buckets, with their sum, in seconds.
final class HistogramSeries: MetricSeries, TimerHandler {
    static let type = MetricFamily.Kind.histogram

    /// Upper bounds of the buckets in seconds, ascending.
    ///
    /// An unbounded bucket follows.
    private static let bounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
        5, 10,
    ]

    /// A box, since an array cannot hold an atomic.
    private final class Count: Sendable {
        let value = Atomic<UInt64>(0)
    }

    private let counts = (0...HistogramSeries.bounds.count).map { _ in Count() }
    private let sum = AtomicDouble()

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(max(0, duration)) / 1_000_000_000
        // `firstIndex(where:)` allocates for each element in a debug build: the counted allocations
        // of an event would depend on its duration.
        var bucket = 0
        while bucket < Self.bounds.count, seconds > Self.bounds[bucket] { bucket += 1 }
        counts[bucket].value.wrappingAdd(1, ordering: .relaxed)
        sum.add(seconds)
    }

    /// `_count` is computed from the buckets, so it equals the last bucket even if values are
    /// recorded in the meantime.
    func samples(named name: String, labels: String) -> [MetricFamily.Sample] {
        let prefix = labels.isEmpty ? "" : labels + ","
        let bounds = Self.bounds.map { MetricFamily.Sample.text(of: $0) } + ["+Inf"]
        var total: UInt64 = 0
        var samples = zip(bounds, counts).map { bound, count in
            total += count.value.load(ordering: .relaxed)
            return MetricFamily.Sample(
                name: name + "_bucket", labels: "\(prefix)le=\"\(bound)\"", count: total)
        }
        samples.append(.init(name: name + "_sum", labels: labels, value: sum.value))
        samples.append(.init(name: name + "_count", labels: labels, count: total))
        return samples
    }
}

/// A lock-free floating-point number.
private struct AtomicDouble: ~Copyable, Sendable {
    private let bits = Atomic<UInt64>(0)

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func store(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var expected = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: expected) + amount
            let (exchanged, original) = bits.weakCompareExchange(
                expected: expected, desired: sum.bitPattern, ordering: .relaxed)
            if exchanged { return }
            expected = original
        }
    }
}
