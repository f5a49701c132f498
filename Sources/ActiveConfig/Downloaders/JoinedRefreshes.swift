/// Refreshes of credentials, one at a time for each user, awaited by any number of requests.
final class JoinedRefreshes: Sendable {
    /// Returns the new token, if it is to be passed on.
    typealias Refresh = @Sendable () async throws -> String?
    private typealias Running = SharedTask<String?, String?>

    private struct Entry {
        /// Requests that have started and not ended.
        var requestCount = 0
        /// Successful refreshes since the first of these requests.
        var finishedCount = 0
        var running: Running?
    }

    private let entries = Locked<[UserID: Entry]>([:])

    /// Starts a request: `end(_:)` must follow.
    ///
    /// - Returns: The number of refreshes so far, for `refresh(_:since:by:)`.
    func begin(_ userID: UserID) -> Int {
        entries.withLock { entries in
            entries[userID, default: Entry()].requestCount += 1
            return entries[userID]?.finishedCount ?? 0
        }
    }

    func end(_ userID: UserID) {
        entries.withLock { entries in
            entries[userID]?.requestCount -= 1
            if entries[userID]?.requestCount == 0 { entries[userID] = nil }
        }
    }

    /// Refreshes, joins the running refresh, or does nothing when one has succeeded since `count`.
    ///
    /// A cancelled caller leaves at once; the refresh is cancelled with the last one.
    ///
    /// - Returns: The new token; nil when it is not passed on, or another caller refreshed.
    func refresh(_ userID: UserID, since count: Int, by refresh: @escaping Refresh) async throws
        -> String?
    {
        let new = Running()
        let (running, ticket) = entries.withLock { entries -> (Running?, Int?) in
            guard let entry = entries[userID], entry.finishedCount == count else {
                return (nil, nil)
            }
            // A refresh that all callers have left cannot be joined.
            if let running = entry.running, let ticket = running.join() { return (running, ticket) }
            entries[userID]?.running = new
            return (new, new.join())
        }
        guard let running, let ticket else { return nil }
        if running === new {
            new.start(refresh) { outcome in
                self.finish(new, outcome, of: userID)
                new.finish(outcome)
            }
        }
        return try await running.value(ticket)
    }

    private func finish(
        _ running: Running, _ outcome: Result<String?, any Error>, of userID: UserID
    ) {
        entries.withLock { entries in
            guard entries[userID]?.running === running else { return }
            entries[userID]?.running = nil
            if case .success = outcome { entries[userID]?.finishedCount += 1 }
        }
    }
}
