internal import Dispatch

/// Runs calls that may wait: of a store, which locks and synchronizes files.
///
/// Swift's cooperative pool has one thread for each core, and a few such calls would stop every
/// task of the process. Serial queues have threads beside that pool, one for each that has work; a
/// concurrent queue shares its threads on Linux.
final class BlockingCalls: Sendable {
    typealias Call = @Sendable () -> Void

    /// The most calls that run at once, each on a thread; the others wait.
    static let maximumRunningCount = 64

    private let state = Locked((runningCount: 0, waiting: ArraySlice<Call>()))

    /// Runs `call` on a thread of its own, in its turn.
    func async(_ call: @escaping Call) {
        let runsNow = state.withLock { state in
            if state.runningCount == Self.maximumRunningCount {
                state.waiting.append(call)
                return false
            }
            state.runningCount += 1
            return true
        }
        guard runsNow else { return }
        DispatchQueue(label: "ActiveConfig.store").async {
            call()
            while let next = self.next() { next() }
        }
    }

    /// Runs `body` while the task is suspended.
    func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        // The thread sanitizer sees no order between a continuation's two ends, but that of a lock.
        let isDone = Locked(false)
        let result = await withCheckedContinuation { continuation in
            async {
                let result = body()
                isDone.withLock { $0 = true }
                continuation.resume(returning: result)
            }
        }
        isDone.withLock { _ in }
        return result
    }

    /// The call that has waited longest; nil when none waits, and the thread is given back.
    private func next() -> Call? {
        state.withLock { state in
            let call = state.waiting.popFirst()
            if call == nil { state.runningCount -= 1 }
            return call
        }
    }
}
