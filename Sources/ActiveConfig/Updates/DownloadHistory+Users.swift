import Foundation

/// Records of the users in memory.
///
/// The store keeps those of few users, so that a write stays short. Memory keeps those of this
/// launch as long as their users are in memory, so that an interval applies to each.
extension DownloadHistory {
    struct User: Sendable {
        var fetch: Fetch?
        /// The status of the last rejection (4xx) since the last success.
        var rejectionStatus: Int?
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

    /// Records a rejection (4xx); other failures change nothing.
    ///
    /// - Returns: True when the user's last rejection had the same status.
    func noteRejection(_ error: any Error, of userID: UserID) -> Bool {
        guard let error = error as? DownloadError, error.isRejection else { return false }
        var isRepeated = false
        remember(userID) { user in
            isRepeated = user.rejectionStatus == error.status
            user.rejectionStatus = error.status
        }
        return isRepeated
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
