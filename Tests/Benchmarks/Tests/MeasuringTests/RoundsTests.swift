import Measuring
import Synchronization
import Testing

/// Rounds in which sides take turns.
struct RoundsTests {
    @Test func roundsLetEachSideStartInTurn() async throws {
        let order = Mutex("")
        let sides = ["a", "b", "c"].map { name in
            Side(name) {
                order.withLock { $0 += name }
                return 1
            }
        }
        _ = try await Rounds(5).measure(sides)
        let found = order.withLock { $0 }
        #expect(found == "abcbcacababcbca")
    }

    @Test func roundsGiveEachSideItsOwnFigures() async throws {
        let samples = try await Rounds(6).measure([Side("one") { 1 }, Side("two") { 2 }])
        #expect(samples[0].values == [1, 1, 1, 1, 1, 1])
        #expect(samples[1].values == [2, 2, 2, 2, 2, 2])
    }

    @Test func roundsRefuseWorkThatDoesNotDoTheSameEachTime() async throws {
        let runs = Mutex(0)
        let side = try Side.repeating("counting", for: .zero) {
            runs.withLock { runs in
                runs += 1
                return runs
            }
        }
        await #expect(throws: UnequalResults.self) { try await Rounds(5).measure([side]) }
    }

    @Test func theTimeOfARoundIsDividedByItsOperations() async throws {
        let runs = Mutex(0)
        let side = try Side.repeating(
            "in threes", for: .microseconds(3), batch: 10,
            timer: { work in
                try work()
                return 1_000
            },
            {
                runs.withLock { $0 += 1 }
                return 1
            })
        let samples = try await Rounds(5).measure([side])
        let time = 1_000.0 / 30
        #expect(samples[0].values == [time, time, time, time, time])
        let count = runs.withLock { $0 }
        #expect(count == 2 + 5 * 3)
    }

    @Test func threadsAllDoTheWork() async throws {
        let runs = Mutex(0)
        let side = Side.parallel("two", threads: 2, runs: 3) {
            runs.withLock { $0 += 1 }
            return 1
        }
        let samples = try await Rounds(5).measure([side])
        #expect(samples[0].values.allSatisfy { $0 > 0 })
        let count = runs.withLock { $0 }
        #expect(count == 1 + 5 * 2 * 3)
    }

    @Test func threadsThatDoNotDoTheSameAreRefused() async throws {
        let runs = Mutex(0)
        let side = Side.parallel("counting", threads: 2, runs: 1) {
            runs.withLock { runs in
                runs += 1
                return runs
            }
        }
        await #expect(throws: UnequalResults.self) { try await Rounds(5).measure([side]) }
    }
}
