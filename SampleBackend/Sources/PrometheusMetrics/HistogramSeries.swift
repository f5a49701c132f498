import CoreMetrics

/// Numbers counted by buckets, with their sum.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
    /// The type of its family.
    static let type = MetricType.histogram

    /// Which series it is.
    let identity: SeriesIdentity

    private let buckets: HistogramBuckets
    private let counts: [AtomicCount]
    private let sum = AtomicDouble()

    /// Makes a histogram of nothing.
    ///
    /// - Parameters:
    ///   - identity: Which series it is.
    ///   - buckets: The bounds.
    init(identity: SeriesIdentity, buckets: HistogramBuckets) {
        self.identity = identity
        self.buckets = buckets
        counts = (0...buckets.upperBounds.count).map { _ in AtomicCount() }
    }

    /// Counts a number.
    ///
    /// - Parameter value: The number.
    func record(_ value: Int64) { record(Double(value)) }

    /// Counts a number, unless it is infinite or not a number.
    ///
    /// - Parameter value: The number.
    func record(_ value: Double) {
        guard value.isFinite else { return }
        counts[buckets.index(of: value)].increment()
        sum.add(value)
    }

    /// Counts a duration in seconds, a negative one as zero.
    ///
    /// - Parameter duration: The duration in nanoseconds.
    func recordNanoseconds(_ duration: Int64) {
        record(Double(max(0, duration)) / 1_000_000_000)
    }

    /// The lines of the buckets, the sum and the count.
    ///
    /// The count is that of the last bucket, and so agrees with it whatever is recorded meanwhile.
    var samples: [MetricSample] {
        let labels = identity.labels.text
        let prefix = labels.isEmpty ? "" : labels + ","
        let bounds = buckets.upperBounds.map(MetricSample.text(of:)) + ["+Inf"]
        var total: UInt64 = 0
        var samples = zip(bounds, counts).map { bound, count in
            total += count.value
            return MetricSample(
                name: identity.name + "_bucket", labels: "\(prefix)le=\"\(bound)\"",
                count: total)
        }
        samples.append(
            MetricSample(name: identity.name + "_sum", labels: labels, value: sum.value))
        samples.append(
            MetricSample(name: identity.name + "_count", labels: labels, count: total))
        return samples
    }
}
