/// What has to be stored of a user's documents, within the user's turn.
extension ActiveConfig {
    /// Stores a received document as the user's own or as pending.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - known: The user's newest stored document before.
    ///   - entry: The user.
    /// - Returns: False when another process has stored a later one, which then becomes active or
    ///   pending.
    func keep(_ document: Vetted, known: ConfigurationState?, of entry: UserEntry) -> Bool {
        if storage.isOutdated(document.document, of: entry.userID, entry.documents) {
            takeOverStored(of: entry)
            return false
        }
        storeLaunch(of: entry)
        let documents = entry.documents
        // A document without its original could not be vetted at its next read.
        guard let whole = storage.whole(document, known: known, of: entry.userID, documents) else {
            return true
        }
        let after = state(of: entry, after: .received(whole.document.keptInMemory))
        return note(
            storage.save(
                whole, isWhole: after.active?.pending == nil,
                isKnown: known.map(whole.document.isSame) == true, of: entry.userID, documents),
            of: entry)
    }

    /// Stores what could not be stored before, after the server answered "not modified".
    ///
    /// - Returns: False when another process has stored a later one, which then becomes active or
    ///   pending.
    func keepUnstored(of entry: UserEntry) -> Bool {
        storeLaunch(of: entry)
        return note(storage.saveAgain(of: entry.userID, entry.documents), of: entry)
    }

    /// Records what was stored, and takes over what another process has stored instead.
    ///
    /// - Returns: False when another process has stored a later document.
    private func note(_ saved: UserStorage.Saved, of entry: UserEntry) -> Bool {
        record(saved, of: entry)
        guard saved.outcome == .superseded else { return true }
        takeOverStored(of: entry)
        return false
    }

    private func record(_ saved: UserStorage.Saved, of entry: UserEntry) {
        if saved.unstoredOwn == nil, saved.unstoredPending == nil { return }
        note(of: entry) { documents in
            if let own = saved.unstoredOwn { documents.unstoredOwn = own }
            if let pending = saved.unstoredPending { documents.unstoredWaiting = pending }
        }
    }

    /// Makes the pending document the user's own in the store.
    ///
    /// - Returns: False when another process has stored a later one.
    func storeActivated(_ pending: ConfigurationState, of entry: UserEntry) -> Bool {
        let saved = storage.promote(pending, of: entry.userID, entry.documents)
        record(saved, of: entry)
        return saved.outcome != .superseded
    }

    /// Stores the document activated at launch as the user's own.
    ///
    /// Loading itself does not write, as it can happen on any thread. If the process ends before,
    /// the next launch repeats this. A document stored meanwhile by another process is newer, and
    /// stays.
    func storeLaunch(of entry: UserEntry) {
        let documents = entry.documents
        guard documents.isLaunchUnstored, let active = documents.active else { return }
        guard let pending = storage.keptPending(of: entry.userID, documents),
            pending.isSame(as: active.configuration)
        else {
            return note(of: entry) { $0.endLaunch(isStored: false) }
        }
        // With the bytes of its original, which are not kept in memory.
        let isStored = storeActivated(pending, of: entry)
        note(of: entry) { $0.endLaunch(isStored: isStored) }
        guard isStored else { return }
        if entry === generic { askChoosersAgain() }
        history.noteActivation(of: entry.userID)
        noteActive(active.configuration, of: entry.userID, in: entry.documents.epoch)
    }

    /// Stores what a load has activated, on another thread.
    func storeLaunchLater(of entry: UserEntry) {
        // Loading a user can have loaded the generic user as the fallback.
        for entry in entry === generic ? [entry] : [entry, generic]
        where entry.documents.isLaunchUnstored {
            storeCalls.async(in: entry.writes) {
                self.turns.run(of: entry.userID) { self.storeLaunch(of: entry) }
                self.signalChange()
            }
        }
    }
}
