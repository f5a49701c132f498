/// Documents that wait for their activation: in the store beside the user's own, each with its own
/// entity tag.
///
/// What is in force is the user's own document with the sections of the waiting one whose moment has
/// come. A document becomes the user's own in three steps: it waits, it replaces the own one, it waits no
/// longer. Wherever a process ends, both documents are whole, and the newer one is not the older.
extension ActiveConfig {
    /// What waits for a user; nil when nothing does.
    func pendingConfiguration(of userID: UserID) -> ConfigurationState? {
        if let unstored = state.withLock({ $0.unstoredPending[userID] }) { return unstored }
        return (configStore as? any PendingConfigurationStore)?.pendingConfiguration(
            forUserID: userID.string)
    }

    /// Keeps a download's document: as the user's own, or as what waits.
    ///
    /// Called by one at a time for a user.
    func keep(_ answer: ConfigurationState?, lastKnown: ConfigurationState?, of userID: UserID) {
        let policy = options.activation
        if policy.isImmediate {
            if let answer, pendingConfiguration(of: userID) != nil {
                storeOwn(answer, of: userID)
            } else {
                store(answer, lastKnown: lastKnown, of: userID)
            }
            return
        }
        storeLaunch(of: userID)
        guard let answer else {
            // Confirmed: what could not be stored is tried again.
            if let unstored = state.withLock({ $0.unstoredPending[userID] }) {
                storePending(unstored, of: userID)
            } else if pendingConfiguration(of: userID) == nil {
                store(nil, lastKnown: lastKnown, of: userID)
            }
            return
        }
        let current = state.withLock { $0.snapshot }
        let known = current?.userID == userID ? current?.known : lastKnownConfiguration(of: userID)
        let isWhole = policy.bringing(
            answer, to: known?.configuration ?? .empty, at: [.immediate]
        ).isWhole
        if isWhole {
            storeOwn(answer, of: userID)
        } else if pendingConfiguration(of: userID).map({ $0.isSame(as: answer) }) != true {
            storePending(answer, of: userID)
        }
        state.withLock { $0.noteChange(of: userID) }
    }

    /// Makes a document the user's own.
    private func storeOwn(_ configuration: ConfigurationState, of userID: UserID) {
        let pending = pendingConfiguration(of: userID)
        if let pending, !pending.isSame(as: configuration) {
            storePending(configuration, of: userID)
        }
        store(configuration, lastKnown: nil, of: userID)
        if pending != nil { storePending(nil, of: userID) }
        state.withLock { $0.launches[userID] = .stored }
    }

    /// What cannot be stored waits in memory.
    private func storePending(_ configuration: ConfigurationState?, of userID: UserID) {
        guard let store = configStore as? any PendingConfigurationStore else {
            return state.withLock { $0.unstoredPending[userID] = configuration }
        }
        do {
            try store.persistPendingConfiguration(configuration, forUserID: userID.string)
            state.withLock { $0.unstoredPending[userID] = nil }
        } catch {
            state.withLock { $0.unstoredPending[userID] = configuration }
            log(
                .error,
                "What waits for the activation of \(userID.logName) could not be stored: \(error)")
        }
    }

    /// Stores what came in force when a user was first loaded.
    ///
    /// Loading itself does not write, as it may happen on any thread. If the process ends before, the
    /// next launch does the same.
    private func storeLaunch(of userID: UserID) {
        guard case .activated(let configuration) = state.withLock({ $0.launches[userID] }) else {
            return
        }
        storeOwn(configuration, of: userID)
    }

    /// Stores what came in force by loading, on a thread of its own.
    func storeLaunchLater(of userID: UserID) {
        // Loading a user may have loaded the generic one as the fallback.
        for userID in Set([userID, .generic]) {
            guard case .activated = state.withLock({ $0.launches[userID] }) else { continue }
            storeCalls.async {
                self.storeWrites.sync(of: userID) { self.storeLaunch(of: userID) }
            }
        }
    }

    /// Removes what waits for a user, before the user's own document is removed.
    func removePending(of userID: UserID) throws {
        let store = configStore as? any PendingConfigurationStore
        try store?.persistPendingConfiguration(nil, forUserID: userID.string)
    }

    /// Brings what waits for the current user in force.
    ///
    /// Blocks for the store.
    func activatePending(of expected: UserID? = nil) -> (isActivated: Bool, [SectionChange]) {
        let userID = loadedSnapshot().userID
        if let expected, expected != userID { return (false, []) }
        return storeWrites.sync(of: userID) {
            storeLaunch(of: userID)
            guard let pending = pendingConfiguration(of: userID) else { return (false, []) }
            storeOwn(pending, of: userID)
            let new = pending.keptInMemory
            guardLaunch(.downloaded(new), of: userID)
            let changes = replacingSnapshot { old, layers -> [SectionChange]? in
                // Another user is current by now; it will be in force for its own.
                guard let old, old.userID == userID else { return nil }
                let source = old.known.pending?.source ?? .stored
                let snapshot = ConfigurationSnapshot(
                    userID: userID,
                    known: KnownConfiguration(new, source: source, isOwn: true),
                    layers: layers, reason: .activated, previous: old)
                let changes = snapshot.changes(since: old.sections)
                change { state in
                    state.snapshot = snapshot
                    return deliver(changes, in: state)
                }
                bringInForce(snapshot.known, ofUser: userID, layers, reason: .activated)
                return changes
            }
            guard let changes else { return (false, []) }
            history.noteActivation(of: userID)
            noteInForce(new, of: userID)
            return (true, changes)
        }
    }
}

extension ConfigurationState {
    /// Compares the entity tags too.
    fileprivate func isSame(as other: ConfigurationState) -> Bool {
        self == other && entityTag == other.entityTag
    }
}

extension KnownConfiguration {
    /// Brings the sections of a newer document in force whose moment has come.
    func bringing(
        _ new: Pending, _ policy: ActivationPolicy, at moments: Set<ActivationPolicy.Moment>
    ) -> KnownConfiguration {
        let (document, adopted, isWhole) = policy.bringing(
            new.configuration, to: configuration, at: moments)
        if isWhole {
            return KnownConfiguration(new.configuration, source: new.source, isOwn: true)
        }
        var pending = new
        pending.adopted = adopted.filter { name in
            new.configuration.sections[name] != nil
        }
        return KnownConfiguration(document, source: source, isOwn: isOwn, pending: pending)
    }

    /// The generic user's document for a user who has none: it lends no entity tag.
    var asFallback: KnownConfiguration {
        var configuration = configuration
        configuration.entityTag = nil
        return KnownConfiguration(configuration, source: .genericUser, isOwn: false)
    }
}
