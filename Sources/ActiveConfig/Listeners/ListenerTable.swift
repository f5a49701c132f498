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

/// A list in the order of insertion, each element with a key of its own.
///
/// Insertion, lookup and removal take constant time on average: what is removed leaves a gap, and
/// gaps are closed when they are more than half of the list.
struct KeyedList<Key: Hashable, Element> {
    /// The elements in order; nil is a gap.
    private(set) var slots: [(key: Key, element: Element)?] = []
    private var positions: [Key: Int] = [:]

    var count: Int { positions.count }

    var isEmpty: Bool { positions.isEmpty }

    /// The elements, in order.
    var elements: [Element] { slots.compactMap { $0?.element } }

    subscript(key: Key) -> Element? {
        positions[key].flatMap { slots[$0]?.element }
    }

    /// Adds an element at the end; an element of that key is removed.
    mutating func append(_ element: Element, forKey key: Key) {
        removeElement(forKey: key)
        positions[key] = slots.count
        slots.append((key, element))
    }

    /// Removes an element, if it is there.
    @discardableResult
    mutating func removeElement(forKey key: Key) -> Element? {
        guard let position = positions.removeValue(forKey: key) else { return nil }
        defer {
            slots[position] = nil
            if slots.count > 16, positions.count < slots.count / 2 { closeGaps() }
        }
        return slots[position]?.element
    }

    private mutating func closeGaps() {
        slots.removeAll { $0 == nil }
        for (position, slot) in slots.enumerated() {
            if let slot { positions[slot.key] = position }
        }
    }
}

extension KeyedList: Sendable where Key: Sendable, Element: Sendable {}
