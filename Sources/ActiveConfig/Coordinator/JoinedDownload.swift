/// A download of one user's configuration, awaited by any number of callers.
///
/// A cancelled caller leaves at once. When the last one leaves before the answer has arrived, the
/// download is abandoned, unless somebody asked for it without waiting.
final class JoinedDownload: Sendable {
    /// A request with its answer.
    struct Exchange: Sendable {
        let lastKnown: ConfigurationState?
        /// The user's revision when the request was made.
        let revision: Int
        /// Nil when nothing has changed; `lastKnown` with another version when nothing else has.
        let answer: ConfigurationState?
        var outcome = DownloadOutcome.downloaded
    }

    /// A request that was made.
    struct Attempt: Sendable {
        let request: DownloadHistory.Request
        /// The time since it was made.
        let duration: @Sendable () -> Duration
    }

    private struct State {
        /// True once the answer has arrived or is no longer accepted.
        var isSettled = false
        /// Called once settled.
        var end: (@Sendable (Result<Exchange, any Error>) -> Void)?
        /// The request and its time limit, while they run.
        var tasks: [Task<Void, Never>] = []
        var isAbandoned = false
        var outcome: Result<DownloadResult, any Error>?
        var waiting: [Int: CheckedContinuation<DownloadResult, any Error>?] = [:]
        var nextTicket = 0
        var isAwaitedByNobody = false
    }

    private let state = Locked(State())

    init() {}

    /// True once its answer is ignored: all callers have left, or its user was forgotten.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Keeps it running without callers; false when it is already abandoned.
    func detach() -> Bool {
        state.withLock { state in
            if !state.isAbandoned { state.isAwaitedByNobody = true }
            return !state.isAbandoned
        }
    }

    /// A ticket for `value(_:)`; nil when the download is already abandoned.
    func join() -> Int? {
        state.withLock { state in
            if state.isAbandoned { return nil }
            state.nextTicket += 1
            state.waiting[state.nextTicket] = .some(nil)
            return state.nextTicket
        }
    }

    /// - Throws: what the download threw; `CancellationError` when the caller is cancelled.
    func value(_ ticket: Int) async throws -> DownloadResult {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<DownloadResult, any Error>? = state.withLock { state in
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

    /// Makes its answer be ignored, even one that has arrived.
    func markAbandoned() { state.withLock { $0.isAbandoned = true } }

    /// Ends the download and ignores its answer, even one that has arrived.
    func abandon() {
        markAbandoned()
        settle(.failure(CancellationError()))
    }

    func finish(_ outcome: Result<DownloadResult, any Error>) {
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
            let isLeft = state.waiting.isEmpty && !state.isAwaitedByNobody
            // Its user may have been forgotten before.
            state.isAbandoned = state.isAbandoned || isLeft
            return isLeft
        }
        continuation?.resume(throwing: CancellationError())
    }
}

extension JoinedDownload {
    /// Starts the request in a task of its own, unless the download is already abandoned.
    ///
    /// A request that ignores its cancellation continues in the background.
    ///
    /// `end` is called once, on any thread, when the request ends, times out or is abandoned,
    /// whichever comes first, and before the last caller continues. It is a closure because each
    /// return to a task waits for a cooperative thread, and all of them may be busy.
    func start(
        _ request: @escaping @Sendable () async throws -> Exchange,
        then end: @escaping @Sendable (Result<Exchange, any Error>) -> Void
    ) {
        let isSettled = state.withLock { state in
            if !state.isSettled { state.end = end }
            return state.isSettled
        }
        if isSettled { return end(.failure(CancellationError())) }
        keep(
            Task {
                do { settle(.success(try await request())) } catch { settle(.failure(error)) }
            })
    }

    /// Fails the download with ``DownloadError/Code/timedOut`` after `timeout`.
    ///
    /// - Throws: `CancellationError` when the download is already settled.
    func limitTime(to timeout: Duration, by clock: any Clock<Duration>) throws {
        let isSettled = state.withLock { $0.isSettled }
        if isSettled { throw CancellationError() }
        keep(
            Task {
                guard (try? await clock.sleep(for: timeout)) != nil else { return }
                settle(.failure(DownloadError(.timedOut)))
            })
    }

    private func keep(_ task: Task<Void, Never>) {
        let isSettled = state.withLock { state in
            if !state.isSettled { state.tasks.append(task) }
            return state.isSettled
        }
        if isSettled { task.cancel() }
    }

    /// Settles the download once, provided that `condition` holds.
    private func settle(
        _ result: Result<Exchange, any Error>, if condition: (inout State) -> Bool = { _ in true }
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
