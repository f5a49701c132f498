/// Input of transitions, which alone change it, one at a time.
struct Transitions: Sendable {
    /// The current user.
    var entry: UserEntry
    /// What readers of the current configuration see; nil before the first load.
    var snapshot: SnapshotContents?
    /// What lies beneath and above each user's document.
    var layers: ConfigurationLayers
    /// Number of activations that were reported to the vettings.
    var activationCount = 0
    private var lent: (active: KnownConfiguration, fallback: KnownConfiguration)?

    init(entry: UserEntry, layers: ConfigurationLayers) {
        (self.entry, self.layers) = (entry, layers)
    }

    /// The generic user for the decisions on others: one fallback for all who follow, so that they
    /// share what is derived from it.
    mutating func generic(_ user: UserEntry) -> UserDocuments.Generic {
        let documents = user.documents
        guard let active = documents.active else {
            return UserDocuments.Generic(revision: documents.revision)
        }
        let fallback =
            if let lent, lent.active === active { lent.fallback } else { active.asFallback }
        lent = (active, fallback)
        return UserDocuments.Generic(fallback: fallback, revision: documents.revision)
    }
}

/// Effects of a transition, performed outside the lock.
struct TransitionPass {
    /// Users whose sequences have a new element.
    var changed: [UserEntry] = []
    /// True when the current user's sequences have a new element.
    var isFrontChanged = false
    /// True when another document became active for the current user, or another user became
    /// current.
    var isActiveChanged = false
    /// True when another document became active for the generic user.
    var isGenericChanged = false
    /// Objects that the transition has replaced.
    var released: [[AnyObject]] = []
    private var compared: (old: SnapshotContents, new: SnapshotContents, changes: [SectionChange])?

    /// Changes between two snapshots of a user, compared once for all users who read the same
    /// document before and after; they may name another one of these users.
    mutating func changes(
        from old: SnapshotContents?, to new: SnapshotContents?
    ) -> [SectionChange] {
        guard let old, let new, old !== new else { return [] }
        if let compared, compared.old.isOfSameContent(as: old),
            compared.new.isOfSameContent(as: new)
        {
            return compared.changes
        }
        let changes = new.changes(since: old.sections)
        compared = (old, new, changes)
        return changes
    }

    /// Releases what was replaced and wakes sequences, whose tasks may run the app's code at once.
    func end(_ signals: ChangeSignals) {
        withExtendedLifetime(released) {}
        for entry in changed { entry.signal() }
        if isFrontChanged { signals.yield() }
    }
}

/// The effect of an event on a user's active configuration.
struct UserTransition: Sendable {
    /// The snapshot afterwards; nil when nothing is loaded.
    let new: SnapshotContents?
    /// The changes of the user's sections, sorted by name.
    let changes: [SectionChange]
    let isCurrent: Bool
}
