import NIOConcurrencyHelpers

/// A type that bounds the requests of each address: so many a second, and a second's worth at once.
final class RateLimiter: Sendable {
    /// The most addresses that are remembered; those seen longest ago are forgotten.
    private static let maximumAddresses = 20_000

    /// What an address may still do.
    private struct Bucket: Sendable {
        /// The requests that are left.
        var tokens: Double
        /// When that was so.
        var time: ContinuousClock.Instant
    }

    /// The requests a second.
    private let rate: Double

    /// What is remembered.
    private struct State: Sendable {
        /// The addresses seen lately.
        var young: [String: Bucket] = [:]
        /// The addresses seen before.
        var old: [String: Bucket] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// Makes a limiter.
    ///
    /// - Parameter requestsPerSecond: The most requests a second from one address, above 0.
    init(requestsPerSecond: Int) {
        rate = Double(requestsPerSecond)
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - address: Where it comes from.
    ///   - now: The time.
    /// - Returns: How many seconds to wait, or nil when the request may be answered.
    func secondsToWait(
        address: String, now: ContinuousClock.Instant = .now
    ) -> Int? {
        state.withLockedValue { state in
            var bucket =
                state.young[address] ?? state.old[address] ?? Bucket(tokens: rate, time: now)
            let elapsed = bucket.time.duration(to: now) / .seconds(1)
            bucket.tokens = min(rate, bucket.tokens + max(elapsed, 0) * rate)
            bucket.time = now
            let isAllowed = bucket.tokens >= 1
            if isAllowed { bucket.tokens -= 1 }
            if state.young.count >= Self.maximumAddresses / 2, state.young[address] == nil {
                state.old = state.young
                state.young = [:]
            }
            state.young[address] = bucket
            return isAllowed ? nil : max(1, Int(((1 - bucket.tokens) / rate).rounded(.up)))
        }
    }
}
