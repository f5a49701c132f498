/// Documents that wait for their activation: in the store beside the user's own, each with its own
/// entity tag.
///
/// What is in force is the user's own document with the sections of the waiting one whose moment has
/// come. A document becomes the user's own in three steps: it waits, it replaces the own one, it waits no
/// longer. Wherever a process ends, both documents are whole, and the newer one is not the older.
extension ActiveConfig {
    /// A user's pending configuration, if it may come in force.
    func pendingConfiguration(of userID: UserID) -> ConfigurationState? {
        keptPending(of: userID).flatMap { usable(pending: $0, of: userID) }
    }

    /// A user's pending configuration, even one that must not come in force.
    private func keptPending(of userID: UserID) -> ConfigurationState? {
        if let unstored = state.withLock({ $0.unstoredPending[userID] }) { return unstored }
        return (configStore as? any PendingConfigurationStore)?.pendingConfiguration(
            forUserID: userID.string)
    }

    /// Keeps a download's document: as the user's own, or as what waits.
    ///
    /// Called by one at a time for a user.
    func keep(_ answer: ConfigurationState?, lastKnown: ConfigurationState?, of userID: UserID) {
        let policy = options.activation
        if !policy.isImmediate { storeLaunch(of: userID) }
        let whole = answer.flatMap { withStoredBytes($0, of: userID) }
        // A signed document without its bytes could not be verified when it is read again.
        if answer != nil, whole == nil { return }
        let answer = whole
        if policy.isImmediate {
            if let answer, keptPending(of: userID) != nil {
                storeOwn(answer, of: userID)
            } else {
                store(answer, lastKnown: lastKnown, of: userID)
            }
            return
        }
        guard let answer else {
            // Confirmed: what could not be stored is tried again.
            if let unstored = state.withLock({ $0.unstoredPending[userID] }) {
                storePending(unstored, of: userID)
            } else if let pending = pendingConfiguration(of: userID) {
                let own = state.withLock { $0.unstored[userID] }
                if let own, pending.isSame(as: own) { storeOwn(pending, of: userID) }
            } else {
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

    /// A configuration with the bytes of its signed document, which memory does not keep, as the store has
    /// them; nil when it does not.
    private func withStoredBytes(
        _ configuration: ConfigurationState, of userID: UserID
    ) -> ConfigurationState? {
        guard let signed = configuration.signedDocument, signed.body == nil else {
            return configuration
        }
        let stored = [
            keptPending(of: userID), state.withLock { $0.unstored[userID] },
            configStore?.ownConfiguration(forUserID: userID.string),
        ]
        var whole = configuration
        whole.signedDocument =
            stored.lazy.compactMap { $0?.signedDocument }.compactMap { signed.withBody(of: $0) }
            .first
        return whole.signedDocument == nil ? nil : whole
    }

    /// The active configuration of a user who is not in memory, given the user's newest document, before
    /// a download is kept; nil for others.
    ///
    /// Called by one at a time for a user.
    func formerConfiguration(
        of userID: UserID, newest: ConfigurationState?
    ) -> KnownConfiguration? {
        let isInMemory =
            state.withLock { $0.snapshot?.userID == userID }
            || users.livingEntry(of: userID)?.snapshot != nil
        if isInMemory { return nil }
        if options.activation.isImmediate, let newest {
            return KnownConfiguration(newest, source: .stored, isOwn: true)
        }
        return lastKnownConfiguration(of: userID) ?? KnownConfiguration.none
    }

    /// Makes a document the user's own.
    private func storeOwn(_ configuration: ConfigurationState, of userID: UserID) {
        let pending = keptPending(of: userID)
        if let pending, !pending.isSame(as: configuration) {
            storePending(configuration, of: userID)
        }
        store(configuration, lastKnown: nil, of: userID)
        // A document that could not be stored as the user's own stays pending for the next launch.
        let isStored = state.withLock { $0.unstored[userID] == nil }
        if pending != nil, isStored { storePending(nil, of: userID) }
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
    /// next launch does the same. What another process has stored since is newer, and stays.
    private func storeLaunch(of userID: UserID) {
        guard
            case .activated(let configuration, let former) = state.withLock({
                $0.launches[userID]
            })
        else { return }
        guard let pending = keptPending(of: userID), pending.isSame(as: configuration) else {
            // It stays in force in this launch, and is not about to be stored any more.
            let known = KnownConfiguration(configuration, source: .stored, isOwn: true)
            return state.withLock { $0.launches[userID] = .mixed(known, former: former) }
        }
        // With the bytes of a signed document, which are not kept in memory.
        storeOwn(pending, of: userID)
        history.noteActivation(of: userID)
        noteInForce(configuration, of: userID)
    }

    /// Stores what came in force by loading, on a thread of its own.
    func storeLaunchLater(of userID: UserID) {
        pruneUsers()
        // Loading a user may have loaded the generic one as the fallback.
        for userID in Set([userID, .generic]) {
            guard case .activated = state.withLock({ $0.launches[userID] }) else { continue }
            storeCalls.async {
                self.storeWrites.sync(of: userID) { self.storeLaunch(of: userID) }
                self.signalChange()
            }
        }
    }

    /// Drops what is known of users who are not in memory any more, once that is much.
    private func pruneUsers() {
        guard state.withLock({ $0.isPruningDue }) else { return }
        let living = Set(users.livingEntries.map(\.userID))
        state.withLock { $0.prune(keeping: living) }
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
        let snapshot = loadedSnapshot()
        let userID = snapshot.userID
        if let expected, expected != userID { return (false, []) }
        if let changes = activate(userID).current { return (true, changes) }
        if snapshot.known.pending == nil { return (false, []) }
        // Another process has activated it, and noted when it downloaded it.
        history.refresh()
        let changes = reload(userID)
        let isActivated = state.withLock { state in
            state.snapshot.map { $0.userID == userID && $0.known.pending == nil } ?? false
        }
        return (isActivated, changes)
    }

    /// Brings what waits for a user beside the current one in force for its handles.
    ///
    /// Blocks for the store.
    func activatePending(of entry: UserEntry) -> [SectionChange] {
        let old = loadedSnapshot(of: entry)
        if let changes = activate(entry.userID).ofHandles { return changes }
        if old.known.pending == nil { return [] }
        // Another process has activated it.
        history.refresh()
        reload(entry.userID)
        return entry.snapshot?.changes(since: old.sections) ?? []
    }

    /// Brings what waits for a user in force.
    ///
    /// - Returns: The changes of the current configuration, nil when it is another user's; the changes
    ///   of the user's handles. Both are nil when nothing waits.
    private func activate(
        _ userID: UserID
    ) -> (current: [SectionChange]?, ofHandles: [SectionChange]?) {
        storeWrites.sync(of: userID) {
            storeLaunch(of: userID)
            guard let pending = pendingConfiguration(of: userID) else { return (nil, nil) }
            storeOwn(pending, of: userID)
            // Setters that have read what was the user's own read again.
            state.withLock { $0.noteChange(of: userID) }
            let new = pending.keptInMemory
            guardLaunch(.downloaded(new), of: userID)
            let changes = replacingSnapshot { old, layers in
                (
                    current: activate(new, of: userID, since: old, layers),
                    ofHandles: activate(
                        new, ofHandles: users.livingEntry(of: userID), layers)
                )
            }
            history.noteActivation(of: userID)
            noteInForce(new, of: userID)
            return (changes.current, changes.ofHandles)
        }
    }

    private func activate(
        _ new: ConfigurationState, of userID: UserID, since old: ConfigurationSnapshot?,
        _ layers: ConfigurationLayers
    ) -> [SectionChange]? {
        // Of another user than the current one it will be in force for its own.
        guard let old, old.userID == userID else { return nil }
        let source = old.known.pending?.source ?? .stored
        let snapshot = ConfigurationSnapshot(
            userID: userID, known: KnownConfiguration(new, source: source, isOwn: true),
            layers: layers, reason: .activated, previous: old)
        let changes = snapshot.changes(since: old.sections)
        change { state in
            state.snapshot = snapshot
            return deliver(changes, in: state)
        }
        return changes
    }

    private func activate(
        _ new: ConfigurationState, ofHandles entry: UserEntry?, _ layers: ConfigurationLayers
    ) -> [SectionChange] {
        guard let entry else { return [] }
        let old = entry.snapshot
        let source = old?.known.pending?.source ?? .stored
        bringInForce(
            KnownConfiguration(new, source: source, isOwn: true), ofUser: entry.userID, layers,
            reason: .activated)
        guard let old, let snapshot = entry.snapshot else { return [] }
        return snapshot.changes(since: old.sections)
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
        pending.isPartlyInForce =
            document.sections != configuration.sections || self.pending?.isPartlyInForce == true
        pending.adopted = adopted.filter { name in
            new.configuration.sections[name] != nil
        }
        return KnownConfiguration(document, source: source, isOwn: isOwn, pending: pending)
    }

    /// Brings the sections of a downloaded document in force that need not wait.
    func bringing(
        downloaded newest: ConfigurationState, _ policy: ActivationPolicy
    ) -> KnownConfiguration {
        bringing(.init(configuration: newest, source: .downloaded), policy, at: [.immediate])
    }

    /// The generic user's document for a user who has none: it lends no entity tag.
    var asFallback: KnownConfiguration {
        var configuration = configuration
        configuration.entityTag = nil
        return KnownConfiguration(configuration, source: .genericUser, isOwn: false)
    }
}
