internal import Foundation

/// Performs what happens to users: loads, stores, switches, reloads, activates and forgets.
///
/// It has no state of its own: ``UserDocuments`` decides, ``UserStorage`` stores, ``Front`` shows.
/// Each change of a user's stored documents runs within the user's turn.
final class Users: Sendable {
    let front: Front
    /// The users in memory.
    let table: UserTable
    /// The generic user, to whom others fall back.
    let generic: UserEntry
    /// The users' documents in the store.
    let storage: UserStorage
    let vettings: Vettings
    /// The record of downloads, kept across launches.
    let history: DownloadHistory
    let observers: ConfigurationObservers
    let policy: ActivationPolicy
    let log: ActiveConfigLog
    /// The time of day, for times kept across launches.
    let now: @Sendable () -> Date
    /// Threads for calls of the store.
    let calls = BlockingCalls()
    /// Serializes changes of a user's stored documents.
    let turns = UserTurns()

    init(
        _ front: Front, _ storage: UserStorage, _ history: DownloadHistory,
        _ observers: ConfigurationObservers, policy: ActivationPolicy, log: ActiveConfigLog,
        now: @escaping @Sendable () -> Date
    ) {
        (self.front, table, generic) = (front, front.table, front.generic)
        (self.storage, vettings, self.history) = (storage, storage.vettings, history)
        (self.observers, self.policy, self.log, self.now) = (observers, policy, log, now)
    }

    // MARK: Changes

    /// Applies a change to a user and to those who follow that user.
    ///
    /// - Returns: The transition; nil as for ``Front/apply(_:to:)``.
    @discardableResult
    func apply(_ change: Front.Change, to entry: UserEntry) -> UserTransition? {
        guard let applied = front.apply(change, to: entry) else { return nil }
        if applied.isGenericChanged { askChoosersAgain() }
        return applied.transition
    }

    /// Applies an event whose content is read from the store, which is read again when the user, or
    /// the generic user, has changed since.
    @discardableResult
    func apply(
        reason: SectionChange.Reason, to entry: UserEntry,
        reading read: () -> UserDocuments.Event
    ) -> UserTransition {
        while true {
            let change = Front.Change(event: read(), reason: reason)
            if let transition = apply(change, to: entry) { return transition }
        }
    }

    /// Runs work that calls the store on another thread; keeps the configuration until then, so that
    /// listeners hear of it.
    func later(in lane: BlockingCalls.Lane, _ work: @escaping @Sendable () -> Void) {
        let config = front.queue.config
        calls.async(in: lane) { withExtendedLifetime(config, work) }
    }

    // MARK: Storing

    /// The documents of the turn's user for a decision and its save: loads them, and stores what a
    /// launch has activated.
    ///
    /// Decide and save on this one copy: a switch of the user takes no turn, and can take over another
    /// process's document between the two, which the save would count as replaced.
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
            apply(Front.Change(event: .launchSuperseded, reason: .restored), to: entry)
            return
        }
        // Nil when a switch has taken over a later document.
        let change = Front.Change(
            event: event, reason: .restored, takeovers: documents.takeovers)
        if apply(change, to: entry) == nil { return }
        if entry === generic { askChoosersAgain() }
        history.noteActivation(of: entry.userID)
        reportActive(launched, of: entry.userID, in: entry.documents.epoch)
    }

    /// Stores what a load has activated, on another thread.
    func storeLaunchLater(of entry: UserEntry) {
        // Loading a user can have loaded the generic user as the fallback.
        for entry in entry === generic ? [entry] : [entry, generic]
        where entry.documents.isLaunchUnstored {
            later(in: entry.writes) {
                self.turns.run(of: entry) { self.storeLaunch(in: $0) }
                self.front.signalChange()
            }
        }
    }

    // MARK: Reports

    /// Reports to the observers that a document is active.
    ///
    /// `headerFields` are those of the answer that brought or confirmed it.
    func reportActive(
        _ configuration: ConfigurationState?, of userID: UserID, in epoch: UserEpoch,
        headerFields: [String: String] = [:]
    ) {
        guard !observers.isEmpty, let configuration,
            front.entry.userID == userID || table.usedEntry(of: userID) != nil
        else { return }
        observers.tell(
            ConfigurationEvent(
                .active, userID: userID.string, document: configuration, headerFields: headerFields,
                time: now(), epoch: epoch))
    }

    /// Reports the user's own active document again, confirmed by the server with these header
    /// fields.
    func reportActive(of userID: UserID, headerFields: [String: String]) {
        guard !observers.isEmpty else { return }
        let current = front.current.snapshot
        let snapshot =
            current?.userID == userID ? current : table.usedEntry(of: userID)?.snapshot
        guard let snapshot, snapshot.known.isOwn else { return }
        reportActive(
            snapshot.configuration, of: userID, in: snapshot.epoch, headerFields: headerFields)
    }

    /// Logs what is left out of a document or rounded, unless it is the same as in the last one.
    func reportShape(
        of document: ConfigurationState, since last: ConfigurationState?, of userID: UserID
    ) {
        guard document.problems != last?.problems ?? [],
            let text = document.problemsText(
                of: "The configuration of \(userID.logName)", isSecret: front.isSecret)
        else { return }
        log(.warning, text)
    }
}
