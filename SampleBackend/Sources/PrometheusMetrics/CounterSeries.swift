import CoreMetrics
import Synchronization

/// A number that only grows: whole amounts exactly, others as a floating-point sum beside them.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    /// The type of its family.
    static let type = MetricType.counter

    /// Which series it is.
    let identity: SeriesIdentity

    private let whole = Atomic<UInt64>(0)
    private let fraction = AtomicDouble()

    /// Makes a counter at zero.
    ///
    /// - Parameter identity: Which series it is.
    init(identity: SeriesIdentity) {
        self.identity = identity
    }

    /// Adds a whole amount, unless it is negative.
    ///
    /// - Parameter amount: What to add. Past 2⁶⁴ the count begins at zero again, which Prometheus
    ///   takes for a restart.
    func increment(by amount: Int64) {
        guard amount > 0 else { return }
        whole.wrappingAdd(UInt64(amount), ordering: .relaxed)
    }

    /// Adds an amount, unless it is negative, infinite or not a number.
    ///
    /// - Parameter amount: What to add.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        fraction.add(amount)
    }

    /// Goes back to zero.
    func reset() {
        whole.store(0, ordering: .relaxed)
        fraction.store(0)
    }

    /// The line with the total.
    var samples: [MetricSample] {
        let count = whole.load(ordering: .relaxed)
        let rest = fraction.value
        return [
            rest == 0
                ? MetricSample(name: identity.name, labels: identity.labels.text, count: count)
                : MetricSample(
                    name: identity.name, labels: identity.labels.text,
                    value: Double(count) + rest)
        ]
    }
}
