internal import Dispatch

/// The users whose configurations are in memory.
///
/// A user has one entry as long as it is referenced. Of the entries requested by handles, the least
/// recently requested are released at the limit unless a handle holds them. An entry is also held
/// while it has state that the store would not return at the next load.
final class UserTable: Sendable {
    struct Slot {
        weak var entry: UserEntry?
        /// Shared with a former entry, as long as something that was read from it is in use.
        weak var forgettings: Locked<Int>?
        /// Nil once the entry is no longer kept.
        var kept: UserEntry?
        /// Set while the entry is held.
        var held: UserEntry?
        /// Number of the last use by a handle; 0: none.
        var use = 0
    }

    /// A document with shared sections, and with the layers applied to them.
    private struct Shared {
        let original: KnownConfiguration
        let known: KnownConfiguration
        let layers: ConfigurationLayers
        let sections: NameTable<ActiveConfigSection>
    }

    struct State {
        var slots: [UserID: Slot] = [:]
        var keptCount = 0
        /// Uses in order, from `firstUse` on; entries that are not a slot's last use are skipped.
        var uses: ContiguousArray<(userID: UserID, use: Int)> = []
        var firstUse = 0
        var useCount = 0
        /// Number of slots above which those of released entries are pruned.
        var pruningThreshold = leastPruningThreshold
        var heldCount = 0
        /// Number of held entries above which unreferenced ones are released.
        var holdingThreshold = leastHoldingThreshold
    }

    static let leastPruningThreshold = 64
    static let leastHoldingThreshold = 1_000

    let pool = SectionPool()
    private let limits: UserCacheLimits
    private let policy: ActivationPolicy
    private let listenerQueue: DispatchQueue
    private let state = Locked(State())
    /// The last fallback, which many users share.
    private let fallback = Locked<Shared?>(nil)

    init(limits: UserCacheLimits, policy: ActivationPolicy, listenerQueue: DispatchQueue) {
        self.limits = limits
        self.policy = policy
        self.listenerQueue = listenerQueue
    }

    /// The user's entry; creates one when there is none.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - isKept: True for a handle's entry, which is kept within the limit.
    /// - Returns: The entry.
    func entry(of userID: UserID, isKept: Bool) -> UserEntry {
        let (entry, released) = state.withLock { state -> (UserEntry, [UserEntry]) in
            let slot = state.slots[userID]
            let entry =
                slot?.entry
                ?? UserEntry(
                    userID, policy: policy, listenerQueue: listenerQueue,
                    forgettings: slot?.forgettings ?? Locked(0))
            if isKept {
                state.use(entry)
            } else {
                // Only the slot is left of a former entry.
                if slot?.entry == nil {
                    state.slots[userID] = Slot(entry: entry, forgettings: entry.forgettings)
                }
            }
            return (entry, state.prune() + state.release(over: limits))
        }
        // A `deinit` may call the framework.
        withExtendedLifetime(released) {}
        return entry
    }

    /// Starts or ends holding an entry.
    ///
    /// - Returns: Objects to be released outside of any lock.
    func hold(_ entry: UserEntry, _ isHeld: Bool) -> [UserEntry] {
        state.withLock { state in
            let wasHeld = state.slots[entry.userID]?.held != nil
            guard wasHeld != isHeld else { return [] }
            state.slots[entry.userID]?.held = isHeld ? entry : nil
            state.heldCount += isHeld ? 1 : -1
            return isHeld ? state.releaseHeld(butNot: entry.userID) : []
        }
    }

    /// The user's entry if a handle has requested it and it is still in memory.
    func usedEntry(of userID: UserID) -> UserEntry? {
        state.withLock { state in
            state.slots[userID].flatMap { $0.use > 0 ? $0.entry : nil }
        }
    }

    /// The user's epoch; nil when the user is not in memory.
    func epoch(of userID: UserID) -> UserEpoch? {
        state.withLock { $0.slots[userID]?.entry }?.documents.epoch
    }

    /// True when an entry that a handle has requested meets a condition, which is called under the
    /// table's lock.
    func containsUsed(where condition: (UserEntry) -> Bool) -> Bool {
        // Released after the lock, as each may be the last reference.
        var inspected: [UserEntry] = []
        defer { withExtendedLifetime(inspected) {} }
        return state.withLock { state in
            state.slots.values.contains { slot in
                guard slot.use > 0, let entry = slot.entry else { return false }
                inspected.append(entry)
                return condition(entry)
            }
        }
    }

    /// All referenced or kept entries.
    var livingEntries: [UserEntry] { state.withLock { $0.slots.values.compactMap(\.entry) } }

    #if DEBUG
        /// Number of held entries.
        var heldCount: Int { state.withLock { $0.heldCount } }

        /// Number of entries that are kept.
        var keptCount: Int { state.withLock { $0.keptCount } }
    #endif

    /// A snapshot of a user's configuration; users with handles share sections with each other.
    func snapshot(
        of userID: UserID, known: KnownConfiguration, layers: ConfigurationLayers,
        reason: SectionChange.Reason, epoch: UserEpoch, previous: SnapshotContents?
    ) -> SnapshotContents {
        guard state.withLock({ $0.slots[userID]?.use ?? 0 > 0 }) else {
            return SnapshotContents(
                userID: userID, known: known, layers: layers, reason: reason, epoch: epoch,
                previous: previous)
        }
        let shared = shared(known, layers)
        return SnapshotContents(
            userID: userID, known: shared.known, layers: layers, sections: shared.sections,
            reason: reason, epoch: epoch, previous: previous)
    }

    /// The document with shared sections; a fallback's is made once for all its users.
    private func shared(_ known: KnownConfiguration, _ layers: ConfigurationLayers) -> Shared {
        let isFallback = !known.isOwn && known.pending == nil
        if isFallback, let last = fallback.withLock({ $0 }), last.layers == layers,
            last.known === known || last.original === known
        {
            return last
        }
        func pooled(_ configuration: ConfigurationState) -> ConfigurationState {
            var pooled = configuration
            pooled.sections = configuration.sections.mapValues { pool.shared($0) }
            // The content is the same.
            pooled.original = configuration.original
            return pooled
        }
        let configuration = pooled(known.configuration)
        let pending = known.pending.map { $0.with(pooled($0.configuration)) }
        let shared = Shared(
            original: known,
            known: KnownConfiguration(
                configuration, source: known.source, isOwn: known.isOwn, pending: pending),
            layers: layers, sections: pool.applied(layers, to: configuration.sections))
        if isFallback { fallback.withLock { $0 = shared } }
        return shared
    }
}
