/// A type that has the upper bounds of a histogram's buckets.
///
/// A bound belongs to its bucket. The bucket without a bound, `+Inf`, is always there.
public struct HistogramBuckets: Sendable, Hashable {
    /// The most bounds: each one is a line per series.
    public static let maximumCount = 200

    /// Seconds, from a tenth of a millisecond to ten seconds.
    public static let durations = HistogramBuckets(
        checked: [
            0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
            1, 2.5, 5, 10,
        ])

    /// Numbers and sizes, from one to ten million.
    public static let quantities = HistogramBuckets(
        checked: [
            1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000,
            10_000_000,
        ])

    /// The bounds, each greater than the one before.
    public let upperBounds: [Double]

    /// Makes buckets of bounds.
    ///
    /// - Parameter upperBounds: Finite numbers, each greater than the one before, in seconds for a
    ///   timer.
    /// - Throws: ``HistogramBucketsError`` when they are not that, or too many.
    public init(_ upperBounds: [Double]) throws(HistogramBucketsError) {
        guard upperBounds.count <= Self.maximumCount else {
            throw .tooMany(upperBounds.count)
        }
        for (index, bound) in upperBounds.enumerated() {
            guard bound.isFinite else { throw .notFinite(bound, at: index) }
            guard index == 0 || upperBounds[index - 1] < bound else {
                throw .notAscending(bound, after: upperBounds[index - 1], at: index)
            }
        }
        self.upperBounds = upperBounds
    }

    /// Makes buckets of bounds that are known to be right.
    private init(checked upperBounds: [Double]) {
        self.upperBounds = upperBounds
    }

    /// The place of the bucket of a value, the number of bounds for the one without a bound.
    func index(of value: Double) -> Int {
        var low = 0
        var high = upperBounds.count
        while low < high {
            let middle = (low + high) / 2
            if value <= upperBounds[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
