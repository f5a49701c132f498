/// A download of one user's configuration, awaited by any number of callers.
///
/// A caller that is cancelled leaves at once. When the last one leaves before the answer is there,
/// and nobody asked for the download without waiting, it is abandoned.
final class JoinedDownload: Sendable {
    /// What the downloader answered, or why its answer counts no more.
    typealias Answer = Result<ConfigurationState?, any Error>

    /// What is known of the download.
    private struct State {
        var answer: Answer?
        var answerWaiter: CheckedContinuation<ConfigurationState?, any Error>?
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
    /// Makes the request and waits for its answer, for the end of its time, or until the download is
    /// abandoned, whichever comes first; the others count no more.
    ///
    /// A request that does not notice its cancellation goes on by itself.
    ///
    /// - Parameters:
    ///   - timeout: The time that it has.
    ///   - clock: What measures the time.
    ///   - request: Asks the downloader.
    /// - Returns: What the downloader answered.
    /// - Throws: what the request throws; ``DownloadError`` when its time is over;
    ///   `CancellationError` when the download is abandoned.
    func answer(
        within timeout: Duration, by clock: any Clock<Duration>,
        _ request: @escaping @Sendable () async throws -> ConfigurationState?
    ) async throws -> ConfigurationState? {
        let isOver = state.withLock { $0.answer != nil }
        if isOver { throw CancellationError() }
        let tasks = [
            Task {
                do { settle(.success(try await request())) } catch { settle(.failure(error)) }
            },
            Task {
                guard (try? await clock.sleep(for: timeout)) != nil else { return }
                settle(.failure(DownloadError(.timedOut)))
            },
        ]
        let isSettled = state.withLock { state in
            state.tasks = state.answer == nil ? tasks : []
            return state.answer != nil
        }
        if isSettled { for task in tasks { task.cancel() } }
        return try await withCheckedThrowingContinuation { continuation in
            let answer = state.withLock { state in
                if state.answer == nil { state.answerWaiter = continuation }
                return state.answer
            }
            if let answer { continuation.resume(with: answer) }
        }
    }

    /// Settles the answer, if it is not settled yet and `condition` holds.
    private func settle(
        _ answer: Answer, if condition: (inout State) -> Bool = { _ in true }
    ) {
        let settled = state.withLock { state -> State? in
            guard state.answer == nil, condition(&state) else { return nil }
            state.answer = answer
            defer { (state.answerWaiter, state.tasks) = (nil, []) }
            return state
        }
        guard let settled else { return }
        for task in settled.tasks { task.cancel() }
        settled.answerWaiter?.resume(with: answer)
    }
}
