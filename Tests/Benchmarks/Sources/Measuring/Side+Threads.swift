import Foundation
import Synchronization

extension Side {
    /// Side that repeats work on several threads that start at the same time.
    ///
    /// Uses elapsed time, because a waiting thread uses no processor time. The figure is the time
    /// per operation of all threads together: half of one thread's if two threads do not slow each
    /// other down.
    ///
    /// - Parameters:
    ///   - name: Name of the measured operation.
    ///   - threads: Number of threads.
    ///   - runs: Number of runs of the work on each thread.
    ///   - batch: Number of operations in one run of the work.
    ///   - work: Does the work, and returns a number that depends on all of it. The number must be
    ///     the same each time.
    /// - Returns: The side.
    public static func parallel(
        _ name: String, threads: Int, runs: Int, batch: Int = 1,
        _ work: @escaping @Sendable () -> Int
    ) -> Side {
        let expected = work()
        return Side(name) {
            let time = try time(name, threads: threads, runs: runs, expected: expected, work)
            return time / Double(threads * runs * batch)
        }
    }

    /// - Returns: Nanoseconds from the first start to the last end.
    private static func time(
        _ name: String, threads: Int, runs: Int, expected: Int,
        _ work: @escaping @Sendable () -> Int
    ) throws -> Double {
        let waiting = Atomic<Int>(threads)
        let wrong = Atomic<Int>(0)
        let times = Mutex<[(start: ContinuousClock.Instant, end: ContinuousClock.Instant)]>([])
        let ended = DispatchGroup()
        for _ in 0..<threads {
            ended.enter()
            Thread.detachNewThread {
                waiting.subtract(1, ordering: .acquiringAndReleasing)
                while waiting.load(ordering: .acquiring) > 0 {}
                let start = ContinuousClock.now
                var wrongRuns = 0
                for _ in 0..<runs where work() != expected { wrongRuns += 1 }
                let end = ContinuousClock.now
                times.withLock { $0.append((start, end)) }
                wrong.add(wrongRuns, ordering: .relaxed)
                ended.leave()
            }
        }
        ended.wait()
        let wrongRuns = wrong.load(ordering: .relaxed)
        if wrongRuns > 0 {
            throw UnequalResults(name: name, runs: threads * runs, wrong: wrongRuns)
        }
        let (start, end) = times.withLock { ($0.map(\.start).min(), $0.map(\.end).max()) }
        guard let start, let end else { return 0 }
        return (end - start) / .nanoseconds(1)
    }
}
