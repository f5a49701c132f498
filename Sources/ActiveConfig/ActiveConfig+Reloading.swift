/// Documents that another process stores, such as an extension of the app that shares its folder.
extension ActiveConfig {
    /// Activates what another process has stored since, for the current user and for all users
    /// that are in memory.
    ///
    /// Without it, this process sees such a document with its own next download, or when it loads the
    /// user again. It reads the store once for each user in memory, and asks no server.
    ///
    /// - A document of a lower ``ConfigurationState/templateVersion`` than the active one, and a
    ///   removal, change nothing. Of documents without a version, whichever is stored becomes active.
    /// - A document that this process could not store stays active until the store has it, or a later version
    ///   that this process has not had: a server may go back, and what it replaced is still there.
    /// - A document that waits for its activation there waits here too, apart from the sections that
    ///   need not wait; see ``ActivationPolicy``. One that waits here and was activated there becomes
    ///   active.
    /// - With a store of the app's own type that leaves out
    ///   ``ActiveConfigStore/ownConfiguration(forUserID:)``, nothing changes for a user whose document this
    ///   process has downloaded: such a store does not say whether what it returns is a fallback.
    /// - The crash guard and the acknowledger are told of it as of a download.
    ///
    /// Called by a store, it returns at once, and reloads afterwards.
    ///
    /// - Returns: The sections of the current user that have changed, sorted.
    @available(*, noasync, message: "Await the function of the same name.")
    @discardableResult
    public func reload() -> [SectionChange] { reloadStored() }

    /// Activates what another process has stored since, for the current user and for all users
    /// that are in memory.
    ///
    /// Without it, this process sees such a document with its own next download, or when it loads the
    /// user again. It reads the store once for each user in memory, and asks no server.
    ///
    /// - A document of a lower ``ConfigurationState/templateVersion`` than the active one, and a
    ///   removal, change nothing. Of documents without a version, whichever is stored becomes active.
    /// - A document that this process could not store stays active until the store has it, or a later version
    ///   that this process has not had: a server may go back, and what it replaced is still there.
    /// - A document that waits for its activation there waits here too, apart from the sections that
    ///   need not wait; see ``ActivationPolicy``. One that waits here and was activated there becomes
    ///   active.
    /// - With a store of the app's own type that leaves out
    ///   ``ActiveConfigStore/ownConfiguration(forUserID:)``, nothing changes for a user whose document this
    ///   process has downloaded: such a store does not say whether what it returns is a fallback.
    /// - The crash guard and the acknowledger are told of it as of a download.
    ///
    /// - Returns: The sections of the current user that have changed, sorted.
    @discardableResult
    public func reload() async -> [SectionChange] {
        await storeCalls.run(in: reloads) { self.reloadStored() }
    }

    /// Lane of the calls that read the documents of all users.
    var reloads: BlockingCalls.Lane { BlockingCalls.Lane(of: users, .reads) }

    /// Lane of the calls that read those of users who fall back, after a push to the generic user.
    var fallbackReloads: BlockingCalls.Lane { BlockingCalls.Lane(of: users, .writes) }

    /// Blocks for the store.
    private func reloadStored() -> [SectionChange] {
        if UserTurns.isInTurn {
            storeCalls.async(in: reloads) { _ = self.reloadStored() }
            return []
        }
        // The other process has noted when it downloaded what it stored.
        history.refresh()
        loadedSnapshot()
        let current = state.withLock { $0.entry }
        let changes = reload(current)
        for entry in users.livingEntries where entry !== current { reload(entry) }
        // The other process may have done nothing but ask.
        signalChange()
        return changes
    }

    /// Activates what another process has stored for a user; blocks for the store.
    ///
    /// - Returns: The changes of the user's sections.
    @discardableResult
    func reload(_ entry: UserEntry) -> [SectionChange] {
        let userID = entry.userID
        // Within the user's turn, so that a download of this process comes before or after.
        return turns.run(of: userID) {
            guard let known = entry.documents.active else { return [] }
            let event = UserConfigurationState.Event.reloaded(readStore(of: entry).stored)
            guard let new = state(of: entry, after: event).active, new !== known else { return [] }
            reportShape(of: new.newest, since: known.newest, of: userID)
            let transition = apply(UserEvent(event: event, reason: .reloaded), to: entry)
            if new.isOwn, new.pending == nil {
                noteActive(new.configuration, of: userID, in: entry.documents.epoch)
            }
            return transition?.changes ?? []
        }
    }

    /// Reloads the users whose fallback a store of the app's own type chooses, after the generic user's
    /// document has changed; blocks for the store.
    func reloadOpaqueFallbacks() {
        guard configStore != nil, !fallsBackToGeneric else { return }
        for entry in users.livingEntries where entry !== generic && entry.documents.isFallback {
            reload(entry)
        }
    }
}
