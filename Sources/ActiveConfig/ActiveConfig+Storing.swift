internal import Foundation

/// Writes a user's state to the store, within the user's turn.
///
/// The store has two documents of a user, each with its own entity tag: the own and the pending
/// one. A document becomes the user's own in three steps: store it as pending, replace the own one,
/// remove the pending one. If the process ends anywhere between, both documents are complete and
/// the newer one is not lost. Each step compares what it replaces, so that a later document of
/// another process stays.
extension ActiveConfig {
    /// The outcome of storing a document.
    private enum Outcome {
        case stored, failed
        /// Another process has stored a later one.
        case superseded
    }

    /// Stores a received document as the user's own or as pending.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - known: The user's newest stored document before.
    ///   - entry: The user.
    /// - Returns: False when another process has stored a later one, which then becomes active or
    ///   pending.
    func keep(
        _ document: ConfigurationState, known: ConfigurationState?, of entry: UserEntry
    ) -> Bool {
        if isOutdatedInStore(document, of: entry) { return false }
        storeLaunch(of: entry)
        // A document without its original could not be vetted at its next read.
        guard let whole = withStoredBytes(document, known: known, of: entry) else { return true }
        let after = state(of: entry, after: .received(whole.keptInMemory))
        let outcome =
            after.active?.pending == nil
            ? storeOwn(whole, isKnown: known.map(whole.isSame) == true, of: entry)
            : storeWaiting(whole, of: entry)
        if outcome == .superseded { takeOverStored(of: entry) }
        return outcome != .superseded
    }

    /// Stores what could not be stored before, after the server answered "not modified".
    ///
    /// - Returns: False when another process has stored a later one, which then becomes active or
    ///   pending.
    func keepUnstored(of entry: UserEntry) -> Bool {
        storeLaunch(of: entry)
        let documents = entry.documents
        var outcomes: [Outcome] = []
        if let waiting = documents.unstoredWaiting {
            outcomes.append(storeWaiting(waiting, of: entry))
        }
        if let own = documents.unstoredOwn {
            let isWhole = documents.active?.pending == nil
            outcomes.append(isWhole ? storeOwn(own, of: entry) : persistOwn(own, of: entry))
        }
        guard outcomes.contains(.superseded) else { return true }
        takeOverStored(of: entry)
        return false
    }

    /// Makes the pending document the user's own in the store.
    ///
    /// - Returns: False when another process has stored a later one.
    func storeActivated(_ waiting: ConfigurationState, of entry: UserEntry) -> Bool {
        storeOwn(waiting, isWaiting: true, of: entry) != .superseded
    }

    /// Makes a document the user's own in the store, and removes the pending one.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - isKnown: True when it is already stored, or could not be stored.
    ///   - isWaiting: True for the pending document; another document pending by now stays.
    ///   - entry: The user.
    /// - Returns: The outcome.
    private func storeOwn(
        _ document: ConfigurationState, isKnown: Bool = false, isWaiting: Bool = false,
        of entry: UserEntry
    ) -> Outcome {
        // So that no older document is pending once this one is the user's own.
        var waiting: Data?
        let outcome = updateWaiting(to: document, of: entry) { old, new in
            guard let old else { return nil }
            let new = new()
            if isWaiting, old != new { return old }
            waiting = new
            return new
        }
        if outcome == .superseded, !isWaiting { return .superseded }
        let isStored = isKnown && waiting == nil && entry.documents.unstoredOwn == nil
        let ownOutcome = isStored ? .stored : persistOwn(document, of: entry)
        // If it could not be stored, it stays pending in the store for the next launch.
        if ownOutcome == .failed { return .failed }
        if waiting != nil {
            _ = updateWaiting(to: nil, of: entry) { old, _ in old == waiting ? nil : old }
        }
        note(of: entry) { $0.unstoredWaiting = nil }
        return ownOutcome
    }

    private func persistOwn(_ document: ConfigurationState, of entry: UserEntry) -> Outcome {
        guard let store else { return .stored }
        let userID = entry.userID
        do {
            let isStored = try storing(document, of: entry) {
                usable(store.ownConfiguration(forUserID: userID.string), of: userID)
            } _: { isLater in
                try store.persistConfiguration(
                    document, forUserID: userID.string, unlessStored: isLater)
            }
            note(of: entry) { $0.unstoredOwn = nil }
            return isStored ? .stored : .superseded
        } catch {
            note(of: entry) { $0.unstoredOwn = document }
            log(
                .error,
                "The configuration of \(entry.userID.logName) could not be stored and is lost with this "
                    + "launch, unless a later download of this user can store it: "
                    + error.logDescription)
            return .failed
        }
    }

    /// Runs `write` with a function that compares a stored version with a document's; once more if
    /// the stored one cannot be read or must not be used, which is only found out while the store
    /// is unlocked.
    ///
    /// - Returns: False when a later one stays, which `stored` reads.
    private func storing(
        _ document: ConfigurationState, of entry: UserEntry, _ stored: () -> ConfigurationState?,
        _ write: (_ isLater: (Int) -> Bool) throws -> Bool
    ) rethrows -> Bool {
        let documents = entry.documents
        var unusable: Set<Int> = []
        while true {
            var later: Int?
            let isStored = try write { version in
                let isLater =
                    documents.isSuperseded(document, by: version) && !unusable.contains(version)
                if isLater { later = version }
                return isLater
            }
            guard !isStored, let later,
                !documents.isSuperseded(document, by: stored()?.templateVersion)
            else { return isStored }
            unusable.insert(later)
        }
    }

    /// True when another process has meanwhile stored a later version than a document's, which then
    /// becomes active or pending.
    private func isOutdatedInStore(_ document: ConfigurationState, of entry: UserEntry) -> Bool {
        guard document.templateVersion != nil, let store else { return false }
        let documents = entry.documents
        let tag = store.ownEntityTag(forUserID: entry.userID.string)
        if tag != nil, tag == documents.active?.newest.entityTag { return false }
        let own = usable(
            store.ownConfiguration(forUserID: entry.userID.string), of: entry.userID)
        guard documents.isSuperseded(document, by: own?.templateVersion) else { return false }
        takeOverStored(of: entry)
        return true
    }

    /// Stores the pending document.
    ///
    /// If it cannot be stored, it is pending in memory.
    private func storeWaiting(_ document: ConfigurationState, of entry: UserEntry) -> Outcome {
        let outcome = updateWaiting(to: document, of: entry) { $1() }
        note(of: entry) { $0.unstoredWaiting = outcome == .failed ? document : nil }
        return outcome
    }

    /// Changes the stored pending document, unless another process has stored a later document than
    /// `new`.
    ///
    /// - Parameters:
    ///   - new: The new pending document; nil leaves it to `change`.
    ///   - entry: The user.
    ///   - change: Returns the new pending record, given the bytes of the stored one and a function
    ///     that makes those of `new`. A function, since making them takes longer than most
    ///     downloads and is rarely needed: usually no document is pending.
    /// - Returns: The outcome.
    private func updateWaiting(
        to new: ConfigurationState?, of entry: UserEntry, _ change: (Data?, () -> Data?) -> Data?
    ) -> Outcome {
        guard let store else { return .failed }
        let userID = entry.userID
        let record = StoreRecord.pendingConfiguration(forUserID: userID.string)
        do {
            guard let new else {
                try store.updateRecord(record) { change($0) { nil } }
                return .stored
            }
            var encoded: Result<Data, any Error>?
            func bytes() -> Data? {
                let result = encoded ?? Result { try StoredRecord.encode(new, of: userID) }
                encoded = result
                return try? result.get()
            }
            let isStored = try storing(new, of: entry) {
                (try? store.pendingConfiguration(forUserID: userID.string)).flatMap {
                    usable(pending: $0, of: userID)
                }
            } _: { isLater in
                var stays = false
                try store.updateRecord(record) { old in
                    stays = old.flatMap(StoredRecord.templateVersion).map(isLater) == true
                    if stays { return old }
                    let changed = change(old, bytes)
                    if case .failure? = encoded { return old }
                    return changed
                }
                return !stays
            }
            if case .failure(let error)? = encoded { throw error }
            return isStored ? .stored : .superseded
        } catch is StoreRecord.UnsupportedError {
            logUnsupportedRecords()
            return .failed
        } catch {
            log(
                .error,
                "The pending configuration of \(userID.logName) could not be stored: "
                    + error.logDescription)
            return .failed
        }
    }

    /// Stores the document activated at launch as the user's own.
    ///
    /// Loading itself does not write, as it can happen on any thread. If the process ends before,
    /// the next launch repeats this. A document stored meanwhile by another process is newer, and
    /// stays.
    func storeLaunch(of entry: UserEntry) {
        guard entry.documents.isLaunchUnstored, let active = entry.documents.active else { return }
        guard let waiting = keptWaiting(of: entry), waiting.isSame(as: active.configuration) else {
            return note(of: entry) { $0.endLaunch(isStored: false) }
        }
        // With the bytes of its original, which are not kept in memory.
        let isStored = storeActivated(waiting, of: entry)
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

    /// A configuration with the stored bytes of its original, which memory does not keep; nil when
    /// they are not stored.
    private func withStoredBytes(
        _ configuration: ConfigurationState, known: ConfigurationState?, of entry: UserEntry
    ) -> ConfigurationState? {
        guard let original = configuration.original, original.body == nil else {
            return configuration
        }
        func bytes(of stored: ConfigurationState?) -> OriginalDocument? {
            stored?.original.flatMap(original.withBody)
        }
        var whole = configuration
        whole.original =
            bytes(of: known) ?? bytes(of: entry.documents.unstoredOwn)
            ?? bytes(of: store?.ownConfiguration(forUserID: entry.userID.string))
            ?? bytes(of: keptWaiting(of: entry))
        return whole.original == nil ? nil : whole
    }
}
