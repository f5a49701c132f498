/// A bounded queue of the events that wait for observers.
///
/// When it is full, the oldest read is dropped; without reads, the oldest event. `.forgotten` goes
/// ahead of all others and is never dropped.
struct WaitingEvents {
    struct Element: Sendable {
        let event: ConfigurationEvent
        /// The numbers of the observers at that time, not of later ones.
        let numbers: ClosedRange<Int>

        var userID: UserID { UserID(event.userID) }

        /// True for events that are dropped when their user is forgotten.
        var isPassing: Bool { if case .forgotten = event.kind { false } else { true } }
    }

    static let maximumCount = 10_000

    private var forgettings = Line()
    private var reads = Line()
    private var others = Line()
    private var lastNumber = 0

    var isEmpty: Bool { first == nil }

    /// The next one.
    var first: Element? { nextLine.flatMap { self[keyPath: $0].first?.element } }

    #if DEBUG
        /// Number of elements that the memory in use has room for.
        var capacity: Int { [forgettings, reads, others].reduce(0) { $0 + $1.capacity } }
    #endif

    private var nextLine: WritableKeyPath<WaitingEvents, Line>? {
        if forgettings.first != nil { return \.forgettings }
        switch (reads.first, others.first) {
        case (nil, nil): return nil
        case (_?, nil): return \.reads
        case (nil, _?): return \.others
        case (let read?, let other?): return read.number < other.number ? \.reads : \.others
        }
    }

    mutating func removeFirst() -> Element? { nextLine.flatMap { self[keyPath: $0].removeFirst() } }

    /// Queues an event at the end, or a `.forgotten` ahead of all others.
    ///
    /// - Returns: The event dropped for it.
    mutating func add(_ element: Element) -> Element? {
        lastNumber += 1
        switch element.event.kind {
        case .forgotten: forgettings.append(element, lastNumber)
        case .read: reads.append(element, lastNumber)
        case .active, .refused: others.append(element, lastNumber)
        }
        guard reads.count + others.count > Self.maximumCount else { return nil }
        return reads.removeFirst() ?? others.removeFirst()
    }

    /// Removes a user's waiting events, except `.forgotten`.
    ///
    /// - Returns: The removed events.
    mutating func removeAll(of userID: UserID) -> [Element] {
        reads.removeAll(of: userID) + others.removeAll(of: userID)
    }
}

/// A queue whose memory is bounded by the number of its elements.
private struct Line {
    private var items: [(element: WaitingEvents.Element, number: Int)?] = []
    /// Index of the first element; those before are nil.
    private var start = 0

    var count: Int { items.count - start }
    #if DEBUG
        var capacity: Int { items.capacity }
    #endif
    var first: (element: WaitingEvents.Element, number: Int)? {
        start < items.count ? items[start] : nil
    }

    mutating func append(_ element: WaitingEvents.Element, _ number: Int) {
        items.append((element, number))
    }

    mutating func removeFirst() -> WaitingEvents.Element? {
        guard let first else { return nil }
        items[start] = nil
        start += 1
        if start == items.count {
            (items, start) = ([], 0)
        } else if start > items.count / 2 {
            // Deferred, so that a removal has amortized constant cost.
            items.removeFirst(start)
            start = 0
        }
        return first.element
    }

    mutating func removeAll(of userID: UserID) -> [WaitingEvents.Element] {
        let all = items[start...].compactMap(\.self)
        let removed = all.map(\.element).filter { $0.userID == userID }
        if !removed.isEmpty { (items, start) = (all.filter { $0.element.userID != userID }, 0) }
        return removed
    }
}
