/// Loading: a user's stored documents become the user's state in memory.
///
/// Reading the store takes no turn, as any thread may read. A concurrent change of the user
/// advances the user's revision, which makes the read stale.
extension ActiveConfig {
    /// The active configuration of the current user, loaded on first use.
    @discardableResult
    func loadedSnapshot() -> SnapshotContents {
        while true {
            let (snapshot, entry) = state.withLock { ($0.snapshot, $0.entry) }
            if let snapshot { return snapshot }
            loadedSnapshot(of: entry)
        }
    }

    /// As `loadedSnapshot()`, but the store is not called on a cooperative thread.
    func loadedSnapshotInTask() async -> SnapshotContents {
        let (known, entry) = state.withLock { ($0.snapshot, $0.entry) }
        if let known { return known }
        return await storeCalls.run(in: entry.reads) {
            withExtendedLifetime(entry) { self.loadedSnapshot() }
        }
    }

    /// A user's active configuration, loaded on first use.
    @discardableResult
    func loadedSnapshot(of entry: UserEntry) -> SnapshotContents {
        while true {
            if let snapshot = entry.snapshot { return snapshot }
            apply(UserEvent(event: .loaded(readStore(of: entry)), reason: .restored), to: entry)
            storeLaunchLater(of: entry)
        }
    }

    /// As `loadedSnapshot(of:)`, but the store is not called on a cooperative thread.
    func loadedSnapshotInTask(
        of entry: UserEntry, in lane: BlockingCalls.Lane? = nil
    ) async -> SnapshotContents {
        if let known = entry.snapshot { return known }
        return await storeCalls.run(in: lane ?? entry.reads) { self.loadedSnapshot(of: entry) }
    }

    /// Makes a user the current one, with what the store has of the user now.
    func makeCurrent(_ userID: UserID) {
        let (isCurrent, isFirst) = state.withLock { ($0.userID == userID, $0.snapshot == nil) }
        if isCurrent { return }
        let entry = userID == .generic ? generic : users.entry(of: userID, isKept: false)
        while true {
            let isLoaded = entry.documents.active != nil
            let stored = readStore(of: entry, isSwitch: true)
            // For a user without readers the store's content counts, even if it is less.
            let isRead =
                store == nil || users.usedEntry(of: userID) != nil
                || !options.activationPolicy.isImmediate
            var event = UserEvent(
                event: !isLoaded
                    ? .loaded(stored) : isRead ? .reloaded(stored) : .loadedAnew(stored),
                reason: .userChanged, isSwitch: true)
            if isFirst { event.initialSections = initialSections(besides: stored) }
            let transition =
                apply(event, to: entry)
                // A change in memory meanwhile is newer than what was read.
                ?? (entry.documents.active == nil
                    ? nil
                    : apply(
                        UserEvent(event: nil, reason: .userChanged, isSwitch: true), to: entry))
            guard let transition else { continue }
            storeLaunchLater(of: entry)
            let count = transition.new?.sections.entries.count ?? 0
            return log(.info, "\(userID.logName) is current, with \(count) sections.")
        }
    }

    /// The user's stored documents, as far as they may be used.
    func readStore(
        of entry: UserEntry, isSwitch: Bool = false
    ) -> UserConfigurationState.Stored {
        let (documents, genericRevision) = (entry.documents, generic.documents.revision)
        // In this order: a pending document is removed only after it is stored as the user's own.
        let waiting = waitingDocument(of: entry)
        let own = ownDocument(of: entry, documents)
        let fallback =
            own == nil ? readFallback(of: entry, isSwitch: isSwitch) : KnownConfiguration.none
        return UserConfigurationState.Stored(
            own: own, waiting: waiting, fallback: fallback ?? .none,
            followsGeneric: fallback == nil, revision: documents.revision,
            genericRevision: genericRevision)
    }

    /// The user's own document: the stored one, or a later one that could not be stored.
    private func ownDocument(
        of entry: UserEntry, _ documents: UserConfigurationState
    ) -> KnownConfiguration? {
        let stored = usable(
            store?.ownConfiguration(forUserID: entry.userID.string), of: entry.userID)
        if let unstored = documents.unstoredOwn,
            !documents.isSuperseded(unstored, by: stored?.templateVersion)
        {
            return .downloaded(unstored)
        }
        return stored.map { KnownConfiguration($0, source: .stored, isOwn: true) }
    }

    /// The fallback of a user without an own document; nil for the generic user's configuration, at
    /// the time when this becomes the user's state.
    private func readFallback(of entry: UserEntry, isSwitch: Bool) -> KnownConfiguration? {
        let userID = entry.userID
        func chosen(_ found: ConfigurationState?, _ source: SettingSource) -> KnownConfiguration {
            found.map { KnownConfiguration($0, source: source, isOwn: false) } ?? .none
        }
        guard let store else {
            if userID == .generic { return KnownConfiguration.none }
            loadedSnapshot(of: generic)
            return nil
        }
        if !fallsBackToGeneric {
            let found = store.lastKnownActiveConfiguration(forUserID: userID.string)
            if userID == .generic { return chosen(usable(found, of: .generic), .stored) }
            // A refused document of the user is no fallback. A store without `ownConfiguration` may
            // have returned the user's own document.
            let isOwn = found != nil && found == store.ownConfiguration(forUserID: userID.string)
            if !isOwn, found != store.lastKnownActiveConfiguration(forUserID: nil) {
                return chosen(usable(found, of: userID, orOf: .generic), .stored)
            }
        } else if userID == .generic {
            return chosen(store.fallback.bootstrapState, .bootstrap)
        }
        refreshGeneric(isRead: isSwitch ? false : state.withLock { $0.entry === generic })
        return nil
    }

    /// Takes over the generic user's document stored by another process, for users who fall back to
    /// it.
    ///
    /// `isRead` is true for the current user's, if that user stays current: a removal then has no
    /// effect.
    private func refreshGeneric(isRead: Bool) {
        let (documents, snapshot) = generic.current
        guard snapshot != nil else {
            loadedSnapshot(of: generic)
            return
        }
        let stored = readStore(of: generic)
        let isUsed = isRead || users.usedEntry(of: .generic) != nil
        let event: UserConfigurationState.Event =
            isUsed ? .reloaded(stored) : .loadedAnew(stored)
        guard documents.after(event).active !== documents.active else { return }
        apply(UserEvent(event: event, reason: .reloaded), to: generic)
    }

    /// The sections that readers are assumed to have seen before the first switch of a launch: the
    /// generic user's.
    ///
    /// Nil when finding out would open a bootstrap file. `stored` has the documents of the user who
    /// is about to become current.
    private func initialSections(
        besides stored: UserConfigurationState.Stored
    ) -> [String: ActiveConfigSection]? {
        if let known = generic.snapshot { return known.configuration.sections }
        guard let store, fallsBackToGeneric else {
            // Every user falls back to the generic configuration, so there is none.
            if stored.own == nil, stored.fallback === KnownConfiguration.none { return [:] }
            let found = store?.lastKnownActiveConfiguration(forUserID: nil)
            return (usable(found, of: .generic) ?? .empty).sections
        }
        if let own = usable(store.ownConfiguration(forUserID: nil), of: .generic) {
            return own.sections
        }
        guard let bootstrap = store.fallback.bootstrap else { return [:] }
        return bootstrap.stateIfOpened.map { ($0 ?? .empty).sections }
    }

    /// A user's pending document, if it may become active.
    func waitingDocument(of entry: UserEntry) -> ConfigurationState? {
        keptWaiting(of: entry).flatMap { usable(pending: $0, of: entry.userID) }
    }

    /// A user's pending document, even if it must not become active.
    func keptWaiting(of entry: UserEntry) -> ConfigurationState? {
        if let unstored = entry.documents.unstoredWaiting { return unstored }
        do {
            return try store?.pendingConfiguration(forUserID: entry.userID.string)
        } catch is StoreRecord.UnsupportedError {
            logUnsupportedRecords()
        } catch {
            log(
                .warning,
                "The pending configuration of \(entry.userID.logName) cannot be used and is left out: "
                    + error.logDescription)
        }
        return nil
    }

    /// Logs once which features a store without records loses.
    func logUnsupportedRecords() {
        let isFirst = state.withLock { state in
            defer { state.isUnsupportedLogged = true }
            return !state.isUnsupportedLogged
        }
        guard isFirst, let store else { return }
        log(
            .warning,
            "\(type(of: store.base)) keeps no records, so these last as long as the process: a document "
                + "that waits for its activation, the times and waits of downloads, custom signals, "
                + "acknowledgements, and the launches of a crash guard, which does nothing.")
    }

    /// The user's newest document, to which a conditional request may refer: the pending one, else
    /// the user's own.
    ///
    /// Another process can have stored a newer one, or removed it.
    func newestDocument(of entry: UserEntry) -> ConfigurationState? {
        loadedSnapshot(of: entry)
        if !options.activationPolicy.isImmediate, let waiting = waitingDocument(of: entry),
            entry.documents.mayActivate(waiting)
        {
            return waiting
        }
        let documents = entry.documents
        let active = documents.active.flatMap { $0.isOwn ? $0.configuration : nil }
        if documents.isLaunchUnstored { return active }
        guard let store else { return active }
        if let unstored = documents.unstoredOwn { return unstored }
        let userID = entry.userID
        if let active, let tag = active.entityTag,
            store.ownEntityTag(forUserID: userID.string) == tag
        {
            return active
        }
        return usable(store.ownConfiguration(forUserID: userID.string), of: userID)
    }

    /// The configuration of any user, for a service that acts for many at once.
    ///
    /// ```swift
    /// let user = config.configuration(forUserID: request.userID)
    /// if user[.isCheckoutOn] { … }
    /// ```
    ///
    /// Does not change ``currentUserID``. The user's documents are read from the store at first
    /// use, and kept in memory within ``ActiveConfigOptions/userCacheLimits``.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    /// - Returns: A handle. It is cheap: create one per request.
    public func configuration(forUserID userID: String?) -> UserConfiguration {
        UserConfiguration(self, users.entry(of: UserID(userID), isKept: true))
    }
}
