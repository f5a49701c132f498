/// The removal of everything that is kept of a user.
extension Users {
    func forgetInTask(_ user: UserID) async throws {
        // At once, even while the user's other store calls are running.
        front.running.markAbandoned(of: user)?.abandon()
        let entry = table.entry(of: user, isKept: false)
        try await calls.run(in: entry.writes) { Result { try self.forget(user) } }.get()
    }

    func forget(_ user: UserID) throws {
        let userID = user.string
        front.running.markAbandoned(of: user)?.abandon()
        let entry = table.entry(of: user, isKept: false)
        if ThreadMark.isHeld {
            return later(in: entry.writes) {
                defer { withExtendedLifetime(entry) {} }
                do {
                    try self.forget(user)
                } catch {
                    self.log(
                        .error, "\(user.logName) could not be forgotten: \(error.logDescription)")
                }
            }
        }
        // Loaded first, to find out what differs.
        loadedSnapshot()
        let (download, results) = try turns.run(of: entry) { _ in
            try storage.removePending(of: user)
            do {
                try storage.removeOwn(of: user)
            } catch {
                noteRemovedPending(of: entry)
                throw error
            }
            let forgotten = Result { try history.forget(user) }
            // A download started since the first look can have been stored just before the removal.
            let download = front.running.markAbandoned(of: user)
            // Last: a refused document must not become active again while it is stored.
            let results = [forgotten, Result { try vettings.forget(user) }]
            // So that only the store is read.
            apply(
                Front.Change(event: .unstored(own: nil, pending: nil), reason: .restored), to: entry
            )
            // Before anything can be read in the next epoch.
            observers.tellForgotten(
                ConfigurationEvent(.forgotten, userID: userID, document: nil, time: now()),
                ending: entry.documents.epoch)
            apply(reason: .forgotten, to: entry) { .forgotten(self.readStore(of: entry)) }
            return (download, results)
        }
        download?.abandon()
        for result in results { try result.get() }
        log(.info, "\(user.logName) is forgotten.")
    }

    /// Notes that only memory has the pending document, of a user who could not be forgotten.
    private func noteRemovedPending(of entry: UserEntry) {
        while true {
            let documents = entry.documents
            let pending = documents.unstoredPending ?? documents.active?.pending?.configuration
            let change = Front.Change(
                event: .unstored(own: documents.unstoredOwn, pending: pending),
                reason: .restored, takeovers: documents.takeovers)
            // Nil when a switch has just taken over another process's document.
            if apply(change, to: entry) != nil { return }
        }
    }
}
