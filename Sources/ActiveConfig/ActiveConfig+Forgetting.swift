extension ActiveConfig {
    /// Forgets a user: removes what is stored, and ends a running download, which cannot bring it back.
    ///
    /// If the user is the current one, the fallback comes in force, and the listeners of every section
    /// that differs hear of it. A download that is started afterwards is a new one.
    ///
    /// Must not be called by a store.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    /// - Throws: The store's error. Unless the configuration was removed before, it is still there,
    ///   and in force. Call it again then.
    public func forgetUser(_ userID: String?) throws {
        let user = UserID(userID)
        markAbandoned(user)?.abandon()
        let (before, download, failure) = try storeWrites.sync(of: user) {
            // Whoever loads at the same moment must not bring the stored configuration in force
            // later, and what is pushed comes in force within these writes.
            loadedSnapshot()
            // First what waits, so that it never stands alone.
            try removePending(of: user)
            try configStore?.persistConfiguration(nil, forUserID: userID)
            history.forget(user)
            // One that was started meanwhile may have been stored just before the removal.
            let download = markAbandoned(user)
            let before = state.withLock { state in
                state.forget(user)
                return state.snapshot
            }
            verdicts.withLock { $0.removeAll { UserID($0.userID) == user } }
            // Last: what is refused must not come in force again while it is stored.
            let failure = Result { try options.launchGuard?.forget(user) }
            return (before, download, failure)
        }
        download?.abandon()
        reloadUsers(afterForgetting: user)
        // Every user without an own configuration has the generic user's.
        if let before, before.userID == user || (user == .generic && !before.isOwn) {
            replaceDocument(
                of: before, by: lastKnownConfiguration(of: before.userID) ?? .none,
                reason: .forgotten)
        }
        options.exposures?.forget(user)
        outcomes.forget(user)
        try failure.get()
        log(.info, "\(user.logName) is forgotten.")
    }

    /// Marks a running download, under the lock under which it would bring its answer in force.
    private func markAbandoned(_ userID: UserID) -> JoinedDownload? {
        state.withLock { state in
            let download = state.downloads[userID]
            download?.markAbandoned()
            return download
        }
    }
}
