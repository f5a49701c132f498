import Metrics
import NIOConcurrencyHelpers

/// A type that counts the requests of one route, and how long they take.
final class RouteMetrics: Sendable {
    private let route: String
    private let timer: Timer

    /// The counters by status.
    private let counters = NIOLockedValueBox<[Int: Counter]>([:])

    /// Makes the series of a route.
    ///
    /// - Parameter route: The route's pattern, or `other` for what belongs to none.
    init(route: String) {
        self.route = route
        timer = Timer(label: "activeconfig_request_duration", dimensions: [("route", route)])
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - duration: From the head of the request to the response.
    func record(status: Int, duration: Duration) {
        counter(for: status).increment()
        let (seconds, attoseconds) = duration.components
        timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// The counter of a status.
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
}
