/// A type that says why numbers are not the bounds of buckets.
public struct HistogramBucketsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence that says what is wrong, where, and what to do.
    public let description: String

    /// There are more bounds than a histogram may have.
    static func tooMany(_ count: Int) -> Self {
        Self(
            description: "There are \(count) bounds of buckets: give at most "
                + "\(HistogramBuckets.maximumCount).")
    }

    /// A bound is infinite or not a number.
    static func notFinite(_ bound: Double, at index: Int) -> Self {
        Self(
            description: "The bound at index \(index) is \(bound): give finite numbers only, the "
                + "bucket +Inf is always there.")
    }

    /// A bound is not greater than the one before it.
    static func notAscending(_ bound: Double, after previous: Double, at index: Int) -> Self {
        Self(
            description: "The bound at index \(index) is \(bound), which is not greater than "
                + "\(previous) before it: give ascending bounds.")
    }
}
