/// Who listens to which section.
struct ListenerTable: Sendable {
    /// The number of registrations up to which the dead are not looked for.
    private static let leastPruningThreshold = 16

    /// The registrations by section, in order; no section has none.
    private var rows: [String: [ListenerRegistration]] = [:]
    /// The number of all registrations.
    private var count = 0
    /// The number of registrations from which on those of dead listeners are looked for.
    private var pruningThreshold = leastPruningThreshold

    /// The registrations of a section.
    subscript(sectionName: String) -> [ListenerRegistration] { rows[sectionName] ?? [] }

    /// The registration of a listener for a section, if there is one.
    ///
    /// It may be that of a listener that is gone, and whose place in memory another has taken.
    func registration(
        ofListener listenerID: ObjectIdentifier, sectionName: String
    ) -> ListenerRegistration? {
        self[sectionName].first { $0.listenerID == listenerID }
    }

    /// Adds a registration; one of the same listener for the same section is replaced.
    ///
    /// - Returns: All registrations, when there are so many that some may be of listeners that are
    ///   gone; the caller finds those, without a lock, and removes them with `prune(_:)`.
    mutating func add(_ registration: ListenerRegistration) -> [ListenerRegistration] {
        if let id = registration.listenerID {
            removeAll(ofSection: registration.sectionName) { $0.listenerID == id }
        }
        rows[registration.sectionName, default: []].append(registration)
        count += 1
        guard count > pruningThreshold else { return [] }
        // Nobody else looks until this look is over.
        pruningThreshold = .max
        return rows.values.flatMap(\.self)
    }

    /// Removes the registrations of listeners that are gone, after `add(_:)` asked to look for them.
    mutating func prune(_ gone: [ListenerRegistration]) {
        for (name, registrations) in Dictionary(grouping: gone, by: \.sectionName) {
            let ids = Set(registrations.map(ObjectIdentifier.init))
            removeAll(ofSection: name) { ids.contains(ObjectIdentifier($0)) }
        }
        pruningThreshold = max(Self.leastPruningThreshold, count * 2)
    }

    /// Removes a registration.
    mutating func remove(_ registration: ListenerRegistration) {
        removeAll(ofSection: registration.sectionName) { $0 === registration }
    }

    /// Removes the registrations of a section that are meant.
    private mutating func removeAll(
        ofSection sectionName: String, where isRemoved: (ListenerRegistration) -> Bool
    ) {
        guard var row = rows.removeValue(forKey: sectionName) else { return }
        count -= row.count
        row.removeAll(where: isRemoved)
        count += row.count
        if !row.isEmpty { rows[sectionName] = row }
    }
}
