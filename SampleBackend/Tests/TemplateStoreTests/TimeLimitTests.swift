import SeededRandomness
import TemplateStore
import Testing

@Suite("Operations for a limited time", .timeLimit(.minutes(Rounds.minutes)))
struct TimeLimitTests {
    /// Nobody waits for an operation that does not notice that it is cancelled.
    @Test func anOperationThatNeverEndsIsNotWaitedFor() async {
        let (endless, end) = AsyncStream.makeStream(of: Void.self)
        let found = await result(within: .milliseconds(1)) {
            // A task of its own is not cancelled with the one that waits for it.
            await Task { for await _ in endless {} }.value
            return 1
        }
        #expect(found == nil)
        end.finish()
    }

    @Test func aResultInTimeIsReturned() async {
        // deadline: the result is there at once
        let found = await result(within: .seconds(60)) { 1 }
        #expect(found == 1)
    }

    /// One that waits is cancelled with its task.
    @Test func aCancelledTaskHasNoResult() async {
        let (endless, end) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            // deadline: the task is cancelled before
            await result(within: .seconds(3_600)) { for await _ in endless {} }
        }
        waiting.cancel()
        #expect(await waiting.value == nil)
        end.finish()
    }
}
