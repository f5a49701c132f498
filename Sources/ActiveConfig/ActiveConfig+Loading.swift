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
        let (own, fallback) =
            if fallsBackToGeneric || documents.unstoredOwn != nil {
                readInOrder(of: entry, documents, isSwitch: isSwitch)
            } else {
                readChoice(of: entry, isLoaded: documents.active != nil, isSwitch: isSwitch)
            }
        return UserConfigurationState.Stored(
            own: own, waiting: waiting, fallback: fallback ?? .none,
            followsGeneric: own == nil && fallback == nil, revision: documents.revision,
            genericRevision: genericRevision)
    }

    /// A user's own document, and if there is none, a fallback other than the generic user's
    /// configuration.
    private typealias OwnOrFallback = (own: KnownConfiguration?, fallback: KnownConfiguration?)

    /// Reads in the framework's order: own document, generic user, bootstrap.
    private func readInOrder(
        of entry: UserEntry, _ documents: UserConfigurationState, isSwitch: Bool
    ) -> OwnOrFallback {
        let userID = entry.userID
        let own = usable(store?.ownConfiguration(forUserID: userID.string), of: userID)
        if let unstored = documents.unstoredOwn,
            // Unless another process has stored a later one.
            !documents.isSuperseded(unstored, by: own?.templateVersion)
        {
            return (.downloaded(unstored), nil)
        }
        if let own { return (KnownConfiguration(own, source: .stored, isOwn: true), nil) }
        if userID == .generic {
            return (nil, .fallback(store?.fallback.bootstrapState, .bootstrap))
        }
        refreshGeneric(isSwitch: isSwitch)
        return (nil, nil)
    }

    /// Reads what a store with fallbacks of its own has for a user: the user's own document, if the
    /// store says so, or its choice, which can be the generic user's document.
    private func readChoice(
        of entry: UserEntry, isLoaded: Bool, isSwitch: Bool
    ) -> OwnOrFallback {
        let userID = entry.userID
        guard let store else { return (nil, nil) }
        let found = store.lastKnownActiveConfiguration(forUserID: userID.string)
        // Otherwise memory has the same as the store, and one read suffices: whom the user follows
        // is asked when the generic user is loaded.
        let isOwnerNeeded =
            isLoaded || !vetting.isEmpty || !options.activationPolicy.isImmediate
            || generic.documents.active != nil
        var isRefused = false
        if isOwnerNeeded, found != nil,
            let own = store.ownConfiguration(forUserID: userID.string)
        {
            if let own = usable(own, of: userID) {
                return (KnownConfiguration(own, source: .stored, isOwn: true), nil)
            }
            // The document must not be used, so the user has none.
            isRefused = true
        }
        if userID == .generic {
            return (nil, .fallback(isRefused ? nil : usable(found, of: userID), .stored))
        }
        if isRefused
            || isOwnerNeeded && found == store.lastKnownActiveConfiguration(forUserID: nil)
        {
            refreshGeneric(isSwitch: isSwitch)
            return (nil, nil)
        }
        // A store without `ownConfiguration` may have returned the user's own document.
        return (nil, .fallback(usable(found, of: userID, orOf: .generic), .stored))
    }

    /// Takes over the generic user's document stored by another process, for users who fall back to
    /// it.
    ///
    /// A removal has no effect while somebody reads the generic user's configuration: a handle, or
    /// the current user, unless that is about to change.
    private func refreshGeneric(isSwitch: Bool) {
        let (documents, snapshot) = generic.current
        guard snapshot != nil, store != nil else {
            loadedSnapshot(of: generic)
            return
        }
        let stored = readStore(of: generic)
        let isRead = !isSwitch && state.withLock { $0.entry === generic }
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
