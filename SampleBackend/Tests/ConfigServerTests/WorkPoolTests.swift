import NIOConcurrencyHelpers
import SeededRandomness
import Testing

@testable import HTTPServing

/// Work on dedicated threads.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct WorkPoolTests {
    private static let threads = WorkThreads()

    /// Number of work items that run now, and the maximum that ran at once.
    private struct Load: Sendable {
        var now = 0
        var most = 0

        mutating func change(by difference: Int) {
            now += difference
            most = max(most, now)
        }
    }

    @Test func eachPieceRunsOnceAndNeverTooManyAtOnce() async {
        let count = 1_000
        let pool = WorkPool(Self.threads, waiting: count, wait: .seconds(3_600))
        let load = NIOLockedValueBox(Load())
        let (ends, continuation) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<count {
            let work = pool.submit {
                load.withLockedValue { $0.change(by: 1) }
                await Task.yield()
                load.withLockedValue { $0.change(by: -1) }
                continuation.yield(number)
            }
            #expect(work != nil)
        }
        var numbers: Set<Int> = []
        for await number in ends {
            numbers.insert(number)
            if numbers.count == count { break }
        }
        #expect(load.withLockedValue { $0.most } <= 2 * Self.threads.count)
    }

    @Test func workThatHasWaitedTooLongIsRefusedWhenOtherWorkEnds() async {
        let pool = WorkPool(Self.threads, waiting: 2, wait: .zero)
        let (ends, continuation) = AsyncStream.makeStream(of: String.self)
        let gates = (0..<2 * Self.threads.count).map { _ in AsyncStream.makeStream(of: Never.self) }
        for gate in gates { _ = pool.submit { for await _ in gate.stream {} } }
        let late = pool.submit(
            holding: 0, { continuation.yield("begun") }, refuse: { continuation.yield("refused") })
        #expect(late != nil)
        for gate in gates { gate.continuation.finish() }
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == "refused")
        #expect(late?.withdraw() == false)
    }

    @Test func aResultThatNobodyAwaitsAnyMoreIsNotComputed() async throws {
        #expect(try await WorkPool.unlimited.result { 1 } == 1)
        let pool = WorkPool(Self.threads, waiting: 1, wait: .seconds(3_600))
        let gates = (0..<2 * Self.threads.count).map { _ in AsyncStream.makeStream(of: Never.self) }
        for gate in gates { _ = pool.submit { for await _ in gate.stream {} } }
        let waiting = Task { try await pool.result { 2 } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let place = try #require(pool.submit {})
        await #expect(throws: RequestError.self) { try await pool.result { 3 } }
        #expect(place.withdraw())
        for gate in gates { gate.continuation.finish() }
    }

    @Test func workThatWaitsIsRefusedWithdrawnOrRun() async {
        let pool = WorkPool(Self.threads, waiting: 2, wait: .seconds(3_600))
        let (ends, continuation) = AsyncStream.makeStream(of: String.self)
        let gates = (0..<2 * Self.threads.count).map { _ in AsyncStream.makeStream(of: Never.self) }
        for gate in gates {
            let running = pool.submit { for await _ in gate.stream {} }
            #expect(running?.withdraw() == false)
        }
        let first = pool.submit { continuation.yield("first") }
        #expect(pool.submit { continuation.yield("second") } != nil)
        #expect(pool.submit { continuation.yield("third") } == nil)
        #expect(first?.withdraw() == true)
        #expect(pool.submit { continuation.yield("fourth") } != nil)
        for gate in gates { gate.continuation.finish() }
        var iterator = ends.makeAsyncIterator()
        #expect(await iterator.next() == "second")
        #expect(await iterator.next() == "fourth")
    }
}

extension WorkPool {
    fileprivate func submit(_ body: @escaping @Sendable () async -> Void) -> PooledWork? {
        submit(holding: 0, body, refuse: {})
    }
}
