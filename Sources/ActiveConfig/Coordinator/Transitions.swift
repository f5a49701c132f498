/// What transitions start from: they alone change it, one at a time.
struct Transitions: Sendable {
    /// The current user.
    var entry: UserEntry
    /// What readers of the current configuration see; nil before the first load.
    var snapshot: SnapshotContents?
    /// What lies beneath and above each user's document.
    var layers: ConfigurationLayers
    /// Number of activations that the vettings were told of once they had come.
    var activationCount = 0
    private var lent: (active: KnownConfiguration, fallback: KnownConfiguration)?

    init(entry: UserEntry, layers: ConfigurationLayers) {
        (self.entry, self.layers) = (entry, layers)
    }

    /// The generic user's active configuration for those who fall back to it: one object for all, so that
    /// they share what is made of it.
    mutating func fallback(of generic: UserEntry) -> KnownConfiguration? {
        guard let active = generic.documents.active else { return nil }
        if let lent, lent.active === active { return lent.fallback }
        let fallback = active.asFallback
        lent = (active, fallback)
        return fallback
    }
}

/// What is left to do after a transition, under no lock.
struct TransitionPass {
    /// Users whose sequences have something new.
    var changed: [UserEntry] = []
    /// True when the sequences of the current user have something new.
    var isFrontChanged = false
    /// Events about a user who is not the current one, to be posted behind all changes of sections.
    var events: [Delivery.Event] = []
    /// True when another document is active for the current user, or another user is current.
    var isActiveChanged = false
    /// Objects that the transition has replaced.
    var released: [[AnyObject]] = []
    private var compared: (old: SnapshotContents, new: SnapshotContents, changes: [SectionChange])?

    /// The changes between two snapshots of a user, compared once for all who have read the same document
    /// and read the same one now; they may name another one of these users.
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

    /// Lets go what was replaced, and wakes sequences, whose tasks may run code of the app's at once.
    func end(_ signals: ChangeSignals) {
        withExtendedLifetime(released) {}
        for entry in changed { entry.signal() }
        if isFrontChanged { signals.yield() }
    }
}
