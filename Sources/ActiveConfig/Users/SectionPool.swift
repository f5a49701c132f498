/// The sections of many users, each stored once.
///
/// Users of one server mostly have equal sections. The pool holds them weakly: a section is
/// released with the last configuration that has it. Sections are shared only if their text is
/// identical: canonically equivalent but different text is kept apart.
final class SectionPool: Sendable {
    fileprivate struct Entry {
        weak var table: SettingTable?
    }

    /// A document's section and the layered section derived from it.
    fileprivate struct Layered {
        /// Nil when the document has no such section, or when it was released.
        weak var document: SettingTable?
        weak var result: SettingTable?
    }

    fileprivate struct LayeredKey: Hashable {
        let name: String
        let document: ObjectIdentifier?
    }

    fileprivate struct State {
        var entries: [ByteHash.Fingerprint: Entry] = [:]
        /// Number of entries above which those of released sections are pruned.
        var pruningThreshold = leastPruningThreshold
        var layers = ConfigurationLayers()
        var layered: [LayeredKey: Layered] = [:]
        var layeredPruningThreshold = leastPruningThreshold
    }

    fileprivate static let leastPruningThreshold = 64

    private let state = Locked(State())

    #if DEBUG
        /// Number of entries, including those of released sections not yet pruned.
        var count: Int { state.withLock { $0.entries.count } }
    #endif

    /// The pool's section with the same text; adds `section` when there is none.
    func shared(_ section: ActiveConfigSection) -> ActiveConfigSection {
        let table = section.table
        let fingerprint = table.source ?? DocumentWriter.fingerprint(of: table)
        // A table that loses its last other reference under the lock is released after the lock.
        let known = state.withLock { $0.entries[fingerprint]?.table }
        // Distinguishes values without text of their own, such as NaN.
        if let known, known == table, known.shapeProblems == table.shapeProblems {
            return ActiveConfigSection(table: known)
        }
        let released = state.withLock { state -> [SettingTable] in
            // Two threads can both add one; the last one wins.
            state.entries[fingerprint] = Entry(table: table)
            return state.pruneIfNeeded()
        }
        withExtendedLifetime(released) {}
        return section
    }

    /// The document's sections with the layers applied; each result is shared by all users.
    func applied(
        _ layers: ConfigurationLayers, to document: [String: ActiveConfigSection]
    ) -> NameTable<ActiveConfigSection> {
        guard !layers.isEmpty else { return NameTable(document) }
        var sections = document
        for name in layers.sectionNames {
            sections[name] = applied(layers, to: document[name], named: name)
        }
        return NameTable(sections)
    }

    private func applied(
        _ layers: ConfigurationLayers, to section: ActiveConfigSection?, named name: String
    ) -> ActiveConfigSection? {
        let key = LayeredKey(name: name, document: section.map { ObjectIdentifier($0.table) })
        let known = state.withLock { state -> (SettingTable?, SettingTable?) in
            guard state.layers == layers, let layered = state.layered[key] else {
                return (nil, nil)
            }
            return (layered.document, layered.result)
        }
        // Another section can be at the address of a released one.
        if let result = known.1, known.0 === section?.table {
            return ActiveConfigSection(table: result)
        }
        guard let result = layers.applied(to: section, named: name) else { return nil }
        let released = state.withLock { state -> [SettingTable] in
            if state.layers != layers {
                state.layers = layers
                state.layered = [:]
                state.layeredPruningThreshold = Self.leastPruningThreshold
            }
            state.layered[key] = Layered(document: section?.table, result: result.table)
            return state.pruneLayeredIfNeeded()
        }
        withExtendedLifetime(released) {}
        return result
    }
}

extension SectionPool.State {
    /// - Returns: Tables whose last reference may be this one, to be released after the lock.
    fileprivate mutating func pruneIfNeeded() -> [SettingTable] {
        guard entries.count > pruningThreshold else { return [] }
        var seen: [SettingTable] = []
        entries = entries.filter { _, entry in
            guard let table = entry.table else { return false }
            seen.append(table)
            return true
        }
        // Doubling the threshold makes the amortized cost of pruning constant.
        pruningThreshold = max(SectionPool.leastPruningThreshold, entries.count * 2)
        return seen
    }

    fileprivate mutating func pruneLayeredIfNeeded() -> [SettingTable] {
        guard layered.count > layeredPruningThreshold else { return [] }
        var seen: [SettingTable] = []
        layered = layered.filter { _, entry in
            guard let table = entry.result else { return false }
            seen.append(table)
            return true
        }
        layeredPruningThreshold = max(
            SectionPool.leastPruningThreshold, layered.count * 2)
        return seen
    }
}
