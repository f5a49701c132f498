import CoreMetrics

/// A number that goes up and down, or the last one of those recorded.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    /// The type of its family.
    static let type = MetricType.gauge

    /// Which series it is.
    let identity: SeriesIdentity

    private let number = AtomicDouble()

    /// Makes a gauge at zero.
    ///
    /// - Parameter identity: Which series it is.
    init(identity: SeriesIdentity) {
        self.identity = identity
    }

    /// Replaces the number.
    ///
    /// - Parameter value: The new number.
    func set(_ value: Int64) { number.store(Double(value)) }

    /// Replaces the number.
    ///
    /// - Parameter value: The new number; also infinite or not a number.
    func set(_ value: Double) { number.store(value) }

    /// Adds to the number.
    ///
    /// - Parameter amount: What to add.
    func increment(by amount: Double) { number.add(amount) }

    /// Subtracts from the number.
    ///
    /// - Parameter amount: What to subtract.
    func decrement(by amount: Double) { number.add(-amount) }

    /// Replaces the number.
    ///
    /// - Parameter value: The new number.
    func record(_ value: Int64) { number.store(Double(value)) }

    /// Replaces the number.
    ///
    /// - Parameter value: The new number.
    func record(_ value: Double) { number.store(value) }

    /// The line with the number.
    var samples: [MetricSample] {
        [
            MetricSample(
                name: identity.name, labels: identity.labels.text, value: number.value)
        ]
    }
}
