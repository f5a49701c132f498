import Logging
import Metrics
import NIOConcurrencyHelpers

/// Records the metrics and the access log of one route, one line per request at level info.
///
/// A line contains the method, the route's pattern, the status, the size of the body in bytes and
/// the duration. The query and the user ID are omitted because they are personal data. A path that
/// matches no route may contain anything, so it is logged as `other`.
final class RequestRecorder: Sendable {
    /// The name of paths that match no route.
    static let otherRoute = "other"

    private let route: String
    private let logger: Logger
    private let series = NIOLockedValueBox(Series())

    /// Created by the first request, so a route without requests has no series.
    private struct Series: Sendable {
        var timer: Timer?
        var counters: [Int: Counter] = [:]
    }

    init(route: String, logger: Logger) {
        self.route = route
        self.logger = logger
    }

    /// Records an answered request.
    ///
    /// Without a readable head there is no method, and no duration, which is measured from the head
    /// on. The duration of a request that waited on purpose is logged but not recorded in the
    /// timer.
    func record(
        method: String?, status: Int, bytes: Int, duration: Duration?, isTimed: Bool = true
    ) {
        let (counter, timer) = series(of: status, isTimed: isTimed && duration != nil)
        counter.increment()
        if let duration, let timer {
            let (seconds, attoseconds) = duration.components
            timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        }
        guard logger.logLevel <= .info else { return }
        logger.info(
            "request",
            metadata: [
                "method": "\(method ?? "-")",
                "path": "\(method == nil ? "-" : route)",
                "status": "\(status)",
                "bytes": "\(bytes)",
                "duration_ms": "\(duration.map(Self.milliseconds) ?? "-")",
            ])
    }

    private func series(of status: Int, isTimed: Bool) -> (Counter, Timer?) {
        series.withLockedValue { series in
            if isTimed, series.timer == nil {
                series.timer = Timer(
                    label: "activeconfig_request_duration", dimensions: [("route", route)])
            }
            if let counter = series.counters[status] {
                return (counter, isTimed ? series.timer : nil)
            }
            let counter = Counter(
                label: "activeconfig_requests",
                dimensions: [("route", route), ("status", "\(status)")])
            series.counters[status] = counter
            return (counter, isTimed ? series.timer : nil)
        }
    }

    /// Milliseconds, rounded to microseconds.
    private static func milliseconds(_ duration: Duration) -> String {
        "\((duration / .microseconds(1)).rounded() / 1000)"
    }
}
