internal import Dispatch

/// The users whose configurations are in memory.
///
/// A user has one entry as long as anybody uses it. Of those that handles have asked for, the least
/// recently asked for are released when a limit is reached, unless a handle holds them. Beside that, an
/// entry is held as long as it knows something that the store does not tell at the next load.
final class UserTable: Sendable {
    fileprivate struct Slot {
        weak var entry: UserEntry?
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
    fileprivate final class Tables: Sendable {
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

    fileprivate struct State {
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

    fileprivate static let leastPruningThreshold = 64
    fileprivate static let leastHoldingThreshold = 1_000
    /// Estimate of what an entry takes beside its sections, in bytes.
    fileprivate static let entrySize = 2048

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
        let new = UserEntry(userID, policy: policy, listenerQueue: listenerQueue)
        let (entry, released) = state.withLock { state -> (UserEntry, [UserEntry]) in
            let entry = state.slots[userID]?.entry ?? new
            if isKept {
                state.use(entry)
            } else {
                // Of a former entry nothing is left but the slot.
                if state.slots[userID]?.entry == nil { state.slots[userID] = Slot(entry: entry) }
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
        reason: SectionChange.Reason, previous: ConfigurationSnapshot?
    ) -> (snapshot: ConfigurationSnapshot, released: [UserEntry]) {
        guard state.withLock({ $0.slots[userID]?.use ?? 0 > 0 }) else {
            let snapshot = ConfigurationSnapshot(
                userID: userID, known: known, layers: layers, reason: reason, previous: previous)
            return (snapshot, [])
        }
        let shared = shared(known, layers)
        let released = state.withLock { state -> [UserEntry] in
            state.count(shared.tables, for: userID)
            return state.release(over: limits, butNot: userID)
        }
        let snapshot = ConfigurationSnapshot(
            userID: userID, known: shared.known, layers: layers, sections: shared.sections,
            reason: reason, previous: previous)
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

extension UserTable.State {
    fileprivate mutating func use(_ entry: UserEntry) {
        useCount += 1
        var slot = slots[entry.userID] ?? UserTable.Slot()
        if slot.kept == nil {
            keptCount += 1
            size += UserTable.entrySize
            if let tables = slot.tables { add(tables) }
        }
        (slot.entry, slot.kept, slot.use) = (entry, entry, useCount)
        slots[entry.userID] = slot
        uses.append((entry.userID, useCount))
        // At most a few for each entry, so that their cost stays constant.
        if uses.count > 64, uses.count > 4 * slots.count {
            uses = ContiguousArray(
                uses[firstUse...].filter { slots[$0.userID]?.use == $0.use })
            firstUse = 0
        }
    }

    /// Counts the sections of an entry's new configuration instead of those of the old one.
    fileprivate mutating func count(_ tables: UserTable.Tables, for userID: UserID) {
        guard var slot = slots[userID] else { return }
        if slot.kept != nil {
            add(tables)
            if let old = slot.tables { remove(old) }
        }
        slot.tables = tables
        slots[userID] = slot
    }

    private mutating func add(_ document: UserTable.Tables) {
        documents[ObjectIdentifier(document), default: 0] += 1
        guard documents[ObjectIdentifier(document)] == 1 else { return }
        for (table, size) in document.tables {
            let known = sections[table] ?? (count: 0, size: size)
            if known.count == 0 { self.size += known.size }
            sections[table] = (known.count + 1, known.size)
        }
    }

    private mutating func remove(_ document: UserTable.Tables) {
        guard let count = documents[ObjectIdentifier(document)] else { return }
        documents[ObjectIdentifier(document)] = count > 1 ? count - 1 : nil
        if count > 1 { return }
        for (table, _) in document.tables {
            guard let known = sections[table] else { continue }
            if known.count > 1 {
                sections[table] = (known.count - 1, known.size)
            } else {
                sections[table] = nil
                size -= known.size
            }
        }
    }

    /// Stops keeping the least recently used until the limits hold.
    ///
    /// - Returns: The entries, to be released after the lock.
    fileprivate mutating func release(
        over limits: UserCacheLimits, butNot exception: UserID? = nil
    ) -> [UserEntry] {
        var released: [UserEntry] = []
        while keptCount > max(limits.maximumCount, 0) || size > limits.maximumSize,
            firstUse < uses.count
        {
            let (userID, use) = uses[firstUse]
            // The newest stays as long as there is room for one.
            if userID == exception, keptCount == 1, limits.maximumCount > 0 { break }
            firstUse += 1
            guard var slot = slots[userID], slot.use == use, let entry = slot.kept else { continue }
            slot.kept = nil
            slots[userID] = slot
            keptCount -= 1
            size -= UserTable.entrySize
            if let tables = slot.tables { remove(tables) }
            released.append(entry)
        }
        return released
    }

    /// Stops holding the entries that nobody else uses, once they are many.
    ///
    /// - Returns: The entries, to be released after the lock.
    fileprivate mutating func releaseHeld(butNot exception: UserID) -> [UserEntry] {
        guard heldCount > holdingThreshold else { return [] }
        var released: [UserEntry] = []
        for userID in Array(slots.keys) where userID != exception {
            guard var slot = slots.removeValue(forKey: userID) else { continue }
            if slot.held != nil, isKnownUniquelyReferenced(&slot.held) {
                released += [slot.held].compactMap(\.self)
                slot.held = nil
                heldCount -= 1
            }
            slots[userID] = slot
        }
        holdingThreshold = max(UserTable.leastHoldingThreshold, heldCount * 2)
        return released
    }

    /// Drops the slots of released entries.
    ///
    /// - Returns: Entries that were looked at, to be released after the lock.
    fileprivate mutating func prune() -> [UserEntry] {
        guard slots.count > pruningThreshold else { return [] }
        var seen: [UserEntry] = []
        slots = slots.filter { _, slot in
            guard let entry = slot.entry else { return false }
            seen.append(entry)
            return true
        }
        // Doubling the threshold makes the amortized cost of pruning constant.
        pruningThreshold = max(UserTable.leastPruningThreshold, slots.count * 2)
        return seen
    }
}
