import Measuring
import Testing

/// Statistics of samples.
struct SamplesTests {
    /// Figures with their median and spread.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let values: [Double]
        let median: Double
        let spread: Double
    }

    static let cases = [
        Case(testDescription: "one figure", values: [7], median: 7, spread: 0),
        Case(testDescription: "an odd number", values: [9, 1, 5], median: 5, spread: 0.8),
        Case(testDescription: "an even number", values: [8, 2, 4, 6], median: 5, spread: 0.6),
        Case(testDescription: "one wild figure", values: [1, 1, 1, 1, 900], median: 1, spread: 0),
        Case(testDescription: "nothing but zeros", values: [0, 0], median: 0, spread: 0),
    ]

    @Test(arguments: cases)
    func samplesHaveAMedianAndASpread(_ row: Case) {
        let samples = Samples(row.values)
        #expect(samples.median == row.median)
        #expect(abs(samples.spread - row.spread) < 1e-12)
    }

    @Test func quantilesReachFromTheLeastToTheGreatest() {
        let samples = Samples([3, 1, 2])
        #expect(samples.quantile(0) == 1)
        #expect(samples.quantile(1) == 3)
        #expect(samples.quantile(0.25) == 1.5)
    }

    @Test func samplesRefuseToBeEmpty() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                _ = Samples([])
            })
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("at least one figure"))
    }
}
