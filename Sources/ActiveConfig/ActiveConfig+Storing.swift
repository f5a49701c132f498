/// Writing what a user's state has to the store, within the user's turn.
///
/// The store has two documents of a user, each with its own entity tag: the own one, and the one that
/// waits for its activation. A document becomes the user's own in three steps: it waits, it replaces
/// the own one, it waits no longer. Wherever a process ends, both documents are whole, and the newer
/// one is not the older.
extension ActiveConfig {
    /// Stores a document that was received, as the user's own or as the one that waits.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - known: The user's newest document as the store had it before.
    ///   - entry: The user.
    func keep(_ document: ConfigurationState, known: ConfigurationState?, of entry: UserEntry) {
        storeLaunch(of: entry)
        // A document without its original could not be vetted when it is read again.
        guard let whole = withStoredBytes(document, of: entry) else { return }
        let after = state(of: entry, after: .received(whole.keptInMemory))
        if after.active?.pending == nil {
            storeOwn(whole, isKnown: known.map(whole.isSame) == true, of: entry)
        } else if keptWaiting(of: entry).map(whole.isSame) != true {
            storeWaiting(whole, of: entry)
        }
    }

    /// Stores what could not be stored before, once the server has said that nothing has changed.
    func keepUnstored(of entry: UserEntry) {
        storeLaunch(of: entry)
        let documents = entry.documents
        if let waiting = documents.unstoredWaiting { storeWaiting(waiting, of: entry) }
        guard let own = documents.unstoredOwn, !isOutdatedInStore(own, of: entry) else { return }
        if documents.active?.pending == nil {
            storeOwn(own, of: entry)
        } else {
            persistOwn(own, of: entry)
        }
    }

    /// Makes a document the user's own in the store, in place of what waits.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - isKnown: True when the store has it already, unless it could not be stored.
    ///   - entry: The user.
    func storeOwn(_ document: ConfigurationState, isKnown: Bool = false, of entry: UserEntry) {
        let waiting = keptWaiting(of: entry)
        if isKnown, waiting == nil, entry.documents.unstoredOwn == nil { return }
        if let waiting, !waiting.isSame(as: document) { storeWaiting(document, of: entry) }
        // One that could not be stored stays pending in the store, for the next launch.
        if persistOwn(document, of: entry), waiting != nil { storeWaiting(nil, of: entry) }
    }

    /// - Returns: False when it could not be stored.
    @discardableResult
    private func persistOwn(_ document: ConfigurationState, of entry: UserEntry) -> Bool {
        guard let configStore else { return true }
        do {
            try configStore.persistConfiguration(document, forUserID: entry.userID.string)
            note(of: entry) { $0.unstoredOwn = nil }
            return true
        } catch {
            note(of: entry) { $0.unstoredOwn = document }
            log(
                .error,
                "The configuration of \(entry.userID.logName) could not be stored and is lost with this "
                    + "launch, unless a later download of this user can store it: \(error)")
            return false
        }
    }

    /// True when another process has stored a later version than a document's since it was asked for;
    /// that version then becomes active, or waits.
    func isOutdatedInStore(_ document: ConfigurationState, of entry: UserEntry) -> Bool {
        guard let version = document.templateVersion, let configStore else { return false }
        let known = entry.documents.active
        let tag = configStore.ownEntityTag(forUserID: entry.userID.string)
        let isUnchanged = tag != nil && tag == known?.newest.entityTag
        let own =
            isUnchanged
            ? nil
            : usable(
                configStore.ownConfiguration(forUserID: entry.userID.string), of: entry.userID)
        // What this process has stored itself is no news: a server may go back.
        let versions = [own, waitingDocument(of: entry)].compactMap(\.self).filter { stored in
            known.map { stored.isSame(as: $0.newest) || stored.isSame(as: $0.configuration) }
                != true
        }.compactMap(\.templateVersion)
        guard let latest = versions.max(), latest > version else { return false }
        apply(
            UserEvent(event: .reloaded(readStore(of: entry).stored), reason: .reloaded), to: entry)
        return true
    }

    /// Stores the document that waits; nil removes it.
    ///
    /// What cannot be stored waits in memory.
    private func storeWaiting(_ document: ConfigurationState?, of entry: UserEntry) {
        guard let configStore else { return note(of: entry) { $0.unstoredWaiting = document } }
        do {
            try configStore.persistPendingConfiguration(document, forUserID: entry.userID.string)
            note(of: entry) { $0.unstoredWaiting = nil }
        } catch is StoreRecord.UnsupportedError {
            note(of: entry) { $0.unstoredWaiting = document }
        } catch {
            note(of: entry) { $0.unstoredWaiting = document }
            log(
                .error,
                "What waits for the activation of \(entry.userID.logName) could not be stored: \(error)"
            )
        }
    }

    /// Stores the document that a launch has activated as the user's own.
    ///
    /// Loading itself does not write, as it may happen on any thread. If the process ends before, the
    /// next launch does the same. What another process has stored since is newer, and stays.
    func storeLaunch(of entry: UserEntry) {
        guard entry.documents.isLaunchUnstored, let active = entry.documents.active else { return }
        guard let waiting = keptWaiting(of: entry), waiting.isSame(as: active.configuration) else {
            return note(of: entry) { $0.endLaunch(isStored: false) }
        }
        // With the bytes of its original, which are not kept in memory.
        storeOwn(waiting, of: entry)
        note(of: entry) { $0.endLaunch(isStored: true) }
        history.noteActivation(of: entry.userID)
        noteActive(active.configuration, of: entry.userID)
    }

    /// Stores what a load has activated, on a thread of its own.
    func storeLaunchLater(of entry: UserEntry) {
        // Loading a user may have loaded the generic one as the fallback.
        for entry in entry === generic ? [entry] : [entry, generic]
        where entry.documents.isLaunchUnstored {
            storeCalls.async(in: entry.writes) {
                self.turns.run(of: entry.userID) { self.storeLaunch(of: entry) }
                self.signalChange()
            }
        }
    }

    /// A configuration with the bytes of its original, which memory does not keep, as the store has them;
    /// nil when it does not.
    private func withStoredBytes(
        _ configuration: ConfigurationState, of entry: UserEntry
    ) -> ConfigurationState? {
        guard let original = configuration.original, original.body == nil else {
            return configuration
        }
        let stored = [
            keptWaiting(of: entry), entry.documents.unstoredOwn,
            configStore?.ownConfiguration(forUserID: entry.userID.string),
        ]
        var whole = configuration
        whole.original =
            stored.lazy.compactMap { $0?.original }.compactMap { original.withBody(of: $0) }.first
        return whole.original == nil ? nil : whole
    }

    /// Records in the store that a download has succeeded.
    ///
    /// While the store cannot, the first download of this launch counts as the installation's, and
    /// each later one tries again.
    ///
    /// - Returns: True for the first successful download of the installation; and true when the store has
    ///   recorded it now.
    func recordFirstDownloadFinished() -> (isFirst: Bool, isStored: Bool) {
        let (isFirstHere, isRecorded) = state.withLock {
            (!$0.firstDownloadFinished, $0.firstDownloadFinishedIsRecorded)
        }
        if isRecorded { return (false, false) }
        guard let configStore else { return (isFirstHere, false) }
        do {
            let isFirst =
                try !configStore.firstDownloadFinished && configStore.recordFirstDownloadFinished()
            return (isFirst && isFirstHere, true)
        } catch {
            log(.error, "That the first download succeeded could not be stored: \(error)")
            return (isFirstHere, false)
        }
    }
}
