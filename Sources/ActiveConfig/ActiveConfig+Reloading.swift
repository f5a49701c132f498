/// What another process has stored, such as an extension of the app that shares its folder.
extension ActiveConfig {
    /// Brings in force what another process has stored since, for the current user and for all users
    /// that are in memory.
    ///
    /// Without it, this process sees such a document with its own next download, or when it loads the
    /// user again. It reads the store once for each user in memory, and asks no server. A document of a
    /// lower ``ConfigurationState/templateVersion`` than the one in force, and a removal, change nothing.
    /// Must not be called by a store.
    ///
    /// - Returns: The sections of the current user that have changed, sorted.
    @available(*, noasync, message: "Await the function of the same name.")
    @discardableResult
    public func reload() -> [SectionChange] { reloadStored() }

    /// Brings in force what another process has stored since, for the current user and for all users
    /// that are in memory.
    ///
    /// Without it, this process sees such a document with its own next download, or when it loads the
    /// user again. It reads the store once for each user in memory, and asks no server. A document of a
    /// lower ``ConfigurationState/templateVersion`` than the one in force, and a removal, change nothing.
    ///
    /// - Returns: The sections of the current user that have changed, sorted.
    @discardableResult
    public func reload() async -> [SectionChange] { await storeCalls.run { self.reloadStored() } }

    /// Blocks for the store.
    private func reloadStored() -> [SectionChange] {
        let before = loadedSnapshot()
        // Within the user's writes, so that what a download of this process stores comes later.
        let changes = storeWrites.sync(of: before.userID) { reload(since: before) }
        for entry in users.livingEntries {
            storeWrites.sync(of: entry.userID) {
                let version = entry.version
                guard let known = entry.snapshot?.known,
                    let stored = stored(since: known, of: entry.userID)
                else { return }
                load(stored, into: entry, ifVersion: version, reason: .reloaded)
            }
        }
        return changes
    }

    private func reload(since before: ConfigurationSnapshot) -> [SectionChange] {
        let userID = before.userID
        guard let stored = stored(since: before.known, of: userID) else { return [] }
        guardLaunch(stored, of: userID)
        return replacingSnapshot { old, layers in
            guard let old, old.userID == userID, old.known === before.known else { return [] }
            let new = ConfigurationSnapshot(
                userID: userID, known: stored, layers: layers, reason: .reloaded, previous: old)
            let changes = new.changes(since: old.sections)
            change { state in
                state.snapshot = new
                return deliver(changes, in: state)
            }
            return changes
        }
    }

    /// What the store has of a user instead of what is in force; nil when that is the same, older, or
    /// no document of the user's own.
    private func stored(
        since known: KnownConfiguration, of userID: UserID
    ) -> KnownConfiguration? {
        guard let stored = lastKnownConfiguration(of: userID),
            stored.isOwn || !known.isOwn,
            stored.configuration != known.configuration
                || stored.pending?.configuration != known.pending?.configuration
        else { return nil }
        let versions = (known.configuration.templateVersion, stored.configuration.templateVersion)
        if known.isOwn, let before = versions.0, let now = versions.1, now < before { return nil }
        return stored
    }
}
