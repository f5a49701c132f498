import NIOConcurrencyHelpers

/// A token bucket per client, with a sustained rate and a burst.
package final class RateLimiter<Client: Hashable & Sendable>: Sendable {
    /// Maximum number of tracked clients; those not seen recently are dropped.
    private let maximumClients = 20_000

    private struct Bucket: Sendable {
        var tokens: Double
        /// The time of the last refill.
        var time: ContinuousClock.Instant
    }

    /// Requests per second.
    private let rate: Double

    /// Capacity of a bucket in requests.
    private let burst: Double

    /// Two generations: when `young` is full, it replaces `old`, whose clients are dropped.
    private struct State: Sendable {
        var young: [Client: Bucket] = [:]
        var old: [Client: Bucket] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// Allows a sustained rate of at least 1, and bursts of one second's requests.
    package convenience init(requestsPerSecond: Int) {
        let rate = max(requestsPerSecond, 1)
        self.init(interval: .seconds(1) / rate, burst: rate)
    }

    /// Allows a sustained rate of one request per interval, and bursts of at most `burst` requests.
    package init(interval: Duration, burst: Int) {
        rate = .seconds(1) / interval
        self.burst = Double(burst)
    }

    /// Counts a request of a client; returns the seconds until it may retry, or nil when it is
    /// allowed.
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

extension RateLimiter<ClientAddress> {
    /// Counts a request; requests without an address are not limited.
    ///
    /// - Throws: A ``RequestError`` with status 429 and `Retry-After`.
    package func count(_ address: ClientAddress?) throws(RequestError) {
        guard let address, let seconds = secondsToWait(address) else { return }
        throw .tooManyRequests(retryAfter: seconds)
    }
}
