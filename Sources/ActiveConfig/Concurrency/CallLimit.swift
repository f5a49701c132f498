/// Limits the number of concurrent calls; further calls wait in order.
package final class CallLimit: Sendable {
    private struct State {
        var freeCount: Int
        var lastNumber = 0
        var waiting: [(number: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Locked<State>

    package init(_ count: Int) { state = Locked(State(freeCount: max(count, 1))) }

    /// Runs `body` in its turn.
    ///
    /// - Throws: What `body` throws; `CancellationError` when the task is cancelled before its turn.
    package func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        guard await takeTurn() else { throw CancellationError() }
        defer { endTurn() }
        return try await body()
    }

    /// False when the task was cancelled.
    private func takeTurn() async -> Bool {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasTurn: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.freeCount > 0 {
                        state.freeCount -= 1
                        return true
                    }
                    state.waiting.append((number, continuation))
                    return nil
                }
                if let hasTurn { continuation.resume(returning: hasTurn) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map {
                    state.waiting.remove(at: $0)
                }
            }
            waiter?.continuation.resume(returning: false)
        }
    }

    private func endTurn() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
            state.freeCount += 1
            return nil
        }
        next?.resume(returning: true)
    }
}
