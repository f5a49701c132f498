/// A task that any number of callers await.
///
/// The work yields an answer, from which the task's runner makes the callers' value. A cancelled
/// caller leaves at once. When the last caller leaves before the answer arrives, the task is
/// abandoned, unless it was also started without a caller.
final class SharedTask<Answer: Sendable, Value: Sendable>: Sendable {
    private struct State {
        /// True once the answer has arrived or is no longer accepted.
        var isSettled = false
        /// Called once settled.
        var end: (@Sendable (Result<Answer, any Error>) -> Void)?
        /// The work and its time limit, while they run.
        var tasks: [Task<Void, Never>] = []
        var isAbandoned = false
        var outcome: Result<Value, any Error>?
        var waiting: [Int: CheckedContinuation<Value, any Error>?] = [:]
        var nextTicket = 0
        var isDetached = false
    }

    private let state = Locked(State())

    init() {}

    /// True once its answer is ignored.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Keeps it running without callers; false when it is already abandoned.
    func detach() -> Bool {
        state.withLock { state in
            if !state.isAbandoned { state.isDetached = true }
            return !state.isAbandoned
        }
    }

    /// A ticket for `value(_:)`; nil when the task is already abandoned.
    func join() -> Int? {
        state.withLock { state in
            if state.isAbandoned { return nil }
            state.nextTicket += 1
            state.waiting[state.nextTicket] = .some(nil)
            return state.nextTicket
        }
    }

    /// - Throws: what the task threw; `CancellationError` when the caller is cancelled.
    func value(_ ticket: Int) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Value, any Error>? = state.withLock { state in
                    if let outcome = state.outcome { return outcome }
                    // The caller was cancelled and has left before it got here.
                    if state.waiting[ticket] == nil { return .failure(CancellationError()) }
                    state.waiting[ticket] = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            leave(ticket)
        }
    }

    /// Ignores the answer, even one that has arrived.
    func markAbandoned() { state.withLock { $0.isAbandoned = true } }

    /// Ends the task and ignores its answer, even one that has arrived.
    func abandon() {
        markAbandoned()
        settle(.failure(CancellationError()))
    }

    func finish(_ outcome: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [:] }
            return state.waiting.values.compactMap { $0 }
        }
        for continuation in waiting { continuation.resume(with: outcome) }
    }

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state in
            state.outcome == nil ? state.waiting.removeValue(forKey: ticket) : nil
        }
        guard let continuation else { return }
        settle(.failure(CancellationError())) { state in
            let isLeft = state.waiting.isEmpty && !state.isDetached
            // The task can be abandoned already.
            state.isAbandoned = state.isAbandoned || isLeft
            return isLeft
        }
        continuation?.resume(throwing: CancellationError())
    }
}

extension SharedTask {
    /// Starts the work in a task of its own, unless this one is already abandoned.
    ///
    /// Work that ignores its cancellation continues in the background.
    ///
    /// `end` is called once, on any thread, when the work ends, times out or is abandoned,
    /// whichever comes first, and before the last caller continues. It is a closure because each
    /// return to a task waits for a cooperative thread, and all of them may be busy.
    func start(
        _ work: @escaping @Sendable () async throws -> Answer,
        then end: @escaping @Sendable (Result<Answer, any Error>) -> Void
    ) {
        let isSettled = state.withLock { state in
            if !state.isSettled { state.end = end }
            return state.isSettled
        }
        if isSettled { return end(.failure(CancellationError())) }
        keep(
            Task {
                do { settle(.success(try await work())) } catch { settle(.failure(error)) }
            })
    }

    /// Cancels a task as soon as this one is settled.
    func keep(_ task: Task<Void, Never>) {
        let isSettled = state.withLock { state in
            if !state.isSettled { state.tasks.append(task) }
            return state.isSettled
        }
        if isSettled { task.cancel() }
    }

    /// True once the answer has arrived or is no longer accepted.
    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Settles the task with a failure; only the first answer settles it.
    func fail(_ error: any Error) { settle(.failure(error)) }

    /// Settles the task once, provided that `condition` holds.
    private func settle(
        _ result: Result<Answer, any Error>, if condition: (inout State) -> Bool = { _ in true }
    ) {
        let settled = state.withLock { state -> State? in
            guard !state.isSettled, condition(&state) else { return nil }
            state.isSettled = true
            defer { (state.end, state.tasks) = (nil, []) }
            return state
        }
        guard let settled else { return }
        for task in settled.tasks { task.cancel() }
        settled.end?(result)
    }
}
