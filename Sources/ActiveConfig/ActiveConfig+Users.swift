/// The documents of users: the current one, and handles to any.
extension ActiveConfig {
    /// The configuration of any user, for a service that acts for many at once.
    ///
    /// ```swift
    /// let user = config.configuration(forUserID: request.userID)
    /// if user[.isCheckoutOn] { … }
    /// ```
    ///
    /// Does not change ``currentUserID``. The user's documents are read from the store at first
    /// use, and kept in memory within ``ActiveConfigOptions/userCacheLimits``.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    /// - Returns: A handle. It is cheap: create one per request.
    public func configuration(forUserID userID: String?) -> UserConfiguration {
        UserConfiguration(self, users.table.entry(of: UserID(userID), isKept: true))
    }

    // MARK: Pending documents

    /// Activates the pending document, with all its sections; see ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and its deliveries are queued on the
    /// listener queue. If it cannot be stored, it is active all the same: see ``ActiveConfigStore``.
    /// Blocks for the store. From within a store it returns at once, and activates later.
    ///
    /// - Returns: The changed sections, sorted; empty when no document is pending.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    @discardableResult
    public func activate() -> [SectionChange] { users.activatePending(of: front.entry) }

    /// Activates the pending document, with all its sections; see ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and its deliveries are queued on the
    /// listener queue. If it cannot be stored, it is active all the same: see ``ActiveConfigStore``.
    ///
    /// - Returns: The changed sections, sorted; empty when no document is pending.
    @discardableResult
    public func activate() async -> [SectionChange] {
        await users.activateInTask(of: front.entry)
    }

    /// Downloads the current user's configuration and activates it.
    ///
    /// If another user is current when the download ends, nothing is activated.
    ///
    /// - Returns: The result, with the sections changed by the download and the activation.
    /// - Throws: As the async `downloadNewConfig()`; then nothing is activated, not even a document that
    ///   has waited before.
    @discardableResult
    public func fetchAndActivate() async throws -> DownloadResult {
        let result = try await downloadNewConfig()
        let entry = front.entry
        guard entry.userID == UserID(result.userID) else {
            return result.with(
                configurationIsCurrent: false, isActive: result.isActive, changedSectionNames: [])
        }
        return await users.activatedResult(result, of: entry)
    }

    /// The changes that `activate()` would make, sorted by section; empty when no document is
    /// pending.
    ///
    /// With in-app defaults and overrides, as readers will get them.
    public var pendingChanges: [SectionChange] { users.loadedSnapshot().pendingChanges }

    // MARK: Documents of other processes

    /// Activates documents that another process has stored, for the current user and all users in
    /// memory.
    ///
    /// Otherwise this process sees them at its own next download, or when it loads the user again.
    /// It reads the store once per user in memory, and makes no request.
    ///
    /// - A document with a lower ``ConfigurationState/templateVersion`` than the active one, and a
    ///   removal, have no effect. Among documents without a version the stored one becomes active.
    /// - A document that this process could not store stays active until it is stored, or until the
    ///   store has a later version that this process did not have: a server may roll back, and the
    ///   replaced document is still stored.
    /// - A document pending there is pending here too, except for sections that need not wait; see
    ///   ``ActivationPolicy``. A document pending here that was activated there becomes active.
    /// - With a custom store without ``ActiveConfigStore/ownConfiguration(forUserID:)``, nothing
    ///   changes for a user whose document this process has downloaded: such a store cannot say
    ///   whether it returns a fallback.
    /// - The crash guard and the acknowledger treat it as a download.
    ///
    /// Called from a store, it returns at once and reloads afterwards.
    ///
    /// - Returns: The changed sections of the current user, sorted.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    @discardableResult
    public func reload() -> [SectionChange] { users.reloadStored() }

    /// Activates documents that another process has stored, for the current user and all users in
    /// memory.
    ///
    /// Otherwise this process sees them at its own next download, or when it loads the user again.
    /// It reads the store once per user in memory, and makes no request.
    ///
    /// - A document with a lower ``ConfigurationState/templateVersion`` than the active one, and a
    ///   removal, have no effect. Among documents without a version the stored one becomes active.
    /// - A document that this process could not store stays active until it is stored, or until the
    ///   store has a later version that this process did not have: a server may roll back, and the
    ///   replaced document is still stored.
    /// - A document pending there is pending here too, except for sections that need not wait; see
    ///   ``ActivationPolicy``. A document pending here that was activated there becomes active.
    /// - With a custom store without ``ActiveConfigStore/ownConfiguration(forUserID:)``, nothing
    ///   changes for a user whose document this process has downloaded: such a store cannot say
    ///   whether it returns a fallback.
    /// - The crash guard and the acknowledger treat it as a download.
    ///
    /// - Returns: The changed sections of the current user, sorted.
    @discardableResult
    public func reload() async -> [SectionChange] {
        await users.reloadInTask()
    }

    // MARK: Forgetting

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
    /// - Throws: The store's error: the configuration is then still stored and active, unless it
    ///   was already removed. Or the error of the record of downloads, or of a vetting, from which the
    ///   user could not be removed; the configuration is then removed. Call again in each case.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func forgetUser(_ userID: String) throws { try users.forget(UserID(userID)) }

    /// Forgets a user, for a sign-out or a request for deletion: removes what is stored, and ends a
    /// running download, which cannot restore it.
    ///
    /// If the user is the current one, the fallback becomes active, and the listeners of every
    /// section that differs are called. A download started afterwards is a new one.
    ///
    /// - Parameter userID: The user.
    /// - Throws: The store's error: the configuration is then still stored and active, unless it
    ///   was already removed. Or the error of the record of downloads, or of a vetting, from which the
    ///   user could not be removed; the configuration is then removed. Call again in each case.
    public func forgetUser(_ userID: String) async throws {
        try await users.forgetInTask(UserID(userID))
    }

    /// Forgets the generic user, to whom all others fall back; see `forgetUser(_:)`.
    ///
    /// It blocks for the store. Called from a store, it returns at once and forgets afterwards.
    ///
    /// - Throws: As `forgetUser(_:)`.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func forgetGenericUser() throws { try users.forget(.generic) }

    /// Forgets the generic user, to whom all others fall back; see `forgetUser(_:)`.
    ///
    /// - Throws: As `forgetUser(_:)`.
    public func forgetGenericUser() async throws { try await users.forgetInTask(.generic) }
}
