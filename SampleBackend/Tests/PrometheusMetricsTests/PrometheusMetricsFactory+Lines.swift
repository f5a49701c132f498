import CoreMetrics
import PrometheusMetrics

extension PrometheusMetricsFactory {
    /// The lines of the text.
    var lines: [String] { text().split(separator: "\n").map(String.init) }

    /// The gauge of a label and dimensions.
    func gauge(
        _ label: String, _ dimensions: [(String, String)] = []
    ) -> any RecorderHandler {
        makeRecorder(label: label, dimensions: dimensions, aggregate: false)
    }
}
