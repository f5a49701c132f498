import PrometheusMetrics

extension PrometheusMetricsFactory {
    /// The lines of the text without the families about the series themselves.
    var lines: [String] {
        text().split(separator: "\n").map(String.init).filter {
            !$0.hasPrefix("metrics_series") && !$0.hasPrefix("# TYPE metrics_series")
                && !$0.hasPrefix("# HELP metrics_series")
        }
    }
}
