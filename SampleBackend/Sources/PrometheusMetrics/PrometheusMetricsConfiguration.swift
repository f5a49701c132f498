/// A type that says how metrics are described and bounded.
public struct PrometheusMetricsConfiguration: Sendable, Hashable {
    /// The help text of a metric, by the label that the code gives it.
    public var help: [String: String] = [:]

    /// The buckets of a timer or an aggregating recorder, by the label that the code gives it.
    ///
    /// Without an entry a timer has ``HistogramBuckets/durations`` and a recorder
    /// ``HistogramBuckets/quantities``.
    public var buckets: [String: HistogramBuckets] = [:]

    /// The most series that are kept; a histogram is one, whatever the number of its buckets.
    ///
    /// Over it each family has at most one more, where the rest is counted.
    public var maximumSeries = 10_000

    /// The most Unicode scalars of a label's value; the rest is cut off.
    public var maximumLabelValueLength = 256

    /// Whether the text tells memory, processor time and open files of this process.
    ///
    /// It has an effect on Linux only.
    public var includesProcess = true

    /// The configuration that fits a server; change what does not.
    public init() {}
}
