import CoreMetrics
import Foundation
import Metrics
import PrometheusMetrics

/// The Prometheus metrics of this process.
enum MetricsExport: Sendable {
    /// Bootstraps the metrics system, which a process can do only once, and returns a closure that
    /// renders the metrics as text.
    ///
    /// Each call measures the sizes of the store's files and the free space beside them.
    static func start(for store: StoreLocation) -> @Sendable () -> String {
        let factory = PrometheusMetricsFactory(help: help)
        MetricsSystem.bootstrap(factory)
        return {
            if case .sqlite(let path) = store { recordSpace(at: path) }
            return factory.text()
        }
    }

    private static func recordSpace(at path: String) {
        let manager = FileManager.default
        func number(_ key: FileAttributeKey, in attributes: [FileAttributeKey: Any]?) -> Double? {
            (attributes?[key] as? NSNumber)?.doubleValue
        }
        let sizes = [path, path + "-wal"].compactMap {
            number(.size, in: try? manager.attributesOfItem(atPath: $0))
        }
        if !sizes.isEmpty { Gauge(label: "activeconfig_store_bytes").record(sizes.reduce(0, +)) }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let free = number(
            .systemFreeSize, in: try? manager.attributesOfFileSystem(forPath: folder))
        if let free { Gauge(label: "activeconfig_store_free_bytes").record(free) }
    }

    /// Help texts by label.
    private static let help = [
        "activeconfig_acknowledged_clients":
            "Clients that use a version, by project and version.",
        "activeconfig_certificate_expiry_timestamp_seconds":
            "Expiry of the certificate chain that the server uses, in seconds since 1970.",
        "activeconfig_client_backlog_bytes":
            "Bytes that clients have not read, and bytes of incomplete request bodies.",
        "activeconfig_connections_cut_off":
            "Connections closed because clients left too many bytes unread.",
        "activeconfig_delivery_duration":
            "Seconds from a publish until the socket of a client has accepted the change.",
        "activeconfig_evaluations": "Documents sent to users, or confirmed as unchanged.",
        "activeconfig_long_polls": "Requests that wait for a change of their document.",
        "activeconfig_problem_clients":
            "Clients that cannot use a version, by project and version.",
        "activeconfig_problems":
            "Clients that cannot use a setting, by project, version and setting.",
        "activeconfig_render_cache_hits": "Documents rendered for an earlier request.",
        "activeconfig_render_cache_misses": "Documents rendered for their request.",
        "activeconfig_request_duration":
            "Seconds from the head of a request to its response, by route.",
        "activeconfig_requests": "Requests, by route and status.",
        "activeconfig_snapshot_written":
            "1 if the last write of the file of --snapshot succeeded, else 0.",
        "activeconfig_store_bytes": "Size of the database and its log.",
        "activeconfig_store_errors": "Failed calls of the store, by operation.",
        "activeconfig_store_free_bytes": "Free bytes of the file system that holds the database.",
        "activeconfig_store_ready": "1 if the store can be read and written, else 0.",
        "activeconfig_stream_connections": "Open streams; one of many users counts once.",
        "activeconfig_stream_refusals":
            "Refused streams, by reason: the limit of the address or of the server.",
        "activeconfig_stream_slow_readers": "Streams closed because their client did not read.",
        "activeconfig_stream_updates": "Changes sent to streams.",
        "activeconfig_template_version": "Version that is served, by project.",
        "activeconfig_unknown_version_requests":
            "Requests, streams and acknowledgements of versions that the store never made.",
        "activeconfig_webhook_deliveries":
            "Attempts to deliver a webhook, by outcome: delivered, retried or failed.",
    ]
}
