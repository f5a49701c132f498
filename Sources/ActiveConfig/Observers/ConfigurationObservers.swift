/// The observers of a configuration, and the events that they have not heard of yet.
///
/// Events are told in their order, by whoever tells one while nobody else does, and not before a turn of a
/// user is over.
final class ConfigurationObservers: Sendable {
    private struct State {
        var observers: [Int: any ConfigurationObserving] = [:]
        var lastNumber = 0
        /// In their order; nil tells all observers.
        var waiting: [(event: ConfigurationEvent, observer: Int?)] = []
        var isTelling = false
        /// Refusals of stored documents in this launch, for observers that come later.
        var refusals: [ConfigurationEvent] = []

        /// The events that wait, each with who hears it; nil ends the telling.
        mutating func next() -> [(ConfigurationEvent, [any ConfigurationObserving])]? {
            if waiting.isEmpty {
                isTelling = false
                return nil
            }
            defer { waiting = [] }
            let all = observers.sorted { $0.key < $1.key }.map(\.value)
            return waiting.map { event, number in
                (event, number.map { [observers[$0]].compactMap(\.self) } ?? all)
            }
        }
    }

    /// Events beyond, while an observer takes long, are left out.
    private static let maximumWaitingCount = 10_000
    /// Refusals that are kept for later observers.
    private static let maximumRefusalCount = 128

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

    /// - Returns: The number to remove it by.
    func add(_ observer: any ConfigurationObserving) -> Int {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = observer
            state.waiting += state.refusals.map { ($0, state.lastNumber) }
            return state.lastNumber
        }
        HeldCalls.call { self.tellWaiting() }
        return number
    }

    func remove(_ number: Int) {
        // Released after the lock: a `deinit` may call anything.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    func tell(_ event: ConfigurationEvent) {
        let isHeard = state.withLock { state in
            let isHeard =
                !state.observers.isEmpty && state.waiting.count < Self.maximumWaitingCount
            if isHeard { state.waiting.append((event, nil)) }
            return isHeard
        }
        if isHeard { HeldCalls.call { self.tellWaiting() } }
    }

    /// Tells of a stored document that is refused, once in a launch.
    func tellRefusalOfLaunch(_ event: ConfigurationEvent) {
        let isNew = state.withLock { state in
            if state.refusals.contains(where: { $0.isSameRefusal(as: event) }) { return false }
            state.refusals.append(event.withoutSections)
            state.refusals.removeFirst(max(state.refusals.count - Self.maximumRefusalCount, 0))
            return true
        }
        if isNew { tell(event) }
    }

    /// Tells that a user is forgotten, and forgets the user's refusals.
    func tellForgotten(_ event: ConfigurationEvent) {
        state.withLock { state in
            state.refusals.removeAll { UserID($0.userID) == UserID(event.userID) }
        }
        tell(event)
    }

    private func tellWaiting() {
        let isFirst = state.withLock { state in
            defer { state.isTelling = true }
            return !state.isTelling
        }
        guard isFirst else { return }
        while let events = state.withLock({ $0.next() }) {
            for (event, observers) in events {
                for observer in observers { observer.observe(event) }
            }
        }
    }
}

extension ConfigurationEvent {
    /// True for a refusal of the same document.
    fileprivate func isSameRefusal(as other: ConfigurationEvent) -> Bool {
        UserID(userID) == UserID(other.userID)
            && document?.entityTag == other.document?.entityTag
            && document?.templateVersion == other.document?.templateVersion
    }

    /// Without the settings, which are not kept in memory for observers that may never come.
    fileprivate var withoutSections: ConfigurationEvent {
        var document = document
        document?.sections = [:]
        return ConfigurationEvent(
            kind, userID: userID, document: document, headerFields: headerFields, time: time)
    }
}
