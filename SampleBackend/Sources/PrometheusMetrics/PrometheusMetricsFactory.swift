public import CoreMetrics
import Foundation

/// A factory that keeps a server's metrics in memory and writes them for Prometheus.
///
/// ```swift
/// let metrics = PrometheusMetricsFactory()
/// MetricsSystem.bootstrap(metrics)
/// Counter(label: "requests", dimensions: [("route", "/activeconfig")]).increment()
/// print(metrics.text())  // … requests_total{route="/activeconfig"} 1 …
/// ```
///
/// | metric | family | name |
/// | --- | --- | --- |
/// | counter | counter | ends in `_total` |
/// | gauge, and any other recorder or meter | gauge of the last value | unchanged |
/// | timer | histogram in seconds | ends in `_seconds` |
///
/// A character that Prometheus does not allow in a name becomes `_`. Metrics with the same label
/// and the same dimensions, in any order, share a series, and so do copies of a factory. A metric
/// whose family has another type records nothing. Recording takes no lock, but creating a metric
/// does: create the metrics of a hot path once and keep them.
///
/// Series are kept until they are destroyed, and their number is not limited: derive dimensions
/// from the server's own routes, operations and projects, never from client input.
public struct PrometheusMetricsFactory: MetricsFactory, Sendable {
    /// The media type of ``text()``, for the header `Content-Type`.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let help: [String: String]
    private let includesProcess: Bool
    private let table = SeriesTable()

    /// Creates a factory without metrics.
    ///
    /// - Parameters:
    ///   - help: Help texts by metric label.
    ///   - includesProcess: True to include memory, processor time and open files of this process
    ///     in ``text()``; available on Linux only.
    public init(help: [String: String] = [:], includesProcess: Bool = true) {
        self.help = help
        self.includesProcess = includesProcess
    }

    /// Returns all metrics in the text exposition format 0.0.4, families and series sorted by name.
    ///
    /// Other threads may record in the meantime, so the text is not an atomic snapshot.
    public func text() -> String {
        let process = includesProcess ? ProcessStatistics.current().families : []
        return (table.families + process).map(\.text).joined()
    }

    /// Returns the counter for a label and dimensions; it ignores amounts that are not positive.
    public func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        table.series(named: Self.name(label, suffix: "_total"), dimensions, help: help[label]) {
            CounterSeries()
        }
    }

    /// Returns the gauge for a label and dimensions; `aggregate` is ignored.
    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        table.series(named: Self.name(label), dimensions, help: help[label]) { GaugeSeries() }
    }

    /// Returns the histogram for a label and dimensions, in seconds.
    ///
    /// A negative duration, for example after the clock was set back, counts as zero.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        table.series(named: Self.name(label, suffix: "_seconds"), dimensions, help: help[label]) {
            HistogramSeries()
        }
    }

    /// Removes a counter from the text.
    public func destroyCounter(_ handler: any CounterHandler) { table.remove(handler) }

    /// Removes a gauge from the text.
    public func destroyRecorder(_ handler: any RecorderHandler) { table.remove(handler) }

    /// Removes a histogram from the text.
    public func destroyTimer(_ handler: any TimerHandler) { table.remove(handler) }

    /// The family's name; the suffix is not appended twice.
    private static func name(_ label: String, suffix: String = "") -> String {
        let name = MetricFamily.sanitized(label)
        return name.hasSuffix(suffix) ? name : name + suffix
    }
}

/// The series by family and labels, guarded by a lock that recording does not take.
///
/// Uses `NSLock` because the thread sanitizer reports false races for `Mutex` on Linux.
private final class SeriesTable: @unchecked Sendable {  // Accessed only under the lock.
    private struct Family {
        let type: MetricFamily.Kind
        let help: String?
        /// Series by their formatted labels, so equal labels are one series.
        var series: [String: any MetricSeries] = [:]
    }

    private let lock = NSLock()
    private var entries: [String: Family] = [:]

    /// The existing series or a new one; a new one is not stored when the family has another type.
    func series<Series: MetricSeries>(
        named name: String, _ dimensions: [(String, String)], help: String?, make: () -> Series
    ) -> Series {
        let labels = MetricFamily.labels(dimensions)
        return lock.withLock {
            let entry = entries[name]
            if let known = entry?.series[labels] as? Series { return known }
            let new = make()
            guard entry == nil || entry?.type == Series.type else { return new }
            entries[name, default: Family(type: Series.type, help: help)].series[labels] = new
            return new
        }
    }

    func remove(_ handler: AnyObject) {
        lock.withLock {
            for (name, entry) in entries {
                guard let kept = entry.series.first(where: { $0.value === handler }) else {
                    continue
                }
                entries[name]?.series[kept.key] = nil
                if entry.series.count == 1 { entries[name] = nil }
            }
        }
    }

    /// Families sorted by name, and their series by labels; values are read after the lock is
    /// released.
    var families: [MetricFamily] {
        lock.withLock { entries }.sorted { $0.key < $1.key }.map { name, entry in
            MetricFamily(
                name: name, type: entry.type, help: entry.help,
                samples: entry.series.sorted { $0.key < $1.key }
                    .flatMap { $0.value.samples(named: name, labels: $0.key) })
        }
    }
}
