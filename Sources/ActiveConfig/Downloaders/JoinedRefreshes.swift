/// Refreshes of credentials, one at a time for each user, awaited by any number of requests.
final class JoinedRefreshes: Sendable {
    /// Gives the new token, if it is one that is passed on.
    typealias Refresh = @Sendable () async throws -> String?

    private struct Entry {
        /// Requests that were begun and have not ended.
        var requestCount = 0
        /// Refreshes that have succeeded since the first of them.
        var finishedCount = 0
        /// The running refresh, with its number.
        var running: (number: Int, task: Task<Void, Never>)?
        var waiting: [Int: Waiter] = [:]
    }

    private enum Waiter {
        /// It has not reached its wait yet.
        case coming
        case waiting(CheckedContinuation<String?, any Error>)
        /// The refresh ended before it reached its wait.
        case late(Result<String?, any Error>)
    }

    private struct State {
        var entries: [UserID: Entry] = [:]
        var lastNumber = 0

        mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Locked(State())

    /// Begins a request: `end(_:)` has to follow.
    ///
    /// - Returns: The number of refreshes so far, for `refresh(_:since:by:)`.
    func begin(_ userID: UserID) -> Int {
        state.withLock { state in
            state.entries[userID, default: Entry()].requestCount += 1
            return state.entries[userID]?.finishedCount ?? 0
        }
    }

    func end(_ userID: UserID) {
        state.withLock { state in
            state.entries[userID]?.requestCount -= 1
            if state.entries[userID]?.requestCount == 0 { state.entries[userID] = nil }
        }
    }

    /// Refreshes, or joins the refresh that is running, or does nothing when one has succeeded since
    /// `count`.
    ///
    /// A caller that is cancelled leaves at once; the refresh is cancelled with the last one.
    ///
    /// - Returns: The new token; nil when it is not passed on, or the refresh was another's.
    func refresh(_ userID: UserID, since count: Int, by refresh: @escaping Refresh) async throws
        -> String?
    {
        let ticket: Int? = state.withLock { state in
            guard let entry = state.entries[userID], entry.finishedCount == count else {
                return nil
            }
            let ticket = state.nextNumber()
            state.entries[userID]?.waiting[ticket] = .coming
            if entry.running == nil {
                let number = state.nextNumber()
                let task = Task { await self.run(refresh, number: number, of: userID) }
                state.entries[userID]?.running = (number, task)
            }
            return ticket
        }
        guard let ticket else { return nil }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<String?, any Error>? = state.withLock { state in
                    switch state.entries[userID]?.waiting[ticket] {
                    case .coming:
                        state.entries[userID]?.waiting[ticket] = .waiting(continuation)
                        return nil
                    case .late(let outcome):
                        state.entries[userID]?.waiting[ticket] = nil
                        return outcome
                    case .waiting, nil: return .failure(CancellationError())
                    }
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            leave(ticket, of: userID)
        }
    }

    private func leave(_ ticket: Int, of userID: UserID) {
        let (waiter, task): (Waiter?, Task<Void, Never>?) = state.withLock { state in
            guard var entry = state.entries[userID],
                let waiter = entry.waiting.removeValue(forKey: ticket)
            else { return (nil, nil) }
            defer { state.entries[userID] = entry }
            guard entry.waiting.isEmpty, let task = entry.running?.task else {
                return (waiter, nil)
            }
            entry.running = nil
            return (waiter, task)
        }
        task?.cancel()
        if case .waiting(let continuation) = waiter {
            continuation.resume(throwing: CancellationError())
        }
    }

    private func run(_ refresh: Refresh, number: Int, of userID: UserID) async {
        let outcome: Result<String?, any Error>
        do { outcome = .success(try await refresh()) } catch { outcome = .failure(error) }
        finish(outcome, number: number, of: userID)
    }

    private func finish(
        _ outcome: Result<String?, any Error>, number: Int, of userID: UserID
    ) {
        let waiting: [CheckedContinuation<String?, any Error>] = state.withLock { state in
            // All of its callers have left.
            guard var entry = state.entries[userID], entry.running?.number == number else {
                return []
            }
            entry.running = nil
            if case .success = outcome { entry.finishedCount += 1 }
            var waiting: [CheckedContinuation<String?, any Error>] = []
            for (ticket, waiter) in entry.waiting {
                if case .waiting(let continuation) = waiter {
                    waiting.append(continuation)
                    entry.waiting[ticket] = nil
                } else {
                    entry.waiting[ticket] = .late(outcome)
                }
            }
            state.entries[userID] = entry
            return waiting
        }
        for continuation in waiting { continuation.resume(with: outcome) }
    }
}
