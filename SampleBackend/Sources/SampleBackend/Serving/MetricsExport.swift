import CoreMetrics
import PrometheusMetrics

/// The Prometheus metrics of this process.
enum MetricsExport: Sendable {
    /// Bootstraps the metrics system, which may be done only once in a process, and returns a
    /// closure that renders the metrics as text.
    static func start() -> @Sendable () -> String {
        let factory = PrometheusMetricsFactory(help: [
            "activeconfig_requests": "Requests, by route and status.",
            "activeconfig_request_duration": "From the head of a request to its response.",
            "activeconfig_evaluations": "Documents that users were given or told they have.",
            "activeconfig_render_cache_hits": "Documents rendered for an earlier request.",
            "activeconfig_render_cache_misses": "Documents rendered for their request.",
            "activeconfig_store_errors": "Calls of the store that failed, by operation.",
            "activeconfig_acknowledged_clients":
                "Clients that said that they use a version, by project and version.",
            "activeconfig_problem_clients":
                "Clients that said that they cannot use a version, by project and version.",
            "activeconfig_problems":
                "Clients that cannot use a setting, by project, version and setting.",
            "activeconfig_long_polls": "Requests that wait for a change of their document.",
            "activeconfig_template_version": "The version that is served, by project.",
        ])
        MetricsSystem.bootstrap(factory)
        return { factory.text() }
    }
}
