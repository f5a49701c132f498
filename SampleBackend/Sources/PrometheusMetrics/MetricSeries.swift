/// A type that keeps the numbers of one series.
protocol MetricSeries: AnyObject, Sendable {
    /// The type of the families it stands in; no two types of series have the same one.
    static var type: MetricType { get }

    /// Which series it is.
    var identity: SeriesIdentity { get }

    /// Its lines, without the ends of lines.
    ///
    /// They are read while recording goes on.
    var samples: [MetricSample] { get }
}
