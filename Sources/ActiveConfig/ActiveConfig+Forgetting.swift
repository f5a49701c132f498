extension ActiveConfig {
    /// Forgets a user, such as one who signs out or asks for the data to be removed: removes what is stored,
    /// and ends a running download, which cannot bring it back.
    ///
    /// If the user is the current one, the fallback becomes active, and the listeners of every section
    /// that differs hear of it. A download that is started afterwards is a new one.
    ///
    /// It waits for the store. Called by a store, it returns at once, and forgets afterwards. Else observers
    /// have heard of it when it returns, with the exceptions that ``ConfigurationObserving/observe(_:)`` names.
    ///
    /// - Parameter userID: The user.
    /// - Throws: The store's error. Unless the configuration was removed before, it is still there,
    ///   and active. Call it again then.
    @available(*, noasync, message: "Await the function of the same name.")
    public func forgetUser(_ userID: String) throws { try forget(UserID(userID)) }

    /// Forgets a user, such as one who signs out or asks for the data to be removed: removes what is stored,
    /// and ends a running download, which cannot bring it back.
    ///
    /// If the user is the current one, the fallback becomes active, and the listeners of every section
    /// that differs hear of it. A download that is started afterwards is a new one.
    ///
    /// - Parameter userID: The user.
    /// - Throws: The store's error. Unless the configuration was removed before, it is still there,
    ///   and active. Call it again then.
    public func forgetUser(_ userID: String) async throws { try await forgetInTask(UserID(userID)) }

    /// Forgets the generic user, whose configuration all others fall back to; see `forgetUser(_:)`.
    ///
    /// It waits for the store. Called by a store, it returns at once, and forgets afterwards.
    ///
    /// - Throws: The store's error, as `forgetUser(_:)`.
    @available(*, noasync, message: "Await the function of the same name.")
    public func forgetGenericUser() throws { try forget(.generic) }

    /// Forgets the generic user, whose configuration all others fall back to; see `forgetUser(_:)`.
    ///
    /// - Throws: The store's error, as `forgetUser(_:)`.
    public func forgetGenericUser() async throws { try await forgetInTask(.generic) }

    private func forgetInTask(_ user: UserID) async throws {
        // Before the user's other calls of the store have ended.
        markAbandoned(user)?.abandon()
        let entry = users.entry(of: user, isKept: false)
        try await storeCalls.run(in: entry.writes) { Result { try self.forget(user) } }.get()
    }

    package func forget(_ user: UserID) throws {
        let userID = user.string
        markAbandoned(user)?.abandon()
        let entry = users.entry(of: user, isKept: false)
        if UserTurns.isInTurn {
            return storeCalls.async(in: entry.writes) {
                defer { withExtendedLifetime(entry) {} }
                do {
                    try self.forget(user)
                } catch {
                    self.log(.error, "\(user.logName) could not be forgotten: \(error)")
                }
            }
        }
        // The current configuration has to be known, to notice what differs.
        loadedSnapshot()
        let (download, failure) = try turns.run(of: user) {
            // First what waits, so that it never stands alone.
            do {
                try configStore?.persistPendingConfiguration(nil, forUserID: userID)
            } catch is StoreRecord.UnsupportedError {}
            do {
                try configStore?.persistConfiguration(nil, forUserID: userID)
            } catch {
                // What waited is still there, as all that is known of the user.
                let known = entry.documents.active?.pending?.configuration
                note(of: entry) { $0.unstoredWaiting = $0.unstoredWaiting ?? known }
                throw error
            }
            history.forget(user)
            // One that was started meanwhile may have been stored just before the removal.
            let download = markAbandoned(user)
            // Last: what is refused must not become active again while it is stored.
            let failure = Result {
                let failures = vetting.compactMap { vetting -> (any Error)? in
                    do { try vetting.forget(userID: userID) } catch { return error }
                    return nil
                }
                if let first = failures.first { throw first }
            }
            refused.withLock { $0.forget(user) }
            note(of: entry) { ($0.unstoredOwn, $0.unstoredWaiting) = (nil, nil) }
            // Before anything can be read of the next epoch.
            observers.tellForgotten(
                ConfigurationEvent(.forgotten, userID: userID, document: nil, time: now()),
                ending: entry.documents.epoch)
            while true {
                // Again when the generic user's document has changed since it was read.
                let (stored, genericRevision) = readStore(of: entry)
                let event = UserEvent(
                    event: .forgotten(fallback: stored.fallback), reason: .forgotten,
                    genericRevision: genericRevision)
                if apply(event, to: entry) != nil { return (download, failure) }
            }
        }
        download?.abandon()
        if user == .generic { reloadOpaqueFallbacks() }
        try failure.get()
        log(.info, "\(user.logName) is forgotten.")
    }

    /// Marks a running download, under the lock under which it would activate its answer.
    private func markAbandoned(_ userID: UserID) -> JoinedDownload? {
        state.withLock { state in
            let download = state.downloads[userID]
            download?.markAbandoned()
            return download
        }
    }
}
