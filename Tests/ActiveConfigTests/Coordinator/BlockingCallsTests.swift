import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct BlockingCallsTests {
    @Test func manyCallsThatHangTakeABoundedNumberOfThreads() async throws {
        let store = BlockingCalls()
        let most = BlockingCalls.maximumRunningCount
        let isGoingOn = DispatchSemaphore(value: 0)
        let counts = Locked((running: 0, peak: 0))
        let started = ManualClock()
        let ended = ManualClock()
        let count = most * 4
        for _ in 0..<count {
            store.async {
                counts.withLock { counts in
                    counts.running += 1
                    counts.peak = max(counts.peak, counts.running)
                }
                started.advance(by: .seconds(1))
                isGoingOn.wait()
                counts.withLock { $0.running -= 1 }
                ended.advance(by: .seconds(1))
            }
        }
        try await started.sleep(until: .init(offset: .seconds(most)))
        #expect(counts.withLock { $0.running } == most)
        for _ in 0..<count { isGoingOn.signal() }
        try await ended.sleep(until: .init(offset: .seconds(count)))
        #expect(counts.withLock { $0.peak } == most)
    }

    @Test("Calls that follow one another run in order, each once")
    func callsThatFollowOneAnother() async {
        let store = BlockingCalls()
        var numbers: [Int] = []
        for number in 0..<1_000 { numbers.append(await store.run { number }) }
        #expect(numbers == Array(0..<1_000))
    }
}
