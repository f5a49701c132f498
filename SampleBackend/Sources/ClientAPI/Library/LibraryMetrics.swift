import Metrics

/// Counts documents, versions and errors of the store, by swift-metrics.
///
/// A series is made once and kept: making one takes a lock and a look-up.
package struct LibraryMetrics: Sendable {
    package init() {}

    private let evaluations = Counter(label: "activeconfig_evaluations")
    private let cacheHits = Counter(label: "activeconfig_render_cache_hits")
    private let cacheMisses = Counter(label: "activeconfig_render_cache_misses")

    /// Counts a user's document.
    ///
    /// - Parameter wasCached: Whether it was rendered for an earlier request.
    func countEvaluation(wasCached: Bool) {
        evaluations.increment()
        (wasCached ? cacheHits : cacheMisses).increment()
    }

    /// Counts an error of the store.
    ///
    /// - Parameter operation: What the store was asked for, such as `publish`.
    package func countStoreError(operation: String) {
        Counter(label: "activeconfig_store_errors", dimensions: [("operation", operation)])
            .increment()
    }

    /// Records which version of a project is served.
    func setVersion(_ version: Int, ofProject project: String) {
        Gauge(label: "activeconfig_template_version", dimensions: [("project", project)])
            .record(version)
    }
}
