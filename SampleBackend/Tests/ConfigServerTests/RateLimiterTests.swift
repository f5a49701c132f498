import HTTPServing
import Testing

struct RateLimiterTests {
    private let start = ContinuousClock.now

    /// Sends requests at one time; returns their delays, nil for allowed requests.
    private func waits(
        _ count: Int, of client: String, after seconds: Double, _ limiter: RateLimiter<String>
    ) -> [Int?] {
        (0..<count).map { _ in
            limiter.secondsToWait(client, now: start + .seconds(seconds))
        }
    }

    @Test func aClientHasABurstAndThenTheRate() {
        let limiter = RateLimiter<String>(interval: .seconds(10), burst: 3)
        #expect(waits(4, of: "a", after: 0, limiter) == [nil, nil, nil, 10])
        #expect(waits(1, of: "b", after: 0, limiter) == [nil])
        // The delay is rounded up, so that a client that waits for it is allowed.
        #expect(waits(1, of: "a", after: 0.5, limiter) == [10])
        #expect(waits(1, of: "a", after: 9.5, limiter) == [1])
        #expect(waits(2, of: "a", after: 10.5, limiter) == [nil, 10])
    }

    @Test func aClientThatStaysAwaySavesNoMoreThanABurst() {
        let limiter = RateLimiter<String>(interval: .seconds(10), burst: 3)
        #expect(waits(1, of: "a", after: 0, limiter) == [nil])
        #expect(waits(4, of: "a", after: 86_400, limiter) == [nil, nil, nil, 10])
    }

    @Test func theBurstOfARateIsThatOfASecond() {
        let limiter = RateLimiter<String>(requestsPerSecond: 2)
        #expect(waits(3, of: "a", after: 0, limiter) == [nil, nil, 1])
        #expect(waits(3, of: "a", after: 1, limiter) == [nil, nil, 1])
    }

    @Test func aClientIsNotForgottenForAFewThousandOthers() {
        let limiter = RateLimiter<String>(interval: .seconds(10), burst: 1)
        #expect(waits(2, of: "a", after: 0, limiter) == [nil, 10])
        // More addresses than one of the two generations keeps.
        for number in 0..<15_000 { _ = waits(1, of: "\(number)", after: 0, limiter) }
        #expect(waits(1, of: "a", after: 1, limiter) == [9])
    }

    @Test func aRateOfZeroIsARateOfOne() {
        let limiter = RateLimiter<String>(requestsPerSecond: 0)
        let now = ContinuousClock.now
        #expect(limiter.secondsToWait("a", now: now) == nil)
        #expect(limiter.secondsToWait("a", now: now) == 1)
    }
}
