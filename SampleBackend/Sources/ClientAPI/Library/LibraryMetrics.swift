import Metrics

/// The metrics of documents, versions and store errors.
///
/// Metrics are created once and kept, since creating one takes a lock and a lookup.
package struct LibraryMetrics: Sendable {
    /// Operations whose error counters are created at the start.
    ///
    /// PromQL's `increase` misses the first value of a new series, so an alert would miss the first
    /// error.
    private static let alertedOperations = ["publish", "rollback", "set_overrides", "watch"]

    package init() {
        for operation in Self.alertedOperations { _ = Self.storeErrors(operation) }
    }

    private let evaluations = Counter(label: "activeconfig_evaluations")
    private let cacheHits = Counter(label: "activeconfig_render_cache_hits")
    private let cacheMisses = Counter(label: "activeconfig_render_cache_misses")

    /// Counts an evaluation of a user's document, and whether the document was cached.
    func countEvaluation(wasCached: Bool) {
        evaluations.increment()
        (wasCached ? cacheHits : cacheMisses).increment()
    }

    /// Counts a store error by operation, such as `publish`.
    package func countStoreError(operation: String) {
        Self.storeErrors(operation).increment()
    }

    private static func storeErrors(_ operation: String) -> Counter {
        Counter(label: "activeconfig_store_errors", dimensions: [("operation", operation)])
    }

    func setVersion(_ version: Int, ofProject project: String) {
        Gauge(label: "activeconfig_template_version", dimensions: [("project", project)])
            .record(version)
    }

    func removeVersion(ofProject project: String) {
        Gauge(label: "activeconfig_template_version", dimensions: [("project", project)])
            .destroy()
    }
}
