/// The figures of one side, in nanoseconds per operation: one for each round.
public struct Samples: Sendable, Hashable {
    /// The figures, in the order of the rounds.
    public let values: [Double]

    /// Makes samples.
    ///
    /// - Parameter values: The figures, at least one.
    public init(_ values: [Double]) {
        precondition(!values.isEmpty, "Samples need at least one figure.")
        self.values = values
    }

    /// The figure that half of the others are not above; of an even number, the mean of the two in
    /// the middle.
    public var median: Double { quantile(0.5) }

    /// How far the middle half of the figures lies apart, as a part of the median: 0.1 is 10 %.
    ///
    /// What differs by less than this is noise.
    public var spread: Double {
        median == 0 ? 0 : (quantile(0.75) - quantile(0.25)) / median
    }

    /// The figure that a part of the others is below, interpolated between two neighbours.
    ///
    /// - Parameter part: The part, 0 … 1.
    /// - Returns: That figure.
    public func quantile(_ part: Double) -> Double {
        let sorted = values.sorted()
        let place = min(max(part, 0), 1) * Double(sorted.count - 1)
        let lower = Int(place)
        let upper = min(lower + 1, sorted.count - 1)
        return sorted[lower] + (sorted[upper] - sorted[lower]) * (place - Double(lower))
    }
}
