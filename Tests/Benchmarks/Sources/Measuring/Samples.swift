/// Figures of one side in nanoseconds per operation, one for each round.
public struct Samples: Sendable, Hashable {
    /// Figures in the order of the rounds.
    public let values: [Double]

    /// Creates samples of at least one figure.
    ///
    /// - Parameter values: Figures in nanoseconds per operation.
    public init(_ values: [Double]) {
        precondition(!values.isEmpty, "Samples need at least one figure.")
        self.values = values
    }

    /// Median; for an even number of figures, the mean of the two in the middle.
    public var median: Double { quantile(0.5) }

    /// Interquartile range, relative to the median: 0.1 is 10 %.
    ///
    /// Smaller differences are noise.
    public var spread: Double {
        median == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / median
    }

    /// Quantile, interpolated between two neighbouring figures.
    ///
    /// - Parameter part: Fraction of the figures below the quantile, 0 … 1.
    /// - Returns: The quantile.
    public func quantile(_ part: Double) -> Double {
        let sorted = values.sorted()
        let place = min(max(part, 0), 1) * Double(sorted.count - 1)
        let lower = Int(place)
        let upper = min(lower + 1, sorted.count - 1)
        return sorted[lower] + (sorted[upper] - sorted[lower]) * (place - Double(lower))
    }
}
