/// The newest revision that a store knows of, and those who wait for a newer one.
package final class ChangeSignal: Sendable {
    /// One who waits.
    private struct Waiter {
        /// The revision that has to be passed.
        let revision: StoreRevision
        /// Ends the wait.
        let continuation: CheckedContinuation<Void, Never>
    }

    /// What the lock guards.
    private struct State {
        /// The newest revision.
        var latest: StoreRevision
        /// Those who wait.
        var waiters: [UInt64: Waiter] = [:]
        /// Those whose wait was cancelled before it began.
        var cancelled: Set<UInt64> = []
        /// The number of the next wait.
        var nextID: UInt64 = 0
        /// Whether the store is closed.
        var isFinished = false
    }

    /// The state.
    private let state: Locked<State>

    /// Makes a signal that begins at a revision.
    package init(_ revision: StoreRevision) { state = Locked(State(latest: revision)) }

    /// The newest revision.
    package var latest: StoreRevision { state.withLock(\.latest) }

    /// Whether the store is closed.
    package var isFinished: Bool { state.withLock(\.isFinished) }

    /// Whether anybody waits.
    package var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Tells those who wait for it that there is a revision.
    package func advance(to revision: StoreRevision) {
        resume { state in
            if revision > state.latest { state.latest = revision }
            let latest = state.latest
            return { $0.revision < latest }
        }
    }

    /// Lets everybody look again, as when the engine failed.
    package func wake() {
        resume { _ in { _ in true } }
    }

    /// Ends all waits, those to come too.
    package func finish() {
        resume { state in
            state.isFinished = true
            return { _ in true }
        }
    }

    /// Waits for a newer revision, for ``wake()``, ``finish()`` or the task's cancellation.
    ///
    /// - Parameters:
    ///   - revision: The revision that has to be passed.
    ///   - whenWaiting: Called when ``hasWaiters`` has become true by this wait.
    package func wait(
        after revision: StoreRevision, whenWaiting: @Sendable () -> Void = {}
    ) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    let isCancelled = state.cancelled.remove(id) != nil
                    if isCancelled || state.isFinished || revision < state.latest { return true }
                    state.waiters[id] = Waiter(revision: revision, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() } else { whenWaiting() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.continuation.resume()
        }
        state.withLock { _ = $0.cancelled.remove(id) }
    }

    /// Changes the state, and ends the waits that the change says.
    private func resume(_ change: (inout State) -> (Waiter) -> Bool) {
        let ended = state.withLock { state in
            let isOver = change(&state)
            let ended = state.waiters.filter { isOver($0.value) }
            for id in ended.keys { state.waiters[id] = nil }
            return ended.values.map(\.continuation)
        }
        for continuation in ended { continuation.resume() }
    }
}
