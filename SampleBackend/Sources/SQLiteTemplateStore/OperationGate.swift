import TemplateStore

/// Counts operations, so that closing can wait for their end.
final class OperationGate: Sendable {
    /// What the lock guards.
    private struct State {
        /// Running operations.
        var operations = 0
        /// Set by closing: no operation may begin.
        var isClosed = false
        /// Waits for the end of all operations.
        var waiters: [CheckedContinuation<Void, Never>] = []

        /// Those whose wait is over.
        mutating func takeWaitersAtEnd() -> [CheckedContinuation<Void, Never>] {
            guard operations == 0 else { return [] }
            defer { waiters = [] }
            return waiters
        }
    }

    private let state = Locked(State())

    /// Begins an operation.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `unavailable`, after the close.
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

    /// Lets no operation begin any more, and waits for those under way.
    ///
    /// - Returns: Whether this is the first call.
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
