/// Calls of the store, none of them under a lock.
extension ActiveConfig {
    /// The configuration that a user starts with; nil when there is none.
    ///
    /// What waits for the user's next launch comes in force here, and is stored later.
    func lastKnownConfiguration(of userID: UserID) -> KnownConfiguration? {
        while true {
            let (forgettingCount, step) = state.withLock {
                ($0.forgettingCount, $0.launches[userID]?.step)
            }
            // In this order: what waits is removed only once it is stored as the user's own.
            let pending = pendingConfiguration(of: userID)
            let stored = storedConfiguration(of: userID)
            let known = state.withLock { state -> KnownConfiguration?? in
                // What was read may be of a user who is forgotten by now, or may have been stored since
                // as what another thread has loaded.
                guard state.forgettingCount == forgettingCount,
                    state.launches[userID]?.step == step
                else { return nil }
                guard let pending else { return .some(launch(userID, stored, in: &state)) }
                return launch(userID, stored, pending, in: &state)
            }
            if let known { return known }
        }
    }

    /// The configuration with which a user is loaded when none is pending.
    private func launch(
        _ userID: UserID, _ stored: KnownConfiguration?, in state: inout CoordinatorState
    ) -> KnownConfiguration? {
        if options.activation.isImmediate { return stored }
        let known = state.base(of: userID, stored)
        if state.launches[userID] == nil { state.launches[userID] = .stored }
        return known
    }

    /// The configuration with which a user is loaded, given the pending one.
    private func launch(
        _ userID: UserID, _ stored: KnownConfiguration?, _ pending: ConfigurationState,
        in state: inout CoordinatorState
    ) -> KnownConfiguration {
        let base = state.base(of: userID, stored)
        let former = stored?.isOwn == true ? stored?.configuration : nil
        var moments: Set = [ActivationPolicy.Moment.immediate]
        if state.launches[userID] == nil { moments.insert(.nextLaunch) }
        let known = (base ?? .none).bringing(
            .init(configuration: pending.keptInMemory, source: .stored), options.activation,
            at: moments)
        if known.pending == nil, former != pending {
            state.launches[userID] = .activated(pending.keptInMemory, former: former)
        } else if state.launches[userID] == nil {
            state.launches[userID] =
                known.pending == nil ? .stored : .mixed(known, former: former)
        }
        return known
    }

    /// The store's configuration of a user, or the fallback.
    private func storedConfiguration(of userID: UserID) -> KnownConfiguration? {
        let (own, generic) = state.withLock { ($0.unstored[userID], $0.unstored[.generic]) }
        if let own { return .downloaded(own) }
        guard let configStore else { return nil }
        let bootstrapped = configStore as? any BootstrappedStore
        if let own = usable(bootstrapped?.ownConfiguration(forUserID: userID.string), of: userID) {
            return KnownConfiguration(own, source: .stored, isOwn: true)
        }
        let found =
            if let bootstrapped {
                bootstrapped.fallback(forUserID: userID.string) { usable($0, of: .generic) }
            } else {
                // Another store does not say whether it falls back.
                usable(
                    configStore.lastKnownActiveConfiguration(forUserID: userID.string), of: userID,
                    orOf: .generic
                ).map { KnownConfiguration($0, source: .stored, isOwn: false) }
            }
        // What waits for the generic user is in force for others when it is for that one.
        if bootstrapped != nil, userID != .generic, !options.activation.isImmediate,
            let known = lastKnownConfiguration(of: .generic), known.isOwn
        {
            return known.asFallback
        }
        // The store's generic configuration is older than the one that it could not store.
        guard let generic, configStore.ownConfiguration(forUserID: userID.string) == nil,
            found?.configuration == configStore.lastKnownActiveConfiguration(forUserID: nil)
        else { return found }
        return KnownConfiguration.downloaded(generic).asFallback
    }

    /// The user's newest document, on which a request may be conditional: the one that waits, else the
    /// user's own.
    ///
    /// It loads the configuration in force first: after the download the store has a newer one.
    func ownConfiguration(of userID: UserID) -> ConfigurationState? {
        let snapshot = loadedSnapshot()
        if !options.activation.isImmediate, let pending = pendingConfiguration(of: userID) {
            return pending
        }
        // It is not stored yet.
        if case .activated(let document, _) = state.withLock({ $0.launches[userID] }) {
            return document
        }
        let inForce =
            snapshot.userID == userID && snapshot.isOwn
            ? snapshot.configuration : ownConfigurationInMemory(ofUser: userID)
        guard let configStore else { return inForce }
        if let unstored = state.withLock({ $0.unstored[userID] }) { return unstored }
        // Another process may have stored a newer one, or removed it.
        if let inForce, let tag = inForce.entityTag,
            configStore.ownEntityTag(forUserID: userID.string) == tag
        {
            return inForce
        }
        return usable(configStore.ownConfiguration(forUserID: userID.string), of: userID)
    }

    /// The configuration in force before the first access of a launch: the generic user's, or an
    /// empty one.
    ///
    /// Nil when it could only be determined by opening a bootstrap file. `stored` is the store's
    /// configuration for the user who is about to become the current one.
    func initialConfiguration(
        besides stored: KnownConfiguration?
    ) -> ConfigurationState? {
        // Every user falls back to the generic configuration, so there is none.
        guard let stored else { return .empty }
        guard let store = configStore as? any BootstrappedStore else {
            return usable(
                configStore?.lastKnownActiveConfiguration(forUserID: nil), of: .generic) ?? .empty
        }
        // A fallback is just that configuration.
        if !stored.isOwn { return stored.configuration }
        if let own = usable(store.ownConfiguration(forUserID: nil), of: .generic) { return own }
        guard let bootstrap = store.bootstrap else { return .empty }
        return bootstrap.stateIfOpened.map { $0 ?? .empty }
    }

    /// Stores a download's configuration, unless the store already has it.
    ///
    /// A configuration that cannot be stored stays in memory as its user's for this launch.
    func store(
        _ answer: ConfigurationState?, lastKnown: ConfigurationState?, of userID: UserID
    ) {
        guard let configStore, let configuration = answer ?? lastKnown else { return }
        let isUnstored = state.withLock { $0.unstored[userID] != nil }
        let isNew =
            configuration != lastKnown || configuration.entityTag != lastKnown?.entityTag
        guard isNew || isUnstored else { return }
        do {
            try configStore.persistConfiguration(configuration, forUserID: userID.string)
            state.withLock { $0.unstored[userID] = nil }
        } catch {
            state.withLock { $0.unstored[userID] = configuration }
            log(
                .error,
                "The configuration of \(userID.logName) could not be stored and is lost with this launch, "
                    + "unless a later download of this user can store it: \(error)")
        }
    }

    /// Records in the store that a download has succeeded.
    ///
    /// While the store cannot, the first download of this launch counts as the installation's, and
    /// each later one tries again.
    ///
    /// - Parameter problem: Set to what is to be logged, once no queue is held.
    /// - Returns: True for the first successful download of the installation.
    func recordFirstDownloadFinished(problem: inout String?) -> Bool {
        let (isFirstHere, isRecorded) = state.withLock {
            (!$0.firstDownloadFinished, $0.firstDownloadFinishedIsRecorded)
        }
        if isRecorded { return false }
        guard let configStore else { return isFirstHere }
        do {
            let isFirst =
                try !configStore.firstDownloadFinished && configStore.recordFirstDownloadFinished()
            state.withLock { $0.firstDownloadFinishedIsRecorded = true }
            return isFirst && isFirstHere
        } catch {
            problem = "That the first download succeeded could not be stored: \(error)"
            return isFirstHere
        }
    }
}
