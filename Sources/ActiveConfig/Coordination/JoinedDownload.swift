/// A download of one user's configuration, awaited by any number of callers.
///
/// A caller that is cancelled leaves at once. When the last one leaves, and nobody asked for the
/// download without waiting, the download is cancelled.
final class JoinedDownload: Sendable {
    /// What is known of the download.
    private struct State {
        var task: Task<Void, Never>?
        var outcome: Result<DownloadResult, any Error>?
        var waiting: [Int: CheckedContinuation<DownloadResult, any Error>?] = [:]
        var nextTicket = 0
        var isAwaitedByNobody = false
        var isAbandoned = false
    }

    private let state = Locked(State())

    /// Makes a download that has not started.
    init() {}

    /// Whether all who waited have left, so that its answer counts no more.
    var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Starts it.
    ///
    /// - Parameter body: Does the download; it calls `finish(_:)` at its end.
    func start(_ body: @escaping @Sendable () async -> Void) {
        let task = Task { await body() }
        let isAbandoned = state.withLock { state in
            state.task = task
            return state.isAbandoned
        }
        if isAbandoned { task.cancel() }
    }

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
        let (continuation, abandoned) = state.withLock { state in
            guard let entry = state.waiting.removeValue(forKey: ticket), state.outcome == nil else {
                return (
                    CheckedContinuation<DownloadResult, any Error>?.none, Task<Void, Never>?.none
                )
            }
            if state.waiting.isEmpty, !state.isAwaitedByNobody { state.isAbandoned = true }
            return (entry, state.isAbandoned ? state.task : nil)
        }
        continuation?.resume(throwing: CancellationError())
        abandoned?.cancel()
    }
}
