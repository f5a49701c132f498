internal import ActiveConfig

/// A state behind a lock that tests can await.
///
/// Conditions are evaluated under the lock at each change, so no change is missed and no polling is
/// needed.
final class AwaitableState<State: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<State, any Error>
    }

    private struct Content {
        var state: State
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
    }

    private let content: Locked<Content>

    init(_ state: State) {
        content = Locked(Content(state: state))
    }

    var value: State { content.withLock { $0.state } }

    /// Changes the state, and resumes waiters whose condition it meets.
    func withLock<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, state, woken) = content.withLock { content in
            let result = body(&content.state)
            let met = content.waiters.filter { $0.value.isMet(content.state) }
            for id in met.keys { content.waiters[id] = nil }
            return (result, content.state, met.sorted { $0.key < $1.key }.map(\.value.continuation))
        }
        for continuation in woken { continuation.resume(returning: state) }
        return result
    }

    /// Waits until a condition is met; it is evaluated under the lock.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    @discardableResult
    func wait(until isMet: @escaping @Sendable (State) -> Bool) async throws -> State {
        let id = content.withLock { content in
            content.nextID += 1
            return content.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<State, any Error>? = content.withLock { content in
                    if isMet(content.state) { return .success(content.state) }
                    // The cancellation handler can have run before the waiter was added.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    content.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = content.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }
}
