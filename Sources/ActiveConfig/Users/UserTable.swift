internal import Dispatch

/// The users whose configurations are in memory.
///
/// A user has one entry as long as anybody uses it. Of those that handles have asked for, the least
/// recently asked for are released when a limit is reached, unless a handle holds them. Beside that, an
/// entry is held as long as it knows something that the store does not tell at the next load.
final class UserTable: Sendable {
    struct Slot {
        weak var entry: UserEntry?
        /// Also those of a former entry, as long as something that was read from it is in use.
        weak var forgettings: Locked<Int>?
        /// Nil once the entry is no longer kept.
        var kept: UserEntry?
        /// Set while the entry is held.
        var held: UserEntry?
        /// Number of the last use by a handle; 0: none.
        var use = 0
        /// The sections that count for the entry.
        var tables: Tables?
    }

    /// The sections of a document, and their sizes.
    final class Tables: Sendable {
        let tables: [(table: ObjectIdentifier, size: Int)]

        init(_ tables: [(table: ObjectIdentifier, size: Int)]) { self.tables = tables }
    }

    /// A document with shared sections, and with the layers applied to them.
    private struct Shared {
        let original: KnownConfiguration
        let known: KnownConfiguration
        let layers: ConfigurationLayers
        let sections: NameTable<ActiveConfigSection>
        let tables: Tables
    }

    struct State {
        var slots: [UserID: Slot] = [:]
        var keptCount = 0
        /// Uses in order, from `firstUse` on; those that are not a slot's last are passed over.
        var uses: ContiguousArray<(userID: UserID, use: Int)> = []
        var firstUse = 0
        var useCount = 0
        /// How many kept entries have a document.
        var documents: [ObjectIdentifier: Int] = [:]
        /// How many documents of kept entries have a section, and its size.
        var sections: [ObjectIdentifier: (count: Int, size: Int)] = [:]
        var size = 0
        /// Number of slots above which those of released entries are pruned.
        var pruningThreshold = leastPruningThreshold
        var heldCount = 0
        /// Number of held entries above which those that nobody else uses are released.
        var holdingThreshold = leastHoldingThreshold
    }

    static let leastPruningThreshold = 64
    static let leastHoldingThreshold = 1_000
    /// Estimate of what an entry takes beside its sections, in bytes.
    static let entrySize = 2048

    let pool = SectionPool()
    private let limits: UserCacheLimits
    private let policy: ActivationPolicy
    private let listenerQueue: DispatchQueue
    private let state = Locked(State())
    /// The last fallback, which many users read.
    private let fallback = Locked<Shared?>(nil)

    init(limits: UserCacheLimits, policy: ActivationPolicy, listenerQueue: DispatchQueue) {
        self.limits = limits
        self.policy = policy
        self.listenerQueue = listenerQueue
    }

    /// The user's entry, which is new when nobody uses one.
    ///
    /// - Parameters:
    ///   - userID: The user.
    ///   - isKept: True for a handle's, which is then kept within the limits.
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
                // Of a former entry nothing is left but the slot.
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

    /// Holds an entry, or no longer.
    ///
    /// - Returns: What is released by that, to be let go under no lock.
    func hold(_ entry: UserEntry, _ isHeld: Bool) -> [UserEntry] {
        state.withLock { state in
            let wasHeld = state.slots[entry.userID]?.held != nil
            guard wasHeld != isHeld else { return [] }
            state.slots[entry.userID]?.held = isHeld ? entry : nil
            state.heldCount += isHeld ? 1 : -1
            return isHeld ? state.releaseHeld(butNot: entry.userID) : []
        }
    }

    /// Number of held entries.
    var heldCount: Int { state.withLock { $0.heldCount } }

    /// The user's entry if a handle has asked for it and it is in memory since.
    func usedEntry(of userID: UserID) -> UserEntry? {
        state.withLock { state in
            state.slots[userID].flatMap { $0.use > 0 ? $0.entry : nil }
        }
    }

    /// The user's epoch; nil when nothing of the user is in memory.
    func epoch(of userID: UserID) -> UserEpoch? {
        state.withLock { $0.slots[userID]?.entry }?.documents.epoch
    }

    /// All entries that somebody uses or that are kept.
    var livingEntries: [UserEntry] { state.withLock { $0.slots.values.compactMap(\.entry) } }

    /// Number of entries that are kept, and their estimated size in bytes.
    var kept: (count: Int, size: Int) { state.withLock { ($0.keptCount, $0.size) } }

    /// A snapshot of a user's configuration; of a user with handles its sections are shared with those
    /// of others.
    ///
    /// - Returns: The snapshot, and what is released for it, to be let go under no lock.
    func snapshot(
        of userID: UserID, known: KnownConfiguration, layers: ConfigurationLayers,
        reason: SectionChange.Reason, epoch: UserEpoch, previous: SnapshotContents?
    ) -> (snapshot: SnapshotContents, released: [UserEntry]) {
        guard state.withLock({ $0.slots[userID]?.use ?? 0 > 0 }) else {
            let snapshot = SnapshotContents(
                userID: userID, known: known, layers: layers, reason: reason, epoch: epoch,
                previous: previous)
            return (snapshot, [])
        }
        let shared = shared(known, layers)
        let released = state.withLock { state -> [UserEntry] in
            state.count(shared.tables, for: userID)
            return state.release(over: limits, butNot: userID)
        }
        let snapshot = SnapshotContents(
            userID: userID, known: shared.known, layers: layers, sections: shared.sections,
            reason: reason, epoch: epoch, previous: previous)
        return (snapshot, released)
    }

    /// The document with shared sections; that of a fallback is made once for all users who read it.
    private func shared(_ known: KnownConfiguration, _ layers: ConfigurationLayers) -> Shared {
        let isFallback = !known.isOwn && known.pending == nil
        if isFallback, let last = fallback.withLock({ $0 }), last.layers == layers,
            last.known === known || last.original === known
        {
            return last
        }
        var tables: [(table: ObjectIdentifier, size: Int)] = []
        func pooled(_ configuration: ConfigurationState) -> ConfigurationState {
            var pooled = configuration
            pooled.sections = configuration.sections.mapValues { section in
                let shared = pool.shared(section)
                tables.append((ObjectIdentifier(shared.section.table), shared.size))
                return shared.section
            }
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
            layers: layers, sections: pool.applied(layers, to: configuration.sections),
            tables: Tables(tables))
        if isFallback { fallback.withLock { $0 = shared } }
        return shared
    }
}
