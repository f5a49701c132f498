/// What has to be stored of a user's documents, within the user's turn: the outcome is the next event.
extension ActiveConfig {
    /// Stores what a decision asks for.
    ///
    /// - Returns: What follows, which readers do not see yet; nil when another process has stored a
    ///   later document.
    func save(_ save: UserDocuments.Save, in turn: Turn) -> UserDocuments.Event? {
        storeLaunch(in: turn)
        return storage.save(save, of: turn.entry.userID, turn.entry.documents)
    }

    /// Stores the document activated at launch as the user's own.
    ///
    /// Loading itself does not write, as it can happen on any thread. If the process ends before,
    /// the next launch repeats this. A document that another process has stored since is newer, and
    /// stays.
    func storeLaunch(in turn: Turn) {
        let (entry, documents) = (turn.entry, turn.entry.documents)
        guard documents.isLaunchUnstored, let launched = documents.ownDocument else { return }
        // With the bytes of its original, which are not kept in memory.
        guard let pending = storage.keptPending(of: entry.userID, documents),
            pending.isSame(as: launched),
            let event = storage.save(.promoteLaunched(pending), of: entry.userID, documents)
        else {
            apply(UserEvent(event: .launchSuperseded, reason: .restored), to: entry)
            return
        }
        apply(UserEvent(event: event, reason: .restored), to: entry)
        if entry === generic { askChoosersAgain() }
        history.noteActivation(of: entry.userID)
        noteActive(launched, of: entry.userID, in: entry.documents.epoch)
    }

    /// Stores what a load has activated, on another thread.
    func storeLaunchLater(of entry: UserEntry) {
        // Loading a user can have loaded the generic user as the fallback.
        for entry in entry === generic ? [entry] : [entry, generic]
        where entry.documents.isLaunchUnstored {
            storeCalls.async(in: entry.writes) {
                self.turns.run(of: entry) { self.storeLaunch(in: $0) }
                self.signalChange()
            }
        }
    }
}
