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
