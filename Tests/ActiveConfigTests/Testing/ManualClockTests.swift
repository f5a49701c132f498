import ActiveConfigTesting
import Testing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ManualClockTests {
    private let clock = ManualClock()

    @Test func theClockStandsStillUntilItIsMoved() {
        let start = clock.now
        #expect(clock.now == start)
        clock.advance(by: .seconds(5))
        #expect(start.duration(to: clock.now) == .seconds(5))
    }

    @Test func theClockWakesThoseWhoseMomentHasCome() async throws {
        let short = Task { try await clock.sleep(for: .seconds(1)) }
        let long = Task { try await clock.sleep(for: .seconds(10)) }
        try await clock.waitForSleepers(2)
        #expect(clock.deadlines.map(\.offset) == [.seconds(1), .seconds(10)])
        clock.advance(by: .seconds(1))
        try await short.value
        #expect(clock.deadlines.map(\.offset) == [.seconds(10)])
        clock.advance(by: .seconds(9))
        try await long.value
        #expect(clock.deadlines.isEmpty)
    }

    @Test func theClockDoesNotSleepForWhatIsPast() async throws {
        clock.advance(by: .seconds(3))
        try await clock.sleep(until: .init(offset: .seconds(3)))
        try await clock.sleep(until: .init(offset: .seconds(1)))
    }

    @Test func aCancelledSleepEndsAndIsForgotten() async throws {
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.deadlines.isEmpty)
    }

    @Test func waitingForSleepersCanBeCancelled() async {
        let task = Task { try await clock.waitForSleepers(1) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func theClockWakesEverySleeperUnderContention() async throws {
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 1...200 {
                        try await clock.sleep(until: .init(offset: .seconds(step * 8 + task)))
                    }
                }
            }
            group.addTask {
                for _ in 0..<1_700 {
                    clock.advance(by: .seconds(1))
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        #expect(clock.deadlines.isEmpty)
    }

    @Test func theClockDoesNotGoBack() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            ManualClock().advance(by: .seconds(-1))
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("A clock does not go back."))
    }
}
