/// Who listens to which section.
struct ListenerTable: Sendable {
    /// The registrations of one section, in order.
    private struct Row: Sendable {
        var registrations: [ListenerRegistration] = []
        /// The number of registrations from which on those of dead listeners are looked for.
        var pruningThreshold = 16
    }

    private var rows: [String: Row] = [:]

    /// The registrations of a section.
    subscript(sectionName: String) -> [ListenerRegistration] {
        rows[sectionName]?.registrations ?? []
    }

    /// Adds a registration; one of the same listener for the same section is replaced.
    ///
    /// - Returns: The section's registrations, when there are so many that some may be of listeners
    ///   that are gone; the caller finds those, without a lock, and removes them.
    mutating func add(_ registration: ListenerRegistration) -> [ListenerRegistration] {
        var row = rows[registration.sectionName] ?? Row()
        if let id = registration.listenerID {
            row.registrations.removeAll { $0.listenerID == id }
        }
        row.registrations.append(registration)
        let isCrowded = row.registrations.count > row.pruningThreshold
        if isCrowded { row.pruningThreshold = row.registrations.count * 2 }
        rows[registration.sectionName] = row
        return isCrowded ? row.registrations : []
    }

    /// Removes registrations.
    mutating func remove(_ registrations: [ListenerRegistration]) {
        for registration in registrations {
            removeAll(ofSection: registration.sectionName) { $0 === registration }
        }
    }

    /// Removes the registration of a listener for a section and gives it.
    mutating func remove(
        listenerID: ObjectIdentifier, sectionName: String
    ) -> ListenerRegistration? {
        let found = self[sectionName].first { $0.listenerID == listenerID }
        removeAll(ofSection: sectionName) { $0.listenerID == listenerID }
        return found
    }

    private mutating func removeAll(
        ofSection sectionName: String, where isRemoved: (ListenerRegistration) -> Bool
    ) {
        rows[sectionName]?.registrations.removeAll(where: isRemoved)
        if rows[sectionName]?.registrations.isEmpty == true { rows[sectionName] = nil }
    }
}
