/// Who listens to which section.
struct ListenerTable: Sendable {
    /// Registration count below which pruning is skipped.
    private static let leastPruningThreshold = 16

    /// The registrations by section; a section without any has no entry.
    private var rows: [String: KeyedList<ListenerRegistration.Key, ListenerRegistration>] = [:]
    /// The number of all registrations.
    private var count = 0
    /// Registration count above which those of dead listeners are pruned.
    private var pruningThreshold = leastPruningThreshold

    /// The registrations of a section, in order.
    subscript(sectionName: String) -> [ListenerRegistration] {
        rows[sectionName]?.elements ?? []
    }

    /// The registration of a listener for a section, if there is one.
    ///
    /// It may be that of a listener that is gone, and whose place in memory another has taken.
    func registration(
        ofListener listenerID: ObjectIdentifier, sectionName: String
    ) -> ListenerRegistration? {
        rows[sectionName]?[.listener(listenerID)]
    }

    /// Adds a registration; one of the same key for the same section is replaced.
    ///
    /// - Returns: All registrations, when there are so many that some may be of listeners that are
    ///   gone; the caller finds those, without a lock, and removes them with `prune(_:)`.
    mutating func add(_ registration: ListenerRegistration) -> [ListenerRegistration] {
        remove(registration)
        rows[registration.sectionName, default: KeyedList()].append(
            registration, forKey: registration.key)
        count += 1
        guard count > pruningThreshold else { return [] }
        // Prevents concurrent pruning.
        pruningThreshold = .max
        return rows.values.flatMap(\.elements)
    }

    /// Removes the registrations of listeners that are gone, after `add(_:)` asked to look for them.
    mutating func prune(_ gone: [ListenerRegistration]) {
        // A key may be that of a living listener by now.
        for registration in gone
        where rows[registration.sectionName]?[registration.key] === registration {
            remove(registration)
        }
        // Twice as many must come before the next look, so that looking costs each a constant.
        pruningThreshold = max(Self.leastPruningThreshold, count * 2)
    }

    /// Removes the registration of a registration's key, if there is one.
    mutating func remove(_ registration: ListenerRegistration) {
        let name = registration.sectionName
        guard rows[name]?.removeElement(forKey: registration.key) != nil else { return }
        count -= 1
        if rows[name]?.isEmpty == true { rows[name] = nil }
    }
}
