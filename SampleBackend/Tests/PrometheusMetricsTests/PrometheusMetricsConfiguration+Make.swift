import PrometheusMetrics

extension PrometheusMetricsConfiguration {
    /// Makes a configuration whose text does not depend on this process.
    static func make(
        help: [String: String] = [:], buckets: [String: HistogramBuckets] = [:],
        maximumSeries: Int = 10_000
    ) -> Self {
        var configuration = Self()
        configuration.help = help
        configuration.buckets = buckets
        configuration.maximumSeries = maximumSeries
        configuration.includesProcess = false
        return configuration
    }
}
