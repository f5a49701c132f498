extension ActiveConfig {
    /// Forgets a user, for a sign-out or a request for deletion: removes what is stored, and ends a
    /// running download, which cannot restore it.
    ///
    /// If the user is the current one, the fallback becomes active, and the listeners of every
    /// section that differs are called. A download started afterwards is a new one.
    ///
    /// It blocks for the store. Called from a store, it returns at once and forgets afterwards.
    /// Otherwise the observers have received `.forgotten` when it returns, with the exceptions
    /// described at ``ConfigurationObserving/observe(_:)``.
    ///
    /// - Parameter userID: The user.
    /// - Throws: The store's error. The configuration is then still stored and active, unless it
    ///   was already removed; call again.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func forgetUser(_ userID: String) throws { try forget(UserID(userID)) }

    /// Forgets a user, for a sign-out or a request for deletion: removes what is stored, and ends a
    /// running download, which cannot restore it.
    ///
    /// If the user is the current one, the fallback becomes active, and the listeners of every
    /// section that differs are called. A download started afterwards is a new one.
    ///
    /// - Parameter userID: The user.
    /// - Throws: The store's error. The configuration is then still stored and active, unless it
    ///   was already removed; call again.
    public func forgetUser(_ userID: String) async throws { try await forgetInTask(UserID(userID)) }

    /// Forgets the generic user, to whom all others fall back; see `forgetUser(_:)`.
    ///
    /// It blocks for the store. Called from a store, it returns at once and forgets afterwards.
    ///
    /// - Throws: The store's error, as `forgetUser(_:)`.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func forgetGenericUser() throws { try forget(.generic) }

    /// Forgets the generic user, to whom all others fall back; see `forgetUser(_:)`.
    ///
    /// - Throws: The store's error, as `forgetUser(_:)`.
    public func forgetGenericUser() async throws { try await forgetInTask(.generic) }

    private func forgetInTask(_ user: UserID) async throws {
        // At once, even while the user's other store calls are running.
        running.markAbandoned(of: user)?.abandon()
        let entry = users.entry(of: user, isKept: false)
        try await storeCalls.run(in: entry.writes) { Result { try self.forget(user) } }.get()
    }

    package func forget(_ user: UserID) throws {
        let userID = user.string
        running.markAbandoned(of: user)?.abandon()
        let entry = users.entry(of: user, isKept: false)
        if ThreadMark.isHeld {
            return storeCalls.async(in: entry.writes) {
                defer { withExtendedLifetime(entry) {} }
                do {
                    try self.forget(user)
                } catch {
                    self.log(
                        .error, "\(user.logName) could not be forgotten: \(error.logDescription)")
                }
            }
        }
        // Loaded first, to find out what differs.
        loadedSnapshot()
        let (download, failure) = try turns.run(of: entry) { _ in
            try storage.removePending(of: user)
            do {
                try storage.removeOwn(of: user)
            } catch {
                // The pending document is still stored, as the only one of the user.
                let documents = entry.documents
                let pending = documents.unstoredPending ?? documents.active?.pending?.configuration
                apply(
                    UserEvent(
                        event: .unstored(
                            own: documents.unstoredOwn, pending: pending,
                            takeovers: documents.takeovers),
                        reason: .restored), to: entry)
                throw error
            }
            history.forget(user)
            // A download started since the first look can have been stored just before the removal.
            let download = running.markAbandoned(of: user)
            // Last: a refused document must not become active again while it is stored.
            let failure = Result { try vettings.forget(user) }
            // So that only the store is read.
            apply(
                UserEvent(event: .unstored(own: nil, pending: nil), reason: .restored), to: entry)
            // Before anything can be read in the next epoch.
            observers.tellForgotten(
                ConfigurationEvent(.forgotten, userID: userID, document: nil, time: now()),
                ending: entry.documents.epoch)
            _ = apply(reason: .forgotten, to: entry) { .forgotten(self.readStore(of: entry)) }
            return (download, failure)
        }
        download?.abandon()
        try failure.get()
        log(.info, "\(user.logName) is forgotten.")
    }
}
