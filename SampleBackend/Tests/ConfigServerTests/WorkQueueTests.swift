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
        let admissions = (0..<6).map { _ in queue.admit(Work(), holding: 1, at: Self.start) }
        #expect(admissions == [.run, .run, .wait, .wait, .refuse, .refuse])
    }

    @Test func workThatWaitsBeginsInOrder() {
        var queue = Self.queue()
        let all = (0..<3).map { _ in Work() }
        for work in all { _ = queue.admit(work, holding: 1, at: Self.start) }
        let next = (0..<3).map { _ in queue.finish() }
        #expect(next[0] === all[1])
        #expect(next[1] === all[2])
        #expect(next[2] == nil)
        let admissions = (0..<2).map { _ in queue.admit(Work(), holding: 1, at: Self.start) }
        #expect(admissions == [.run, .wait])
    }

    @Test func workThatWaitsTooLongMakesRoom() {
        var queue = Self.queue(waiting: 3, wait: .seconds(2))
        let all = (0..<4).map { _ in Work() }
        for (second, work) in all.enumerated() {
            _ = queue.admit(work, holding: 1, at: Self.start + .seconds(second))
        }
        let refused = queue.admit(Work(), holding: 1, at: Self.start + .seconds(3))
        #expect(refused == .refuse)
        let none = queue.removeLate(at: Self.start + .seconds(3))
        #expect(none.isEmpty)
        // The first item runs; those enqueued at the seconds 1 and 2 have waited for more than two
        // seconds.
        let late = queue.removeLate(at: Self.start + .milliseconds(4_001))
        #expect(late.count == 2 && late[0] === all[1] && late[1] === all[2])
        let isWithdrawn = queue.withdraw(all[1])
        #expect(!isWithdrawn)
        let admission = queue.admit(Work(), holding: 1, at: Self.start + .seconds(5))
        #expect(admission == .wait)
        let next = queue.finish()
        #expect(next === all[3])
    }

    @Test func workThatWaitsHoldsABoundedAmountOfMemory() {
        var queue = WorkQueue<Work>(
            limits: WorkLimits(running: 1, waiting: 9, waitingBytes: 100, wait: .seconds(10)))
        let all = (0..<7).map { _ in Work() }
        func admit(_ number: Int, _ bytes: Int) -> WorkQueue<Work>.Admission {
            queue.admit(all[number], holding: bytes, at: Self.start)
        }
        let first = [admit(0, 1_000), admit(1, 60), admit(2, 41), admit(3, 40), admit(2, 1)]
        #expect(first == [.run, .wait, .refuse, .wait, .refuse])
        // Neither started nor withdrawn work counts.
        let next = queue.finish()
        #expect(next === all[1])
        let second = [admit(4, 60), admit(5, 1)]
        #expect(second == [.wait, .refuse])
        let areWithdrawn = [all[3], all[4]].map { queue.withdraw($0) }
        #expect(areWithdrawn == [true, true])
        let last = [admit(5, 101), admit(6, 1)]
        #expect(last == [.wait, .refuse])
    }

    @Test func onlyWorkThatWaitsIsWithdrawn() {
        var queue = Self.queue()
        let all = (0..<3).map { _ in Work() }
        for work in all { _ = queue.admit(work, holding: 1, at: Self.start) }
        let withdrawals = [all[0], all[1], all[1]].map { queue.withdraw($0) }
        #expect(withdrawals == [false, true, false])
        let next = queue.finish()
        #expect(next === all[2])
        let isWithdrawn = queue.withdraw(all[2])
        #expect(!isWithdrawn)
    }
}
