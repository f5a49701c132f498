internal import Dispatch

/// Runs blocking calls, such as a store's, off Swift's cooperative threads.
///
/// The cooperative pool has one thread for each core, so a few blocking calls would stop every task
/// of the process. Each serial queue gets a thread of its own; a concurrent queue shares its
/// threads on Linux.
final class BlockingCalls: Sendable {
    typealias Call = @Sendable () -> Void

    /// Limit of concurrent calls, each on a thread; more wait in order.
    static let maximumRunningCount = 64

    private struct State {
        var runningCount = 0
        /// In order from `first` on; nil once taken, so that no call is kept.
        var waiting: [Call?] = []
        var first = 0

        mutating func next() -> Call? {
            guard first < waiting.count else { return nil }
            defer {
                waiting[first] = nil
                first += 1
                if first == waiting.count { (waiting, first) = ([], 0) }
            }
            return waiting[first]
        }
    }

    private let state = Locked(State())

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
        // The thread sanitizer does not see that `resume` happens before the return; a lock shows it.
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

    /// The next waiting call; nil gives the thread back.
    private func next() -> Call? {
        state.withLock { state in
            let call = state.next()
            if call == nil { state.runningCount -= 1 }
            return call
        }
    }
}
