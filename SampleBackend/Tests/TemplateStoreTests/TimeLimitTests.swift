import SeededRandomness
import TemplateStore
import Testing

@Suite("Operations for a limited time", .timeLimit(.minutes(Rounds.minutes)))
struct TimeLimitTests {
    /// The caller does not wait for an operation that ignores its cancellation.
    @Test func anOperationThatNeverEndsIsNotWaitedFor() async {
        let (endless, end) = AsyncStream.makeStream(of: Void.self)
        let found = await result(within: .milliseconds(1)) {
            // An unstructured task is not cancelled with the task that waits for it.
            await Task { for await _ in endless {} }.value
            return 1
        }
        #expect(found == nil)
        end.finish()
    }

    @Test func aResultInTimeIsReturned() async {
        // deadline: the result is available immediately
        let found = await result(within: .seconds(60)) { 1 }
        #expect(found == 1)
    }

    /// A waiting operation is cancelled with its task.
    @Test func aCancelledTaskHasNoResult() async {
        let (endless, end) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            // deadline: the task is cancelled earlier
            await result(within: .seconds(3_600)) { for await _ in endless {} }
        }
        waiting.cancel()
        #expect(await waiting.value == nil)
        end.finish()
    }
}
