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
        serialized {
            let (isNew, isProved) = state.withLock { state in
                if let number {
                    guard number > state.lastNumber else { return (false, false) }
                    state.lastNumber = number
                    // Another document that was about to become active and did not is ignored.
                    if document != state.proved { state.proved = nil }
                }
                guard state.document != document || state.isWhole != activation.isWhole else {
                    return (false, false)
                }
                let isProved = activation.isWhole && document == state.proved
                (state.document, state.isWhole, state.isProved) = (
                    document, activation.isWhole, isProved
                )
                return (!state.isInBackground, isProved)
            }
            guard isNew else { return }
            if let document, !isProved { beginSession(document) } else { endSession() }
        }
    }

    /// Runs on ``work``.
    func beginSession(_ document: LaunchRecord.Document) {
        guard let context = state.withLock({ $0.context }), !ProcessIdentity.isDebugged else {
            return
        }
        update(context.record) { $0.begin(document, in: process) }
        let timer = Task { [weak self, clock = context.clock, window] in
            guard (try? await clock.sleep(for: window)) != nil else { return }
            self?.proveLater(document)
        }
        let old = state.withLock { state in
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    /// Runs on ``work``.
    func endSession() {
        guard let context = state.withLock({ $0.context }),
            context.record.value.sessions.contains(where: {
                $0.process.token == process.token
            })
        else { return }
        update(context.record) { $0.begin(nil, in: process) }
    }

    /// Changes the record, and observes the end of the process while a document is recorded.
    ///
    /// Runs on ``work``.
    func update<Result>(
        _ record: StoredState<LaunchRecord>, _ body: (inout LaunchRecord) -> Result
    ) -> Result {
        let result = record.update(body)
        // In tests another process plays this one's part, and ends when the test says so.
        if process.token == ProcessIdentity.current.token {
            let isNoted = record.value.sessions.contains { $0.process.token == process.token }
            ProcessEnd.observe(self, isNoted)
        }
        return result
    }

    /// Proves a document good on ``work``, after reading it.
    ///
    /// Read off ``work``: a store has a log of its own, which may call the framework.
    func proveLater(_ document: LaunchRecord.Document) {
        proofs.enter()
        DispatchQueue.global(qos: .utility).async { [self] in
            let stored = storedConfiguration(toKeepFor: document)
            serializedLater {
                self.prove(document, stored)
                self.proofs.leave()
            }
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
    ///
    /// Runs on ``work``.
    private func prove(_ document: LaunchRecord.Document, _ stored: ConfigurationState?) {
        let (isProved, context) = state.withLock { state in
            guard state.document == document else { return (true, state.context) }
            defer {
                state.isProved = true
                if state.isWhole { state.proved = document }
            }
            return (state.isProved, state.context)
        }
        guard let context, !isProved else { return }
        let isKept =
            context.record.value.good.contains(document)
            || stored.map { keepCopy($0, of: UserID(document.userID), context) } ?? false
        // One write for both. If the process dies before it, the copy is made once more.
        let dropped = update(context.record) { record in
            record.begin(nil, in: process)
            return record.confirm(document, hasCopy: isKept)
        }
        for old in dropped { drop(old, context) }
    }

    private func keepCopy(
        _ stored: ConfigurationState, of userID: UserID, _ context: Context
    ) -> Bool {
        do {
            let data = try StoredRecord.encode(stored, of: userID)
            try context.store.updateClientState(named: Self.copyName(of: userID)) { _ in data }
            return true
        } catch {
            context.collected(
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
            context.collected(
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
