/// A download of one user's configuration, awaited by any number of callers.
///
/// A caller that is cancelled leaves at once. When the last one leaves before the answer is there,
/// and nobody asked for the download without waiting, it is abandoned.
final class JoinedDownload: Sendable {
    /// A request with its answer.
    struct Exchange: Sendable {
        /// The user's own configuration that the downloader was given.
        let lastKnown: ConfigurationState?
        /// What it answered; nil when nothing has changed.
        let answer: ConfigurationState?
    }

    /// What is known of the download.
    private struct State {
        /// Whether there is an answer, or none counts any more.
        var isSettled = false
        /// What is called then.
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

    /// Makes a download that has not started.
    init() {}

    /// Whether all who waited have left, so that its answer counts no more.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Keeps it running when nobody waits, from now on.
    ///
    /// False: it is abandoned already.
    func detach() -> Bool {
        state.withLock { state in
            if !state.isAbandoned { state.isAwaitedByNobody = true }
            return !state.isAbandoned
        }
    }

    /// A ticket to wait with; nil when it is abandoned already.
    func join() -> Int? {
        state.withLock { state in
            if state.isAbandoned { return nil }
            state.nextTicket += 1
            state.waiting[state.nextTicket] = .some(nil)
            return state.nextTicket
        }
    }

    /// Waits for the end.
    ///
    /// - Parameter ticket: What `join()` gave.
    /// - Returns: What came of the download.
    /// - Throws: what the download threw; `CancellationError` when the caller is cancelled.
    func value(_ ticket: Int) async throws -> DownloadResult {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<DownloadResult, any Error>? = state.withLock { state in
                    if let outcome = state.outcome { return outcome }
                    // The caller was cancelled, and has left, before it got here.
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

    /// Gives the outcome to all who wait.
    func finish(_ outcome: Result<DownloadResult, any Error>) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [:] }
            return state.waiting.values.compactMap { $0 }
        }
        for continuation in waiting { continuation.resume(with: outcome) }
    }

    /// Takes a caller that was cancelled away.
    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state in
            state.outcome == nil ? state.waiting.removeValue(forKey: ticket) : nil
        }
        guard let continuation else { return }
        settle(.failure(CancellationError())) { state in
            state.isAbandoned = state.waiting.isEmpty && !state.isAwaitedByNobody
            return state.isAbandoned
        }
        continuation?.resume(throwing: CancellationError())
    }
}

extension JoinedDownload {
    /// Makes the request in a task of its own.
    ///
    /// A request that does not notice its cancellation goes on by itself.
    ///
    /// - Parameters:
    ///   - request: Asks the downloader; it is not called for a download that is abandoned already.
    ///   - end: Called once, on any thread, when the request has ended, its time is over or the
    ///     download is abandoned, whichever comes first. When the last caller leaves, it has returned
    ///     before that caller goes on. It is a closure because each return to a task waits for a turn
    ///     of Swift's cooperative threads, which may be busy.
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

    /// Limits the time of the request from now on; when it is over, the download fails with
    /// ``DownloadError/Code/timedOut``.
    ///
    /// - Throws: `CancellationError` when no answer counts any more.
    func limitTime(to timeout: Duration, by clock: any Clock<Duration>) throws {
        let isSettled = state.withLock { $0.isSettled }
        if isSettled { throw CancellationError() }
        keep(
            Task {
                guard (try? await clock.sleep(for: timeout)) != nil else { return }
                settle(.failure(DownloadError(.timedOut)))
            })
    }

    /// Cancels the task when the download is settled.
    private func keep(_ task: Task<Void, Never>) {
        let isSettled = state.withLock { state in
            if !state.isSettled { state.tasks.append(task) }
            return state.isSettled
        }
        if isSettled { task.cancel() }
    }

    /// Settles the download, if it is not settled yet and `condition` holds.
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
