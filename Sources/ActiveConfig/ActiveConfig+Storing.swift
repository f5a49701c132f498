internal import Foundation

/// Writing what a user's state has to the store, within the user's turn.
///
/// The store has two documents of a user, each with its own entity tag: the own one, and the one that
/// waits for its activation. A document becomes the user's own in three steps: it waits, it replaces
/// the own one, it waits no longer. Wherever a process ends, both documents are whole, and the newer
/// one is not the older. Each step looks at what it replaces, so that a later document of another process
/// stays.
extension ActiveConfig {
    /// What became of a document that was to be stored.
    private enum Outcome {
        case stored, failed
        /// Another process has stored a later one.
        case superseded
    }

    /// Stores a document that was received, as the user's own or as the one that waits.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - known: The user's newest document as the store had it before.
    ///   - entry: The user.
    /// - Returns: False when another process has stored a later one, which then becomes active, or waits.
    func keep(
        _ document: ConfigurationState, known: ConfigurationState?, of entry: UserEntry
    ) -> Bool {
        if isOutdatedInStore(document, of: entry) { return false }
        storeLaunch(of: entry)
        // A document without its original could not be vetted when it is read again.
        guard let whole = withStoredBytes(document, known: known, of: entry) else { return true }
        let after = state(of: entry, after: .received(whole.keptInMemory))
        let outcome =
            after.active?.pending == nil
            ? storeOwn(whole, isKnown: known.map(whole.isSame) == true, of: entry)
            : storeWaiting(whole, of: entry)
        if outcome == .superseded { takeOverStored(of: entry) }
        return outcome != .superseded
    }

    /// Stores what could not be stored before, once the server has said that nothing has changed.
    ///
    /// - Returns: False when another process has stored a later one, which then becomes active, or waits.
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

    /// Makes the document that waits the user's own in the store.
    ///
    /// - Returns: False when another process has stored a later one.
    func storeActivated(_ waiting: ConfigurationState, of entry: UserEntry) -> Bool {
        storeOwn(waiting, isWaiting: true, of: entry) != .superseded
    }

    /// Makes a document the user's own in the store, in place of what waits.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - isKnown: True when the store has it already, unless it could not be stored.
    ///   - isWaiting: True for the document that waits; another one that waits by now stays.
    ///   - entry: The user.
    /// - Returns: The outcome.
    private func storeOwn(
        _ document: ConfigurationState, isKnown: Bool = false, isWaiting: Bool = false,
        of entry: UserEntry
    ) -> Outcome {
        // So that no older document waits once this one is the user's own.
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
        // One that could not be stored stays pending in the store, for the next launch.
        if ownOutcome == .failed { return .failed }
        if waiting != nil {
            _ = updateWaiting(to: nil, of: entry) { old, _ in old == waiting ? nil : old }
        }
        note(of: entry) { $0.unstoredWaiting = nil }
        return ownOutcome
    }

    private func persistOwn(_ document: ConfigurationState, of entry: UserEntry) -> Outcome {
        guard let configStore else { return .stored }
        let userID = entry.userID
        do {
            let isStored = try storing(document, of: entry) {
                usable(configStore.ownConfiguration(forUserID: userID.string), of: userID)
            } _: { isLater in
                try configStore.persistConfiguration(
                    document, forUserID: userID.string, unlessStored: isLater)
            }
            note(of: entry) { $0.unstoredOwn = nil }
            return isStored ? .stored : .superseded
        } catch {
            note(of: entry) { $0.unstoredOwn = document }
            log(
                .error,
                "The configuration of \(entry.userID.logName) could not be stored and is lost with this "
                    + "launch, unless a later download of this user can store it: \(error)")
            return .failed
        }
    }

    /// Runs `write` with the question whether a stored version is later than a document's; once more for
    /// one that cannot be read or must not be used, which is not found out while the store is locked.
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

    /// True when another process has stored a later version than a document's since it was asked for;
    /// that version then becomes active, or waits.
    private func isOutdatedInStore(_ document: ConfigurationState, of entry: UserEntry) -> Bool {
        guard document.templateVersion != nil, let configStore else { return false }
        let documents = entry.documents
        let tag = configStore.ownEntityTag(forUserID: entry.userID.string)
        if tag != nil, tag == documents.active?.newest.entityTag { return false }
        let own = usable(
            configStore.ownConfiguration(forUserID: entry.userID.string), of: entry.userID)
        guard documents.isSuperseded(document, by: own?.templateVersion) else { return false }
        takeOverStored(of: entry)
        return true
    }

    /// Takes over what another process has stored.
    private func takeOverStored(of entry: UserEntry) {
        apply(
            UserEvent(event: .reloaded(readStore(of: entry).stored), reason: .reloaded), to: entry)
    }

    /// Stores the document that waits.
    ///
    /// What cannot be stored waits in memory.
    private func storeWaiting(_ document: ConfigurationState, of entry: UserEntry) -> Outcome {
        let outcome = updateWaiting(to: document, of: entry) { $1() }
        note(of: entry) { $0.unstoredWaiting = outcome == .failed ? document : nil }
        return outcome
    }

    /// Changes what waits in the store, unless another process has stored a later document than `new`.
    ///
    /// - Parameters:
    ///   - new: The document that is to wait; nil leaves it to `change`.
    ///   - entry: The user.
    ///   - change: Returns what is to wait, given the bytes of what waits, and a function for those of `new`,
    ///     which take longer to write than most downloads need: mostly nothing waits.
    /// - Returns: The outcome.
    private func updateWaiting(
        to new: ConfigurationState?, of entry: UserEntry, _ change: (Data?, () -> Data?) -> Data?
    ) -> Outcome {
        guard let configStore else { return .failed }
        let userID = entry.userID
        let record = StoreRecord.pendingConfiguration(forUserID: userID.string)
        do {
            guard let new else {
                try configStore.updateRecord(record) { change($0) { nil } }
                return .stored
            }
            var encoded: Result<Data, any Error>?
            func bytes() -> Data? {
                let result = encoded ?? Result { try StoredRecord.encode(new, of: userID) }
                encoded = result
                return try? result.get()
            }
            let isStored = try storing(new, of: entry) {
                (try? configStore.pendingConfiguration(forUserID: userID.string)).flatMap {
                    usable(pending: $0, of: userID)
                }
            } _: { isLater in
                var stays = false
                try configStore.updateRecord(record) { old in
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
                "What waits for the activation of \(userID.logName) could not be stored: \(error)")
            return .failed
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
        let isStored = storeActivated(waiting, of: entry)
        note(of: entry) { $0.endLaunch(isStored: isStored) }
        guard isStored else { return }
        history.noteActivation(of: entry.userID)
        noteActive(active.configuration, of: entry.userID, in: entry.documents.epoch)
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
            ?? bytes(of: configStore?.ownConfiguration(forUserID: entry.userID.string))
            ?? bytes(of: keptWaiting(of: entry))
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
