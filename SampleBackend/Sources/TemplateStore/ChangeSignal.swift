/// The newest known revision of a store, and the tasks that wait for a newer one.
package final class ChangeSignal: Sendable {
    private struct Waiter {
        /// Resumed by any later revision.
        let revision: StoreRevision
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var latest: StoreRevision
        var waiters: [UInt64: Waiter] = [:]
        /// Waits that were cancelled before they started.
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
        var isFinished = false
    }

    private let state: Locked<State>

    package init(_ revision: StoreRevision) { state = Locked(State(latest: revision)) }

    package var latest: StoreRevision { state.withLock(\.latest) }

    package var isFinished: Bool { state.withLock(\.isFinished) }

    package var hasWaiters: Bool { state.withLock { !$0.waiters.isEmpty } }

    /// Resumes the waits for revisions before this one.
    package func advance(to revision: StoreRevision) {
        resume { state in
            if revision > state.latest { state.latest = revision }
            let latest = state.latest
            return { $0.revision < latest }
        }
    }

    /// Resumes all waits, so that readers notice an engine's failure.
    package func wake() {
        resume { _ in { _ in true } }
    }

    /// Resumes all waits, including later ones.
    package func finish() {
        resume { state in
            state.isFinished = true
            return { _ in true }
        }
    }

    /// Waits for a revision after `revision`, for ``wake()``, for ``finish()`` or for cancellation
    /// of the task.
    ///
    /// Calls `whenWaiting` when this wait makes ``hasWaiters`` true.
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

    /// Changes the state, and resumes the waits that satisfy the returned predicate.
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
