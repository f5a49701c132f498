import Metrics

/// The metrics of documents, versions and store errors.
///
/// A metric is created once and kept: creating one takes a lock and a lookup.
package struct LibraryMetrics: Sendable {
    package init() {}

    private let evaluations = Counter(label: "activeconfig_evaluations")
    private let cacheHits = Counter(label: "activeconfig_render_cache_hits")
    private let cacheMisses = Counter(label: "activeconfig_render_cache_misses")

    /// Counts an evaluation of a user's document, by whether an earlier request had rendered it.
    func countEvaluation(wasCached: Bool) {
        evaluations.increment()
        (wasCached ? cacheHits : cacheMisses).increment()
    }

    /// Counts a store error by the failed operation, such as `publish`.
    package func countStoreError(operation: String) {
        Counter(label: "activeconfig_store_errors", dimensions: [("operation", operation)])
            .increment()
    }

    func setVersion(_ version: Int, ofProject project: String) {
        Gauge(label: "activeconfig_template_version", dimensions: [("project", project)])
            .record(version)
    }
}
