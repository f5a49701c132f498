/// The activation of pending documents.
extension Users {
    /// The result of a download whose document is activated.
    func activatedResult(_ result: DownloadResult, of entry: UserEntry) async -> DownloadResult {
        let changes = await activateInTask(of: entry)
        // Another caller can have activated it.
        let isActive = entry.documents.active?.pending == nil
        return result.with(
            configurationIsCurrent: isActive && front.entry === entry,
            isActive: isActive,
            changedSectionNames: result.changedSectionNames.union(changes.map(\.sectionName)))
    }

    /// As `activatePending(of:)`, but the store is not called on a cooperative thread.
    func activateInTask(of entry: UserEntry) async -> [SectionChange] {
        await calls.run(in: entry.writes) { self.activatePending(of: entry) }
    }

    /// Activates a user's pending document; blocks for the store.
    ///
    /// - Returns: The changed sections, sorted; empty when no document is pending.
    func activatePending(of entry: UserEntry) -> [SectionChange] {
        if ThreadMark.isHeld {
            later(in: entry.writes) { _ = self.activatePending(of: entry) }
            return []
        }
        let userID = entry.userID
        let changes = turns.run(of: entry) { turn -> [SectionChange]? in
            let documents = documentsToDecideOn(in: turn)
            guard let pending = storage.pending(of: userID, documents),
                case .save(let save) = documents.decision(on: .activate(pending))
            else { return documents.active?.pending == nil ? [] : nil }
            guard let event = storage.save(save, of: userID, documents) else { return nil }
            let change = Front.Change(
                event: event, reason: .activated, takeovers: documents.takeovers)
            var changes = apply(change, to: entry)?.changes
            if changes == nil {
                // A switch has read the store since the decision: what was just saved, or another
                // process's document.
                changes = takeOverStored(in: turn)
                guard entry.documents.ownDocument?.isSame(as: pending.document) == true,
                    entry.documents.active?.pending == nil
                else { return nil }
            }
            history.noteActivation(of: userID)
            reportActive(
                pending.document.keptInMemory, of: userID, in: entry.documents.epoch)
            return changes ?? []
        }
        if let changes { return changes }
        // Another process has activated it or stored a later document, and has recorded when it
        // downloaded that.
        history.refresh()
        return reload(entry)
    }
}
