extension ActiveConfig {
    /// Activates the pending document, with all its sections; see ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and its deliveries are queued on the
    /// listener queue. If it cannot be stored, it is active all the same: see ``ActiveConfigStore``.
    /// Blocks for the store. From within a store it returns at once, and activates later.
    ///
    /// - Returns: The changed sections, sorted; empty when no document is pending.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    @discardableResult
    public func activate() -> [SectionChange] { activateWaiting(of: state.withLock { $0.entry }) }

    /// Activates the pending document, with all its sections; see ``ActivationPolicy``.
    ///
    /// When it returns, the document is stored as the user's own, and its deliveries are queued on the
    /// listener queue. If it cannot be stored, it is active all the same: see ``ActiveConfigStore``.
    ///
    /// - Returns: The changed sections, sorted; empty when no document is pending.
    @discardableResult
    public func activate() async -> [SectionChange] {
        let entry = state.withLock { $0.entry }
        return await storeCalls.run(in: entry.writes) { self.activateWaiting(of: entry) }
    }

    /// Downloads the current user's configuration and activates it.
    ///
    /// If the user changes before it returns, no pending document is activated.
    ///
    /// - Returns: The result, with the sections changed by the download and the activation.
    /// - Throws: As the async `downloadNewConfig()`; then nothing is activated, not even a document that
    ///   has waited before.
    @discardableResult
    public func fetchAndActivate() async throws -> DownloadResult {
        let result = try await downloadNewConfig()
        let entry = state.withLock { $0.entry }
        guard entry.userID == UserID(result.userID) else {
            return DownloadResult(
                userID: result.userID, configurationIsCurrent: false, isActive: result.isActive,
                outcome: result.outcome)
        }
        return await activatedResult(result, of: entry)
    }

    /// The result of a download whose document is activated.
    func activatedResult(_ result: DownloadResult, of entry: UserEntry) async -> DownloadResult {
        let changes = await storeCalls.run(in: entry.writes) { self.activateWaiting(of: entry) }
        // Another caller can have activated it.
        let isActive = entry.documents.active?.pending == nil
        return DownloadResult(
            userID: result.userID,
            configurationIsCurrent: isActive && state.withLock { $0.entry === entry },
            isActive: isActive,
            changedSectionNames: result.changedSectionNames.union(changes.map(\.sectionName)),
            outcome: result.outcome)
    }

    /// Activates a user's pending document; blocks for the store.
    ///
    /// - Returns: The changed sections, sorted; empty when no document is pending.
    func activateWaiting(of entry: UserEntry) -> [SectionChange] {
        if ThreadMark.isHeld {
            storeCalls.async(in: entry.writes) { _ = self.activateWaiting(of: entry) }
            return []
        }
        let userID = entry.userID
        let changes = turns.run(of: entry) { turn -> [SectionChange]? in
            let documents = documentsToDecideOn(in: turn)
            guard let pending = storage.pending(of: userID, documents),
                case .save(let save) = documents.decision(on: .activate(pending))
            else { return documents.active?.pending == nil ? [] : nil }
            guard let event = storage.save(save, of: userID, documents),
                let transition = apply(UserEvent(event: event, reason: .activated), to: entry)
            else { return nil }
            history.noteActivation(of: userID)
            noteActive(
                pending.document.keptInMemory, of: userID, in: entry.documents.epoch)
            return transition.changes
        }
        if let changes { return changes }
        // If another process activated it, that process has also recorded when it downloaded it.
        history.refresh()
        return reload(entry)
    }

    /// The changes that `activate()` would make, sorted by section; empty when no document is
    /// pending.
    ///
    /// With in-app defaults and overrides, as readers will get them.
    public var pendingChanges: [SectionChange] { loadedSnapshot().pendingChanges }
}
