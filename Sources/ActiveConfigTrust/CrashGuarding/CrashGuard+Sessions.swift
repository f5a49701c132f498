public import ActiveConfig
internal import Dispatch

/// The window in which a newly active document has to prove good.
extension CrashGuard {
    /// Durably records the document that is about to become active.
    public func willActivate(_ activation: ConfigurationActivation) { watch(activation) }

    /// Records the document that has become active, unless it is recorded.
    public func didActivate(_ activation: ConfigurationActivation, number: Int) {
        watch(activation, number: number)
    }

    private func watch(_ activation: ConfigurationActivation, number: Int? = nil) {
        guard judgedRecord() != nil else { return }
        let document = activation.document.map {
            LaunchRecord.Document($0, of: UserID(activation.userID))
        }
        let begun = change { state -> LaunchRecord.Document? in
            if let number {
                guard number > state.lastNumber else { return nil }
                state.lastNumber = number
                // Ignores a candidate that never became active.
                if document != state.proved { state.proved = nil }
            }
            guard state.document != document || state.isWhole != activation.isWhole else {
                return nil
            }
            let isProved = activation.isWhole && document == state.proved
            (state.document, state.isWhole, state.isProved) = (
                document, activation.isWhole, isProved
            )
            if state.isInBackground { return nil }
            guard let document, !isProved else {
                endSession(in: state)
                return nil
            }
            beginSession(document, in: state)
            return document
        }
        if let begun { startWindow(of: begun) }
    }

    /// Records the active document; called under the lock.
    func beginSession(_ document: LaunchRecord.Document, in state: State) {
        if ProcessIdentity.isDebugged { return }
        note(in: state) { [process] in $0.begin(document, in: process) }
    }

    /// Records that no document has to prove good; called under the lock.
    func endSession(in state: State) {
        guard state.context?.record.value.isRunning(process) == true else { return }
        note(in: state) { [process] in $0.begin(nil, in: process) }
    }

    /// Starts the window of a document whose session is recorded.
    func startWindow(of document: LaunchRecord.Document) {
        guard let clock = state.withLock({ $0.context?.clock }), !ProcessIdentity.isDebugged else {
            return
        }
        let timer = Task { [weak self, window] in
            guard (try? await clock.sleep(for: window)) != nil else { return }
            self?.proveLater(document)
        }
        let unneeded = state.withLock { state in
            guard state.document == document, !state.isProved, !state.isInBackground else {
                return Task<Void, Never>?.some(timer)
            }
            defer { state.timer = timer }
            return state.timer
        }
        unneeded?.cancel()
    }

    /// Proves a document good on ``work``.
    func proveLater(_ document: LaunchRecord.Document) {
        work.async(group: proofs) { [self] in
            prove(document, storedConfiguration(toKeepFor: document))
        }
    }

    /// The stored document of which no copy is kept; nil when none is needed, or when the store has
    /// another document.
    private func storedConfiguration(
        toKeepFor document: LaunchRecord.Document
    ) -> ConfigurationState? {
        let (isDue, context) = state.withLock { state in
            (state.document == document && !state.isProved, state.context)
        }
        guard isDue, let context, !context.record.value.good.contains(document),
            // Read again, since the active document lacks the bytes of a signed one.
            let stored = context.store.ownConfiguration(forUserID: document.userID),
            LaunchRecord.Document(stored, of: UserID(document.userID)) == document
        else { return nil }
        return stored
    }

    /// Keeps a copy of a document that has proved good, then records that.
    private func prove(_ document: LaunchRecord.Document, _ stored: ConfigurationState?) {
        let context = state.withLock { state -> Context? in
            guard state.document == document, !state.isProved else { return nil }
            state.isProved = true
            if state.isWhole { state.proved = document }
            state.proving = document
            return state.context
        }
        guard let context else { return }
        let isKept =
            context.record.value.good.contains(document)
            || stored.map { keepCopy($0, of: document, context) } ?? false
        // One write for both. If the process dies before it, the copy is made once more.
        let dropped = change { state in
            defer { state.proving = nil }
            // During the copy, another document can become active, or the user be forgotten.
            let (isActive, isKnown) = (state.document == document, state.proving == document)
            return note(in: state) { [process] record in
                if isActive { record.begin(nil, in: process) }
                return isKnown ? record.confirm(document, hasCopy: isKept) : []
            }
        }
        for old in dropped?.withLock({ $0 }) ?? [] { drop(old, context) }
    }

    private func keepCopy(
        _ stored: ConfigurationState, of document: LaunchRecord.Document, _ context: Context
    ) -> Bool {
        let userID = UserID(document.userID)
        do {
            let data = try StoredRecord.encode(stored, of: userID)
            try context.store.updateClientState(named: Self.copyName(of: userID)) { old in
                // Otherwise the user was forgotten during the copy, which `forget` removes.
                state.withLock { $0.proving == document } ? data : old
            }
            return true
        } catch {
            context.log(
                .warning,
                "The good configuration of \(userID.logName) cannot be kept: "
                    + error.logDescription)
            return false
        }
    }

    private func drop(_ document: LaunchRecord.Document, _ context: Context) {
        let userID = UserID(document.userID)
        do {
            try context.store.updateClientState(named: Self.copyName(of: userID)) { _ in nil }
        } catch {
            context.log(
                .warning,
                "The old copy of the configuration of \(userID.logName) cannot be removed: "
                    + error.logDescription)
        }
    }

    static func copyName(of userID: UserID) -> String {
        guard let id = userID.string else { return "good-generic" }
        return "good-\(SHA256.hexDigest(of: id.utf8))"
    }
}
