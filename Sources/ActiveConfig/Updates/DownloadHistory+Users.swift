import Foundation

/// Records of the users in memory.
///
/// The store keeps those of few users, so that a write stays short. Memory keeps those of this
/// launch as long as their users are in memory, so that an interval or a wait applies to each.
extension DownloadHistory {
    struct User: Sendable {
        var fetch: Fetch?
        var refusal: Refusal?
        /// The ``Request/tokenChangeCount`` of the last refused request.
        var tokenChangeCount: Int?
    }

    struct Users: Sendable {
        private static let leastPruningThreshold = 256

        private var all: [UserID: User] = [:]
        /// Number of records above which those of released users are dropped.
        private var pruningThreshold = leastPruningThreshold

        subscript(userID: UserID) -> User? {
            get { all[userID] }
            set { all[userID] = newValue }
        }

        var isPruningDue: Bool { all.count > pruningThreshold }

        mutating func prune(keeping users: Set<UserID>) {
            all = all.filter { users.contains($0.key) }
            // Doubling the threshold makes the amortized cost of pruning constant.
            pruningThreshold = max(Self.leastPruningThreshold, all.count * 2)
        }
    }

    /// A user's last successful download.
    func fetch(of userID: UserID) -> Fetch? {
        let (noted, stored) = (
            users.withLock { $0[userID]?.fetch }, stored.value.fetches[userID.digest]
        )
        return noted.map { $0.newest(stored, at: now()) } ?? stored
    }

    /// A user's last refusal; nil once a download has succeeded.
    func refusal(of userID: UserID) -> Refusal? {
        let state = stored.value
        if let refusal = state.refusals[userID.digest] { return refusal }
        // The store keeps those of few users, or another process has succeeded since.
        guard let noted = users.withLock({ $0[userID]?.refusal }) else { return nil }
        let fetch = state.fetches[userID.digest]
        return fetch.map { $0.time > noted.wait.start } == true ? nil : noted
    }

    func remember(_ userID: UserID, _ change: (inout User) -> Void) {
        let isPruningDue = users.withLock { users in
            var user = users[userID] ?? User()
            change(&user)
            users[userID] = user
            return users.isPruningDue
        }
        guard isPruningDue else { return }
        let kept = usersInMemory().union([userID])
        users.withLock { $0.prune(keeping: kept) }
    }
}

extension DownloadHistory.Fetch {
    /// This record or the stored one, which another process may have written since.
    func newest(_ stored: Self?, at now: Date) -> Self {
        guard let stored else { return self }
        // Counts can overflow.
        let marks = staleCount &- stored.staleCount
        if marks != 0 { return marks > 0 ? self : stored }
        if stored.time != time { return stored.time.isNewer(than: time, at: now) ? stored : self }
        let (own, other) = (confirmedTime ?? .distantPast, stored.confirmedTime ?? .distantPast)
        return own < other ? stored : self
    }
}

extension DownloadRecord {
    /// This record or the stored one, which another process may have written since.
    func newest(_ stored: Self?, at now: Date) -> Self {
        stored.flatMap { $0.time.isNewer(than: time, at: now) ? $0 : nil } ?? self
    }
}

extension Date {
    /// A time in the future dates from before the clock was set back.
    fileprivate func isNewer(than other: Date, at now: Date) -> Bool { self > other && self <= now }
}
