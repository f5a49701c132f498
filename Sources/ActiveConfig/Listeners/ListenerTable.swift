/// Registrations by section.
struct ListenerTable: Sendable {
    /// Registration count below which pruning is skipped.
    private static let leastPruningThreshold = 16

    /// A section without registrations has no entry.
    private var rows: [String: KeyedList<ListenerRegistration.Key, ListenerRegistration>] = [:]
    /// Over all sections.
    private var count = 0
    /// Registration count above which those of dead listeners are pruned.
    private var pruningThreshold = leastPruningThreshold

    var isEmpty: Bool { rows.isEmpty }

    /// In the order of registration.
    subscript(sectionName: String) -> [ListenerRegistration] {
        rows[sectionName]?.elements ?? []
    }

    /// The result may belong to a dead listener at the same address.
    func registration(
        ofListener listenerID: ObjectIdentifier, sectionName: String
    ) -> ListenerRegistration? {
        rows[sectionName]?[.listener(listenerID)]
    }

    /// Adds a registration, replacing one of the same key and section.
    ///
    /// - Returns: All registrations when it is time to prune, else none. The caller finds the dead
    ///   ones outside of the lock and passes them to `prune(_:)`.
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

    /// Removes dead registrations, which the caller found among those from `add(_:)`.
    mutating func prune(_ gone: [ListenerRegistration]) {
        // A new listener can reuse the address, and so the key.
        for registration in gone
        where rows[registration.sectionName]?[registration.key] === registration {
            remove(registration)
        }
        // Doubling the threshold makes the amortized cost of pruning constant.
        pruningThreshold = max(Self.leastPruningThreshold, count * 2)
    }

    /// Removes the registration with the key of `registration`, if any.
    mutating func remove(_ registration: ListenerRegistration) {
        let name = registration.sectionName
        guard rows[name]?.removeElement(forKey: registration.key) != nil else { return }
        count -= 1
        if rows[name]?.isEmpty == true { rows[name] = nil }
    }
}

/// A list in insertion order with unique keys.
///
/// Insertion, lookup and removal take amortized constant time: removal leaves a gap, and gaps are
/// closed once they are more than half of the list.
struct KeyedList<Key: Hashable, Element> {
    /// Nil is a gap.
    private(set) var slots: [(key: Key, element: Element)?] = []
    private var positions: [Key: Int] = [:]

    #if DEBUG
        var count: Int { positions.count }
    #endif

    var isEmpty: Bool { positions.isEmpty }

    var elements: [Element] { slots.compactMap { $0?.element } }

    subscript(key: Key) -> Element? {
        positions[key].flatMap { slots[$0]?.element }
    }

    /// Appends an element, removing an earlier one of that key.
    mutating func append(_ element: Element, forKey key: Key) {
        removeElement(forKey: key)
        positions[key] = slots.count
        slots.append((key, element))
    }

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
