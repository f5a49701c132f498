/// What has to be stored of a user's documents, within the user's turn: the outcome is the next event.
extension ActiveConfig {
    /// The documents of the turn's user for a decision and its save: loads them, and stores what a
    /// launch has activated.
    ///
    /// Both take the same documents. In memory, a switch of the user can meanwhile have taken over a
    /// later one of another process, which would then count as replaced.
    func documentsToDecideOn(in turn: Turn) -> UserDocuments {
        loadedSnapshot(of: turn.entry)
        storeLaunch(in: turn)
        return turn.entry.documents
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
        // Nil when a switch has taken over a later document.
        if apply(UserEvent(event: event, reason: .restored), to: entry) == nil { return }
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
