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

    @Test func callsOfALaneRunOneAtATimeInTheirOrder() async {
        let store = BlockingCalls()
        let owners = (0..<4).map { _ in
            UserEntry(.generic, policy: .immediate, listenerQueue: .main)
        }
        let lanes = owners.flatMap { [$0.reads, $0.writes] }
        let runs = Locked(
            (running: [BlockingCalls.Lane: Int](), order: [BlockingCalls.Lane: [Int]]()))
        let wrong = Locked(0)
        for number in 0..<500 {
            for lane in lanes {
                store.async(in: lane) {
                    runs.withLock { runs in
                        runs.running[lane, default: 0] += 1
                        runs.order[lane, default: []].append(number)
                        if runs.running[lane] != 1 { wrong.withLock { $0 += 1 } }
                    }
                    sched_yield()
                    runs.withLock { $0.running[lane, default: 0] -= 1 }
                }
            }
        }
        for lane in lanes { await store.run(in: lane) {} }
        #expect(wrong.withLock { $0 } == 0)
        for lane in lanes { #expect(runs.withLock { $0.order[lane] } == Array(0..<500)) }
        withExtendedLifetime(owners) {}
    }

    @Test("A store call that does not return blocks one thread; other users have their own")
    func aUserWhoseStoreCallDoesNotReturnTakesOneThread() async throws {
        let isGoingOn = DispatchSemaphore(value: 0)
        let store = ObservedStore { event in
            guard case .persist("slow", _) = event else { return }
            isGoingOn.wait()
            isGoingOn.signal()
        }
        store.base.persistConfiguration(.titled(["Home": "fast"]), forUserID: "fast")
        let config = ActiveConfig.make(store: store)
        let started = ManualClock()
        let count = 2 * BlockingCalls.maximumRunningCount
        let pushes = (1...count).map { number in
            Task {
                started.advance(by: .seconds(1))
                _ = await config.downloads.push(to: UserID("slow")) { _ in
                    .apply(.titled(["Home": "\(number)"]))
                }
            }
        }
        try await started.sleep(until: .init(offset: .seconds(count)))
        // If the calls used up all threads, the test would hang; the watchdog prevents that.
        let isOver = DispatchSemaphore(value: 0)
        let watchdogHasBitten = Locked(false)
        Thread {
            guard isOver.wait(timeout: .now() + 60) == .timedOut else { return }
            watchdogHasBitten.withLock { $0 = true }
            isGoingOn.signal()
        }.start()
        let fast = config.configuration(forUserID: "fast")
        await fast.load()
        #expect(fast["Home"]?.title == "fast")
        #expect(!watchdogHasBitten.withLock { $0 })
        isOver.signal()
        isGoingOn.signal()
        for push in pushes { await push.value }
    }

    @Test("Successive calls run in order, each once")
    func callsThatFollowOneAnother() async {
        let store = BlockingCalls()
        var numbers: [Int] = []
        for number in 0..<1_000 { numbers.append(await store.run { number }) }
        #expect(numbers == Array(0..<1_000))
    }

    @Test func aCallThatIsCancelledBeforeItsTurnIsNotMade() async throws {
        let (store, isOver) = (BlockingCalls(), DispatchSemaphore(value: 0))
        let owner = UserEntry(.generic, policy: .immediate, listenerQueue: .main)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await store.runUnlessCancelled(in: owner.writes) {
                begin.yield()
                isOver.wait()
                return 1
            }
        }
        for await _ in begun { break }
        let wasMade = Locked(false)
        let second = Task {
            try await store.runUnlessCancelled(in: owner.writes) {
                wasMade.withLock { $0 = true }
            }
        }
        first.cancel()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        isOver.signal()
        // The call has begun, so it goes on to its end.
        #expect(try await first.value == 1)
        #expect(await store.run(in: owner.writes) { !wasMade.withLock { $0 } })
        withExtendedLifetime(owner) {}
    }
}
