import Foundation
import Testing

@testable import ActiveConfig

struct BackoffTests {
    private static func wait(
        _ backoff: FetchPolicy.Backoff, afterFailures count: Int, _ failure: FetchPolicy.Failure
    ) -> Double {
        backoff.wait(afterFailures: count, failure, drawn: backoff.draw())
    }

    private static func failure(_ status: Int, retryAfter: Duration? = nil) throws
        -> FetchPolicy.Failure
    {
        try #require(
            FetchPolicy.Failure(
                DownloadError(.httpStatus, status: status, retryAfter: retryAfter)))
    }

    @Test func theLimitDoublesUpToTheMaximum() throws {
        var generator = SeededGenerator.printingItsSeed()
        let failure = try Self.failure(503)
        let limits = [120, 240, 480, 960, 1_920, 3_840, 7_680, 14_400, 14_400]
        for (index, limit) in limits.enumerated() {
            let waits = (0..<2_000).map { _ in
                Self.wait(
                    FetchPolicy.Backoff(generator: SeededGenerator(seed: generator.next())),
                    afterFailures: index + 1, failure)
            }
            #expect(waits.allSatisfy { (0...Double(limit)).contains($0) })
            // The waits are drawn from the whole range.
            #expect((waits.min() ?? 0) < Double(limit) / 20)
            #expect((waits.max() ?? 0) > Double(limit) * 19 / 20)
        }
        let backoff = FetchPolicy.Backoff()
        #expect(Self.wait(backoff, afterFailures: .max, failure) <= 14_400)
    }

    @Test("10,000 clients that failed together return evenly spread over the seconds")
    func clientsSpread() throws {
        var generator = SeededGenerator.printingItsSeed()
        let failure = try Self.failure(503)
        var counts = [Int](repeating: 0, count: 120)
        for _ in 0..<10_000 {
            let backoff = FetchPolicy.Backoff(generator: SeededGenerator(seed: generator.next()))
            counts[min(119, Int(Self.wait(backoff, afterFailures: 1, failure)))] += 1
        }
        // The average is 83.
        #expect((counts.max() ?? 0) < 200)
        #expect((counts.min() ?? 0) > 20)
    }

    @Test func clientsThatGetTheSameRetryAfterSpreadBehindIt() throws {
        var generator = SeededGenerator.printingItsSeed()
        let failure = try Self.failure(429, retryAfter: .seconds(3_000))
        let waits = (0..<1_000).map { _ in
            Self.wait(
                FetchPolicy.Backoff(generator: SeededGenerator(seed: generator.next())),
                afterFailures: 1, failure)
        }
        #expect(waits.allSatisfy { (3_000...3_300).contains($0) })
        #expect(Set(waits.map { Int($0) }).count > 100)
    }

    @Test func theSameSeedDrawsTheSameWaits() throws {
        let failure = try Self.failure(503)
        let waits = (0..<2).map { _ in
            let backoff = FetchPolicy.Backoff(generator: SeededGenerator(seed: 7))
            return (1...5).map { Self.wait(backoff, afterFailures: $0, failure) }
        }
        #expect(waits[0] == waits[1])
    }

    @Test func limitsOutsideTheirRangeAreClamped() {
        let backoff = FetchPolicy.Backoff(initial: .seconds(-1), maximum: .zero)
        #expect(backoff.initial == .seconds(1) && backoff.maximum == .seconds(1))
        #expect(FetchPolicy.Backoff(maximum: .seconds(1e12)).maximum == .seconds(30 * 86_400))
    }
}
