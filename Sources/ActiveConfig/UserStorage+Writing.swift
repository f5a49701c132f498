internal import Foundation

/// Writing a user's documents, within the user's turn.
///
/// The store has two documents of a user, each with its own entity tag: the own and the pending
/// one. To become the user's own, a document first replaces the stored pending one, if there is
/// one, then the own one; then the pending one is removed. If the process ends anywhere between,
/// both documents are complete and the newer one is not lost. Each step compares what it replaces,
/// so that a later document of another process stays.
extension UserStorage {
    /// The outcome of a save.
    enum Outcome {
        case stored
        /// With the document that the store could not take.
        case failed(ConfigurationState)
        /// Another process has stored a later one.
        case superseded

        fileprivate var unstored: ConfigurationState? {
            if case .failed(let document) = self { document } else { nil }
        }
    }

    /// Stores what a decision asks for.
    ///
    /// - Parameters:
    ///   - save: The decision.
    ///   - userID: The user.
    ///   - documents: The user's documents in memory at the decision.
    /// - Returns: The event that follows; nil when another process has stored a later document,
    ///   which is to be read.
    func save(
        _ save: UserDocuments.Save, of userID: UserID, _ documents: UserDocuments
    ) -> UserDocuments.Event? {
        let outcome: Outcome
        switch save {
        case .store(let new, let asOwn, let known):
            if isOutdated(new.document, of: userID, documents) { return nil }
            // A document without its original could not be vetted at its next read. It is a confirmed
            // one: the store has its content in the earlier version, or another process has removed it.
            guard let complete = withBody(new, known: known, of: userID, documents)?.document else {
                return .saved(save, unstored: nil)
            }
            outcome =
                asOwn
                ? saveOwn(
                    complete, isKnown: known.map(complete.isSame) == true, of: userID, documents)
                : savePending(complete, of: userID, documents)
        case .promote(let pending):
            outcome = saveOwn(pending.document, isPending: true, of: userID, documents)
        case .promoteLaunched(let pending):
            outcome = saveOwn(pending, isPending: true, of: userID, documents)
        case .again: return saveAgain(of: userID, documents)
        }
        if case .superseded = outcome { return nil }
        return .saved(save, unstored: outcome.unstored)
    }

    private func saveAgain(of userID: UserID, _ documents: UserDocuments) -> UserDocuments.Event? {
        var outcomes = (own: Outcome.stored, pending: Outcome.stored)
        if let pending = documents.unstoredPending {
            outcomes.pending = savePending(pending, of: userID, documents)
        }
        if let own = documents.unstoredOwn {
            let hasPending = documents.active?.pending != nil
            outcomes.own =
                hasPending
                ? replaceOwn(by: own, of: userID, documents) : saveOwn(own, of: userID, documents)
        }
        if case .superseded = outcomes.own { return nil }
        if case .superseded = outcomes.pending { return nil }
        return .unstored(own: outcomes.own.unstored, pending: outcomes.pending.unstored)
    }

    /// Removes a user's pending document; before the own one, which it must not outlive.
    ///
    /// - Throws: The store's error.
    func removePending(of userID: UserID) throws {
        do {
            try store?.persistPendingConfiguration(nil, forUserID: userID.string)
        } catch is StoreRecord.UnsupportedError {}
    }

    /// Removes a user's own document.
    ///
    /// - Throws: The store's error.
    func removeOwn(of userID: UserID) throws {
        try store?.persistConfiguration(nil, forUserID: userID.string)
    }

    /// True when another process has stored a later version than a document's.
    func isOutdated(
        _ document: ConfigurationState, of userID: UserID, _ documents: UserDocuments
    ) -> Bool {
        guard document.templateVersion != nil, let store else { return false }
        let tag = store.ownEntityTag(forUserID: userID.string)
        if tag != nil, tag == documents.active?.newest.entityTag { return false }
        return documents.isSuperseded(document, by: own(of: userID)?.templateVersion)
    }

    /// A document with the stored bytes of its original, which memory does not keep; nil when they
    /// are not stored.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - known: A document that may have the same original.
    ///   - userID: The user.
    ///   - documents: The user's documents in memory.
    /// - Returns: The document.
    func withBody(
        _ document: Vetted, known: ConfigurationState?, of userID: UserID,
        _ documents: UserDocuments
    ) -> Vetted? {
        guard let original = document.document.original, original.body == nil else {
            return document
        }
        func bytes(of stored: ConfigurationState?) -> OriginalDocument? {
            stored?.original.flatMap(original.withBody)
        }
        let complete =
            bytes(of: known) ?? bytes(of: documents.unstoredOwn)
            ?? bytes(of: store?.ownConfiguration(forUserID: userID.string))
            ?? bytes(of: keptPending(of: userID, documents))
        return complete.map { document.with(original: $0) }
    }

    /// Makes a document the user's own in the store, and removes the pending one.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - isKnown: True when it is already stored, or could not be stored.
    ///   - isPending: True when `document` is the pending one; a newer pending document is kept.
    ///   - userID: The user.
    ///   - documents: The user's documents in memory.
    /// - Returns: The outcome.
    private func saveOwn(
        _ document: ConfigurationState, isKnown: Bool = false, isPending: Bool = false,
        of userID: UserID, _ documents: UserDocuments
    ) -> Outcome {
        // So that no older document is pending once this one is the user's own.
        var pending: Data?
        let outcome = updatePending(to: document, of: userID, documents) { old, new in
            guard let old else { return nil }
            let new = new()
            if isPending, old != new { return old }
            pending = new
            return new
        }
        if case .superseded = outcome, !isPending { return .superseded }
        let isStored = isKnown && pending == nil && documents.unstoredOwn == nil
        let ownOutcome = isStored ? .stored : replaceOwn(by: document, of: userID, documents)
        // If it could not be stored, it stays pending in the store for the next launch.
        if case .failed = ownOutcome { return ownOutcome }
        if pending != nil {
            _ = updatePending(to: nil, of: userID, documents) { old, _ in
                old == pending ? nil : old
            }
        }
        return ownOutcome
    }

    private func replaceOwn(
        by document: ConfigurationState, of userID: UserID, _ documents: UserDocuments
    ) -> Outcome {
        guard let store else { return .stored }
        func stored() -> ConfigurationState? { own(of: userID) }
        do {
            let isStored = try comparing(document, with: stored, documents) { isLater in
                try store.persistConfiguration(
                    document, forUserID: userID.string, unlessStored: isLater)
            }
            return isStored ? .stored : .superseded
        } catch {
            log(
                .error,
                "The configuration of \(userID.logName) could not be stored and is lost with this "
                    + "launch, unless a later download of this user can store it: "
                    + error.logDescription)
            return .failed(document)
        }
    }

    /// Stores the pending document.
    ///
    /// If it cannot be stored, it is pending in memory.
    private func savePending(
        _ document: ConfigurationState, of userID: UserID, _ documents: UserDocuments
    ) -> Outcome {
        updatePending(to: document, of: userID, documents) { $1() }
    }

    /// Runs `write` with a function that compares a stored version with a document's; once more if
    /// the stored one cannot be read or must not be used, which is only found out while the store
    /// is unlocked.
    ///
    /// - Returns: False when a later one stays, which `stored` reads.
    private func comparing(
        _ document: ConfigurationState, with stored: () -> ConfigurationState?,
        _ documents: UserDocuments,
        _ write: (_ isLater: (Int) -> Bool) throws -> Bool
    ) rethrows -> Bool {
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

    /// Changes the stored pending document, unless another process has stored a later document than
    /// `new`.
    ///
    /// - Parameters:
    ///   - new: The new pending document; nil leaves it to `change`.
    ///   - userID: The user.
    ///   - documents: The user's documents in memory.
    ///   - change: Returns the new pending record, given the bytes of the stored one and a function
    ///     that makes those of `new`. A function, since making them takes longer than most
    ///     downloads and is rarely needed: usually no document is pending.
    /// - Returns: The outcome.
    private func updatePending(
        to new: ConfigurationState?, of userID: UserID, _ documents: UserDocuments,
        _ change: (Data?, () -> Data?) -> Data?
    ) -> Outcome {
        guard let store else { return new.map { .failed($0) } ?? .stored }
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
            func storedPending() -> ConfigurationState? {
                (try? store.pendingConfiguration(forUserID: userID.string)).flatMap {
                    accepted(pending: $0, of: userID)?.document
                }
            }
            let isStored = try comparing(new, with: storedPending, documents) { isLater in
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
            return new.map { .failed($0) } ?? .stored
        } catch {
            log(
                .error,
                "The pending configuration of \(userID.logName) could not be stored: "
                    + error.logDescription)
            return new.map { .failed($0) } ?? .stored
        }
    }
}
