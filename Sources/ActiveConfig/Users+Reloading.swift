/// Documents stored by another process, such as an app extension that shares the folder.
extension Users {
    /// Lane of calls that read the documents of all users in memory.
    var reloads: BlockingCalls.Lane { BlockingCalls.Lane(of: table, .reads) }

    /// Lane of calls that read the documents of users who fall back.
    private var fallbackReloads: BlockingCalls.Lane { BlockingCalls.Lane(of: table, .writes) }

    /// As `reloadStored()`, but the store is not called on a cooperative thread.
    func reloadInTask() async -> [SectionChange] {
        await calls.run(in: reloads) { self.reloadStored() }
    }

    /// Takes over what another process has stored, of the current user and of all in memory; blocks for
    /// the store.
    ///
    /// - Returns: The changes of the current user's sections.
    func reloadStored() -> [SectionChange] {
        if ThreadMark.isHeld {
            later(in: reloads) { _ = self.reloadStored() }
            return []
        }
        // The other process has recorded when it downloaded the document.
        history.refresh()
        loadedSnapshot()
        let current = front.entry
        let changes = reload(current)
        for entry in table.livingEntries where entry !== current { reload(entry) }
        // The other process may only have asked the server.
        front.signalChange()
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
                reportActive(new.configuration, of: userID, in: entry.documents.epoch)
            }
            return changes
        }
    }

    /// Takes over what another process has stored; within the user's turn.
    ///
    /// - Returns: The changes of the user's sections, also those by the generic user, whose document
    ///   the read takes over; nil when no document has changed.
    @discardableResult
    func takeOverStored(
        in turn: Turn, reason: SectionChange.Reason = .reloaded
    ) -> [SectionChange]? {
        let entry = turn.entry
        let (documents, old) = entry.current
        apply(reason: reason, to: entry) { .reloaded(self.readStore(of: entry)) }
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
        if storage.store == nil { return [] }
        if let newest, entry.documents.newest?.isSame(as: newest) == true { return [] }
        return reload(entry)
    }

    /// Reads the fallbacks that a store with an order of its own chooses again, after the generic
    /// user's document has changed: at the end of that user's turn, else on another thread.
    func askChoosersAgain() {
        guard storage.store != nil, !storage.fallsBackToGeneric else { return }
        let ask = { @Sendable [self] in
            for entry in table.livingEntries
            where entry !== generic && entry.documents.isFallback { reload(entry) }
        }
        if ThreadMark.turn.isSet {
            ThreadMark.afterwards(ask)
        } else {
            later(in: fallbackReloads, ask)
        }
    }
}
