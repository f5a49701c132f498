/// Loading: a user's stored documents become the user's state in memory.
///
/// Reading the store takes no turn, as any thread may read. A concurrent change of the user
/// advances the user's revision, which makes the read stale.
extension Users {
    /// The active configuration of the current user, loaded on first use.
    @discardableResult
    func loadedSnapshot() -> SnapshotContents {
        while true {
            let (entry, snapshot) = front.current
            if let snapshot { return snapshot }
            loadedSnapshot(of: entry)
        }
    }

    /// As `loadedSnapshot()`, but the store is not called on a cooperative thread.
    func loadedSnapshotInTask() async -> SnapshotContents {
        let (entry, known) = front.current
        if let known { return known }
        return await calls.run(in: entry.reads) {
            withExtendedLifetime(entry) { self.loadedSnapshot() }
        }
    }

    /// A user's active configuration, loaded on first use.
    @discardableResult
    func loadedSnapshot(of entry: UserEntry) -> SnapshotContents {
        while true {
            if let snapshot = entry.snapshot { return snapshot }
            apply(Front.Change(event: .loaded(readStore(of: entry)), reason: .restored), to: entry)
            storeLaunchLater(of: entry)
        }
    }

    /// As `loadedSnapshot(of:)`, but the store is not called on a cooperative thread.
    func loadedSnapshotInTask(
        of entry: UserEntry, in lane: BlockingCalls.Lane? = nil
    ) async -> SnapshotContents {
        if let known = entry.snapshot { return known }
        return await calls.run(in: lane ?? entry.reads) { self.loadedSnapshot(of: entry) }
    }

    /// Makes a user the current one, with what the store has of the user now.
    func makeCurrent(_ userID: UserID) {
        let (current, shown) = front.current
        if current.userID == userID { return }
        let entry = table.entry(of: userID, isKept: false)
        var isReadAgain = false
        while true {
            let isLoaded = entry.documents.active != nil
            let stored = readStore(of: entry, isSwitch: true)
            // For a user without readers the store's content counts, even if it is less.
            let isRead =
                storage.store == nil || table.usedEntry(of: userID) != nil
                || !policy.isImmediate
            var change = Front.Change(
                event: isLoaded ? .reloaded(stored, evenIfLess: !isRead) : .loaded(stored),
                reason: .userChanged, isSwitch: true)
            if shown == nil { change.initialSections = initialSections(besides: stored) }
            var transition = apply(change, to: entry)
            // The read itself may have changed a follower, by the generic user's stored document.
            if transition == nil, !isReadAgain, entry.isFollower,
                generic.documents.revision != stored.genericRevision
            {
                isReadAgain = true
                continue
            }
            if transition == nil, entry.documents.active != nil {
                // A change in memory during the read is newer than what was read.
                transition = apply(
                    Front.Change(event: nil, reason: .userChanged, isSwitch: true), to: entry)
            }
            guard let transition else { continue }
            storeLaunchLater(of: entry)
            let count = transition.new?.sections.entries.count ?? 0
            return log(.info, "\(userID.logName) is current, with \(count) sections.")
        }
    }

    /// As `makeCurrent(_:)`, but the store is not called on a cooperative thread.
    func makeCurrentInTask(_ userID: UserID) async {
        let entry = table.entry(of: userID, isKept: false)
        await calls.run(in: entry.reads) {
            withExtendedLifetime(entry) { self.makeCurrent(userID) }
        }
    }

    /// The user's stored documents, as far as they may be used.
    ///
    /// The revisions are taken before what they cover, so that a change during the read makes it
    /// stale.
    ///
    /// - Parameters:
    ///   - entry: The user.
    ///   - isSwitch: True when the user is about to become the current one.
    /// - Returns: The documents.
    func readStore(
        of entry: UserEntry, isSwitch: Bool = false
    ) -> UserDocuments.Stored {
        let (documents, genericRevision) = (entry.documents, generic.documents.revision)
        // In this order: a pending document is removed only after it is stored as the user's own.
        let pending = storage.pending(of: entry.userID, documents)
        let base = storage.base(
            of: entry.userID, documents, isGenericLoaded: generic.documents.active != nil)
        var own: KnownConfiguration?
        var fallback = UserDocuments.Fallback.generic
        switch base {
        case .own(let document): own = document
        case .chosen(let choice): fallback = .chosen(choice)
        case .generic: refreshGeneric(isSwitch: isSwitch)
        }
        return UserDocuments.Stored(
            own: own, pending: pending?.document, fallback: fallback,
            revision: documents.revision, genericRevision: genericRevision)
    }

    /// Takes over the generic user's document stored by another process, for users who fall back to
    /// it.
    ///
    /// A removal has no effect while any reader uses the generic user's configuration: a file that
    /// cannot be read for a moment looks like one.
    ///
    /// - Parameter isSwitch: True in a switch, whose users do not count unless they have handles.
    private func refreshGeneric(isSwitch: Bool) {
        guard generic.snapshot != nil, storage.store != nil else {
            loadedSnapshot(of: generic)
            return
        }
        let stored = readStore(of: generic)
        let isRead = isGenericRead(isSwitch: isSwitch)
        apply(
            Front.Change(event: .reloaded(stored, evenIfLess: !isRead), reason: .reloaded),
            to: generic
        )
    }

    /// True when any reader uses the generic user's configuration: the current user or a handle, of the
    /// generic user or of one who falls back to it.
    ///
    /// Other users, such as those whom a policy keeps in memory, have no readers.
    private func isGenericRead(isSwitch: Bool) -> Bool {
        func reads(_ entry: UserEntry) -> Bool { entry === generic || entry.isFollower }
        return !isSwitch && reads(front.entry) || table.containsUsed(where: reads)
    }

    /// The sections that readers are assumed to have seen before the first switch of a launch: the
    /// generic user's.
    ///
    /// Nil when finding out would open a bootstrap file. `stored` has the documents of the user who
    /// is about to become current.
    private func initialSections(
        besides stored: UserDocuments.Stored
    ) -> [String: ActiveConfigSection]? {
        generic.snapshot?.configuration.sections
            ?? storage.genericSections(
                hasNothing: stored.own == nil && stored.choosesNothing)
    }

    /// The user's newest document, to which a conditional request may refer; loads the user first.
    func newestDocument(of entry: UserEntry) -> ConfigurationState? {
        loadedSnapshot(of: entry)
        return storage.newest(of: entry.userID, entry.documents)
    }
}
