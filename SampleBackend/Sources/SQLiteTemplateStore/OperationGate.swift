import TemplateStore

/// Counts running operations, so that closing can wait for them.
final class OperationGate: Sendable {
    private struct State {
        /// Number of running operations.
        var operations = 0
        /// Set by `close()`; no operation can begin afterwards.
        var isClosed = false
        /// Continuations that wait for the end of all operations.
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// Removes and returns the waiters if no operation is running.
        mutating func takeWaitersAtEnd() -> [CheckedContinuation<Void, Never>] {
            guard operations == 0 else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Locked(State())

    /// Begins an operation.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `unavailable` after `close()`.
    func enter() throws(TemplateStoreError) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.operations += 1 }
            return state.isClosed
        }
        if isClosed { throw .closed }
    }

    /// Ends an operation.
    func leave() {
        let waiters = state.withLock { state in
            state.operations -= 1
            return state.takeWaitersAtEnd()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Prevents further operations, and waits for the running ones.
    ///
    /// - Returns: True for the first call.
    func close() async -> Bool {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        await withCheckedContinuation { continuation in
            let waiters = state.withLock { state in
                state.waiters.append(continuation)
                return state.takeWaitersAtEnd()
            }
            for waiter in waiters { waiter.resume() }
        }
        return isFirst
    }
}
