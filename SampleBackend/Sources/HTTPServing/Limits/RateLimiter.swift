import NIOConcurrencyHelpers

/// Bounds the requests of each client: so many a second, and so many at once.
package final class RateLimiter<Client: Hashable & Sendable>: Sendable {
    /// The most clients that are remembered; those seen longest ago are forgotten.
    private let maximumClients = 20_000

    /// What a client may still do.
    private struct Bucket: Sendable {
        /// The requests that are left.
        var tokens: Double
        /// When that was so.
        var time: ContinuousClock.Instant
    }

    /// The requests a second.
    private let rate: Double

    /// The most requests at once.
    private let burst: Double

    /// What is remembered.
    private struct State: Sendable {
        /// The clients seen lately.
        var young: [Client: Bucket] = [:]
        /// The clients seen before.
        var old: [Client: Bucket] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// Makes a limiter.
    ///
    /// - Parameter requestsPerSecond: The most requests a second of one client, above 0, and the most
    ///   at once.
    package init(requestsPerSecond: Int) {
        rate = Double(requestsPerSecond)
        burst = rate
    }

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - interval: The shortest time between two requests of one client in the long run.
    ///   - burst: The most requests at once.
    package init(interval: Duration, burst: Int) {
        rate = .seconds(1) / interval
        self.burst = Double(burst)
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - client: Whose it is.
    ///   - now: The time.
    /// - Returns: How many seconds to wait, or nil when the request may be answered.
    package func secondsToWait(
        _ client: Client, now: ContinuousClock.Instant = .now
    ) -> Int? {
        state.withLockedValue { state in
            var bucket =
                state.young[client] ?? state.old[client] ?? Bucket(tokens: burst, time: now)
            let elapsed = bucket.time.duration(to: now) / .seconds(1)
            bucket.tokens = min(burst, bucket.tokens + max(elapsed, 0) * rate)
            bucket.time = now
            let isAllowed = bucket.tokens >= 1
            if isAllowed { bucket.tokens -= 1 }
            if state.young.count >= maximumClients / 2, state.young[client] == nil {
                state.old = state.young
                state.young = [:]
            }
            state.young[client] = bucket
            return isAllowed ? nil : max(1, Int(((1 - bucket.tokens) / rate).rounded(.up)))
        }
    }
}
