import Logging
import Metrics
import NIOConcurrencyHelpers

/// Counts the requests of one route and writes the access log, one line a request at level info.
///
/// A line names the method, the route's pattern, the status, the bytes of the body and the duration.
/// It has neither the query nor a user ID, which are about people. A path that belongs to no route may
/// hold anything, and is `other`.
final class RequestRecorder: Sendable {
    /// Stands for the paths that belong to no route.
    static let otherRoute = "other"

    private let route: String
    private let logger: Logger
    private let timer: Timer
    private let counters = NIOLockedValueBox<[Int: Counter]>([:])

    init(route: String, logger: Logger) {
        self.route = route
        self.logger = logger
        timer = Timer(label: "activeconfig_request_duration", dimensions: [("route", route)])
    }

    /// Records an answered request.
    ///
    /// Without a head there is neither a method nor a duration, which begins with it.
    func record(method: String?, status: Int, bytes: Int, duration: Duration?) {
        counter(for: status).increment()
        if let duration {
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

    private func counter(for status: Int) -> Counter {
        counters.withLockedValue { counters in
            if let counter = counters[status] { return counter }
            let counter = Counter(
                label: "activeconfig_requests",
                dimensions: [("route", route), ("status", "\(status)")])
            counters[status] = counter
            return counter
        }
    }

    /// Milliseconds, to the microsecond.
    private static func milliseconds(_ duration: Duration) -> String {
        "\((duration / .microseconds(1)).rounded() / 1000)"
    }
}
