/// Documents that another process stores, such as an extension of the app that shares its folder.
extension ActiveConfig {
    /// Activates what another process has stored since, for the current user and for all users
    /// that are in memory.
    ///
    /// Without it, this process sees such a document with its own next download, or when it loads the
    /// user again. It reads the store once for each user in memory, and asks no server.
    ///
    /// - A document of a lower ``ConfigurationState/templateVersion`` than the one in force, and a
    ///   removal, change nothing. Of documents without a version, whichever is stored comes in force.
    /// - A document that waits for its activation there waits here too, apart from the sections that
    ///   need not wait; see ``ActivationPolicy``. One that waits here and was activated there becomes
    ///   active.
    /// - With a store of the app's own type, nothing changes for a user whose document this process has
    ///   downloaded: such a store does not say whether what it returns is a fallback.
    /// - The launch guard and the acknowledger are told of it as of a download.
    ///
    /// Must not be called by a store.
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
    /// - A document of a lower ``ConfigurationState/templateVersion`` than the one in force, and a
    ///   removal, change nothing. Of documents without a version, whichever is stored comes in force.
    /// - A document that waits for its activation there waits here too, apart from the sections that
    ///   need not wait; see ``ActivationPolicy``. One that waits here and was activated there becomes
    ///   active.
    /// - With a store of the app's own type, nothing changes for a user whose document this process has
    ///   downloaded: such a store does not say whether what it returns is a fallback.
    /// - The launch guard and the acknowledger are told of it as of a download.
    ///
    /// - Returns: The sections of the current user that have changed, sorted.
    @discardableResult
    public func reload() async -> [SectionChange] { await storeCalls.run { self.reloadStored() } }

    /// Blocks for the store.
    private func reloadStored() -> [SectionChange] {
        // The other process has noted when it downloaded what it stored.
        history.refresh()
        let current = loadedSnapshot().userID
        let changes = reload(current)
        for entry in users.livingEntries where entry.userID != current { reload(entry.userID) }
        return changes
    }

    /// Activates what another process has stored for a user; blocks for the store.
    ///
    /// - Returns: The changes of the current configuration, if it is the user's.
    @discardableResult
    func reload(_ userID: UserID) -> [SectionChange] {
        // Within the user's writes, so that a download of this process comes before or after.
        storeWrites.sync(of: userID) {
            let snapshot = state.withLock { $0.snapshot }
            let entry = users.livingEntry(of: userID)
            let version = entry?.version ?? 0
            let before = snapshot?.userID == userID ? snapshot : nil
            let ofHandles = entry?.snapshot?.known
            guard let known = before?.known ?? ofHandles,
                let stored = lastKnownConfiguration(of: userID)
            else { return [] }
            let isNews = stored.isNews(after: known)
            let isNewsOfHandles = ofHandles.map(stored.isNews) ?? false
            guard isNews || isNewsOfHandles else { return [] }
            reportShape(of: stored.newest, since: known.newest, of: userID)
            noteForDownloads(stored.newest, of: userID)
            var changes: [SectionChange] = []
            if let before, isNews {
                changes = replaceDocument(of: before, by: stored, reason: .reloaded)
            }
            if let entry, isNewsOfHandles {
                load(stored, into: entry, ifVersion: version, reason: .reloaded)
            }
            if stored.isOwn, stored.pending == nil { noteInForce(stored.configuration, of: userID) }
            return changes
        }
    }

    /// Brings what the store has in force, unless another document is in force already.
    ///
    /// - Returns: The changes.
    @discardableResult
    func replaceDocument(
        of before: ConfigurationSnapshot, by stored: KnownConfiguration,
        reason: SectionChange.Reason
    ) -> [SectionChange] {
        guardLaunch(stored, of: before.userID)
        return replacingSnapshot { old, layers in
            guard let old, old.userID == before.userID, old.known === before.known else {
                return []
            }
            let new = ConfigurationSnapshot(
                userID: old.userID, known: stored, layers: layers, reason: reason, previous: old)
            let changes = new.changes(since: old.sections)
            change { state in
                state.snapshot = new
                return deliver(changes, in: state)
            }
            return changes
        }
    }
}

extension KnownConfiguration {
    /// The document that waits, else the one in force.
    fileprivate var newest: ConfigurationState { pending?.configuration ?? configuration }

    /// True for what the store has of a user unless that is in force already, is older, or is no
    /// document of the user's own in place of one.
    fileprivate func isNews(after known: KnownConfiguration) -> Bool {
        guard isOwn || !known.isOwn,
            configuration != known.configuration
                || pending?.configuration != known.pending?.configuration
        else { return false }
        return !isOlder(than: known)
    }

    /// True for a document of a lower version than the user's own one that is in force.
    func isOlder(than known: KnownConfiguration) -> Bool {
        guard known.isOwn, let before = known.configuration.templateVersion,
            let now = configuration.templateVersion
        else { return false }
        return now < before
    }
}
