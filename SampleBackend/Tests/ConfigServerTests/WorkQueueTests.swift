import Testing

@testable import HTTPServing

/// Which work of a pool runs, waits, or is refused.
struct WorkQueueTests {
    private final class Work: Sendable {}

    private static let start = ContinuousClock.now

    private static func queue(
        running: Int = 1, waiting: Int = 2, wait: Duration = .seconds(10)
    ) -> WorkQueue<Work> {
        WorkQueue(limits: WorkLimits(running: running, waiting: waiting, wait: wait))
    }

    @Test func workRunsThenWaitsThenIsRefused() {
        var queue = Self.queue(running: 2, waiting: 2)
        let admissions = (0..<6).map { _ in queue.admit(Work(), at: Self.start) }
        #expect(admissions == [.run, .run, .wait, .wait, .refuse, .refuse])
    }

    @Test func workThatWaitsBeginsInOrder() {
        var queue = Self.queue()
        let all = (0..<3).map { _ in Work() }
        for work in all { _ = queue.admit(work, at: Self.start) }
        let next = (0..<3).map { _ in queue.finish() }
        #expect(next[0] === all[1])
        #expect(next[1] === all[2])
        #expect(next[2] == nil)
        let admissions = (0..<2).map { _ in queue.admit(Work(), at: Self.start) }
        #expect(admissions == [.run, .wait])
    }

    @Test func workIsRefusedWhileTheOldestWaitsTooLong() {
        var queue = Self.queue(waiting: 10, wait: .seconds(2))
        let times: [Duration] = [.zero, .seconds(1), .seconds(3), .milliseconds(3_001)]
        let admissions = times.map { queue.admit(Work(), at: Self.start + $0) }
        #expect(admissions == [.run, .wait, .wait, .refuse])
        _ = queue.finish()
        // The oldest waits for two seconds only.
        let admission = queue.admit(Work(), at: Self.start + .seconds(5))
        #expect(admission == .wait)
    }

    @Test func onlyWorkThatWaitsIsWithdrawn() {
        var queue = Self.queue()
        let all = (0..<3).map { _ in Work() }
        for work in all { _ = queue.admit(work, at: Self.start) }
        let withdrawals = [all[0], all[1], all[1]].map { queue.withdraw($0) }
        #expect(withdrawals == [false, true, false])
        let next = queue.finish()
        #expect(next === all[2])
        let isWithdrawn = queue.withdraw(all[2])
        #expect(!isWithdrawn)
    }
}
