public import CoreMetrics

/// A type that keeps metrics in memory and writes them as Prometheus reads them.
///
/// ```swift
/// let metrics = PrometheusMetricsFactory()
/// MetricsSystem.bootstrap(metrics)
/// Counter(label: "requests", dimensions: [("route", "/activeconfig")]).increment()
/// print(metrics.text())  // … requests_total{route="/activeconfig"} 1 …
/// ```
///
/// | metric | family | name |
/// | --- | --- | --- |
/// | counter, floating-point counter | counter | ends in `_total` |
/// | meter, recorder that does not aggregate | gauge | as it is |
/// | recorder that aggregates | histogram | as it is |
/// | timer | histogram in seconds | ends in `_seconds` |
///
/// What Prometheus does not allow in a name becomes `_`. Equal labels and dimensions, in any order,
/// are one series, and the copies of a factory have the same series. Recording takes no lock, while
/// making a metric does: keep the metrics that a hot path records to.
///
/// Series are bounded, so that dimensions which come from clients cannot fill the memory. Over the
/// limit, counters, histograms and timers record to one series of their family, with the label
/// `metrics_overflow="true"`; gauges, and families that are new, are left out. A metric whose name
/// belongs to a family of another type is left out as well. `metrics_series_overflows_total` and
/// `metrics_series_conflicts_total` count both.
public struct PrometheusMetricsFactory: MetricsFactory, Sendable {
    /// The media type of ``text()``, for the header `Content-Type`.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let configuration: PrometheusMetricsConfiguration
    private let registry: SeriesRegistry

    /// Makes a factory without metrics.
    ///
    /// - Parameter configuration: The help texts, the buckets and the limits.
    public init(configuration: PrometheusMetricsConfiguration = .init()) {
        self.configuration = configuration
        registry = SeriesRegistry(maximumSeries: configuration.maximumSeries)
    }

    /// All metrics in the text exposition format 0.0.4, families and series sorted by name.
    ///
    /// The values of one answer are read one after the other while recording goes on.
    public func text() -> String {
        var text = ExpositionText()
        let (families, diagnostics) = registry.snapshot()
        for family in families { text.append(family) }
        for family in diagnostics { text.append(family) }
        if configuration.includesProcess {
            for family in ProcessStatistics.current().families { text.append(family) }
        }
        return text.string
    }

    /// Gives the counter of a label and dimensions.
    ///
    /// Amounts that are negative, infinite or not a number are ignored: a counter only grows.
    ///
    /// - Parameters:
    ///   - label: The name, with or without `_total`.
    ///   - dimensions: The labels of the series.
    /// - Returns: The counter, the same one each time.
    public func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        counter(label: label, dimensions: dimensions)
    }

    /// Gives the counter of a label and dimensions.
    ///
    /// It is the same series as the integer counter's.
    ///
    /// - Parameters:
    ///   - label: The name, with or without `_total`.
    ///   - dimensions: The labels of the series.
    /// - Returns: The counter, the same one each time.
    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        counter(label: label, dimensions: dimensions)
    }

    /// Gives the gauge of a label and dimensions.
    ///
    /// - Parameters:
    ///   - label: The name.
    ///   - dimensions: The labels of the series.
    /// - Returns: The gauge, the same one each time.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label: label, dimensions: dimensions)
    }

    /// Gives the histogram or the gauge of a label and dimensions.
    ///
    /// A histogram ignores values that are infinite or not a number: they would stay in its sum.
    ///
    /// - Parameters:
    ///   - label: The name.
    ///   - dimensions: The labels of the series.
    ///   - aggregate: Whether it is a histogram; otherwise it is a gauge of the last value.
    /// - Returns: The histogram or gauge, the same one each time.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return gauge(label: label, dimensions: dimensions) }
        return histogram(
            label: label, name: MetricName.metric(label), dimensions: dimensions,
            buckets: .quantities)
    }

    /// Gives the histogram of a label and dimensions, in seconds.
    ///
    /// A negative duration, as a clock that was set back gives, counts as zero.
    ///
    /// - Parameters:
    ///   - label: The name, with or without `_seconds`.
    ///   - dimensions: The labels of the series.
    /// - Returns: The histogram, the same one each time.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(
            label: label, name: MetricName.metric(label, suffix: "_seconds"),
            dimensions: dimensions, buckets: .durations)
    }

    /// Removes a counter; what still records to it is not seen any more.
    ///
    /// - Parameter handler: A handler of this factory; another's is ignored.
    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }

    /// Removes a counter; what still records to it is not seen any more.
    ///
    /// - Parameter handler: A handler of this factory; another's is ignored.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
        remove(handler)
    }

    /// Removes a gauge; what still records to it is not seen any more.
    ///
    /// - Parameter handler: A handler of this factory; another's is ignored.
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }

    /// Removes a histogram or a gauge; what still records to it is not seen any more.
    ///
    /// - Parameter handler: A handler of this factory; another's is ignored.
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }

    /// Removes a histogram; what still records to it is not seen any more.
    ///
    /// - Parameter handler: A handler of this factory; another's is ignored.
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    /// The counter behind both kinds of counters.
    private func counter(label: String, dimensions: [(String, String)]) -> CounterSeries {
        registry.series(
            identity(MetricName.metric(label, suffix: "_total"), dimensions),
            help: configuration.help[label], make: CounterSeries.init(identity:))
    }

    /// The gauge behind meters and recorders.
    private func gauge(label: String, dimensions: [(String, String)]) -> GaugeSeries {
        registry.series(
            identity(MetricName.metric(label), dimensions),
            help: configuration.help[label], make: GaugeSeries.init(identity:))
    }

    /// The histogram behind recorders and timers.
    private func histogram(
        label: String, name: String, dimensions: [(String, String)], buckets: HistogramBuckets
    ) -> HistogramSeries {
        registry.series(
            identity(name, dimensions), help: configuration.help[label]
        ) {
            HistogramSeries(identity: $0, buckets: configuration.buckets[label] ?? buckets)
        }
    }

    /// Names a series within the limits.
    private func identity(
        _ name: String, _ dimensions: [(String, String)]
    ) -> SeriesIdentity {
        SeriesIdentity(
            name: name,
            labels: MetricLabels(
                dimensions, maximumValueLength: configuration.maximumLabelValueLength))
    }

    /// Removes a series that one of the factory's handlers is.
    private func remove(_ handler: any AnyObject) {
        if let series = handler as? any MetricSeries { registry.remove(series) }
    }
}
