/// Documents stored by another process, such as an app extension that shares the folder.
extension ActiveConfig {
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
    public func reload() -> [SectionChange] { reloadStored() }

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
        await storeCalls.run(in: reloads) { self.reloadStored() }
    }

    /// Lane of calls that read the documents of all users.
    var reloads: BlockingCalls.Lane { BlockingCalls.Lane(of: users, .reads) }

    /// Lane of calls that read the documents of users who fall back.
    private var fallbackReloads: BlockingCalls.Lane { BlockingCalls.Lane(of: users, .writes) }

    /// Blocks for the store.
    private func reloadStored() -> [SectionChange] {
        if ThreadMark.isHeld {
            storeCalls.async(in: reloads) { _ = self.reloadStored() }
            return []
        }
        // The other process has recorded when it downloaded the document.
        history.refresh()
        loadedSnapshot()
        let current = state.withLock { $0.entry }
        let changes = reload(current)
        for entry in users.livingEntries where entry !== current { reload(entry) }
        // The other process may only have asked the server.
        signalChange()
        return changes
    }

    /// Activates a user's document stored by another process; blocks for the store.
    ///
    /// - Returns: The changes of the user's sections.
    @discardableResult
    func reload(_ entry: UserEntry) -> [SectionChange] {
        let userID = entry.userID
        // Within the user's turn, so that a download of this process happens before or after.
        return turns.run(of: entry) { turn in
            let known = entry.documents.active
            guard let known, let changes = takeOverStored(in: turn),
                let new = entry.documents.active, new !== known
            else { return [] }
            reportShape(of: new.newest, since: known.newest, of: userID)
            if new.isOwn, new.pending == nil {
                noteActive(new.configuration, of: userID, in: entry.documents.epoch)
            }
            return changes
        }
    }

    /// Takes over what another process has stored; within the user's turn.
    ///
    /// - Returns: The changes of the user's sections, also those by the generic user, whose document
    ///   the read takes over; nil when no document has changed.
    @discardableResult
    func takeOverStored(in turn: Turn) -> [SectionChange]? {
        let entry = turn.entry
        let (documents, old) = entry.current
        _ = apply(reason: .reloaded, to: entry) { .reloaded(self.readStore(of: entry)) }
        let (after, new) = entry.current
        guard after.revision != documents.revision else { return nil }
        guard let old, let new else { return [] }
        return new.changes(since: old.sections)
    }

    /// Activates a user's document stored by another process when no request is made; blocks for the
    /// store.
    ///
    /// - Parameters:
    ///   - entry: The user.
    ///   - newest: The user's newest document, here or in the store; nil when there is none.
    /// - Returns: The changes of the user's sections.
    func reload(_ entry: UserEntry, newest: ConfigurationState?) -> [SectionChange] {
        if store == nil { return [] }
        if let newest, entry.documents.newest?.isSame(as: newest) == true { return [] }
        return reload(entry)
    }

    /// Reads the fallbacks that a store with an order of its own chooses again, after the generic
    /// user's document has changed: at the end of that user's turn, else on another thread.
    func askChoosersAgain() {
        guard store != nil, !storage.fallsBackToGeneric else { return }
        let ask = { @Sendable [self] in
            for entry in users.livingEntries
            where entry !== generic && entry.documents.isFallback { reload(entry) }
        }
        if ThreadMark.turn.isSet {
            ThreadMark.afterwards(ask)
        } else {
            storeCalls.async(in: fallbackReloads, ask)
        }
    }
}
