import CoreMetrics
import PrometheusMetrics

extension PrometheusMetricsFactory {
    /// Lines of the exposition.
    var lines: [String] { text().split(separator: "\n").map(String.init) }

    func gauge(
        _ label: String, _ dimensions: [(String, String)] = []
    ) -> any RecorderHandler {
        makeRecorder(label: label, dimensions: dimensions, aggregate: false)
    }
}
