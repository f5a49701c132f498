import CoreMetrics
import PrometheusMetrics

/// A type that counts for Prometheus, for all that this process does.
enum MetricsExport: Sendable {
    /// Makes the metrics system count, once in a process.
    ///
    /// - Returns: What gives the counts as text.
    static func start() -> @Sendable () -> String {
        let factory = PrometheusMetricsFactory(help: [
            "activeconfig_requests": "Requests, by route and status.",
            "activeconfig_request_duration": "From the head of a request to its response.",
            "activeconfig_evaluations": "Documents that users were given or told they have.",
            "activeconfig_render_cache_hits": "Documents rendered for an earlier request.",
            "activeconfig_render_cache_misses": "Documents rendered for their request.",
            "activeconfig_store_errors": "Calls of the store that failed, by operation.",
            "activeconfig_template_version": "The version that is served, by project.",
        ])
        MetricsSystem.bootstrap(factory)
        return { factory.text() }
    }
}
