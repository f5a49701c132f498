/// The observers of a configuration, and the events that they have not heard of yet.
///
/// Events are told in their order, by whoever tells one while nobody else does, and not before a turn of a
/// user is over. That a user is forgotten is told at once, and what waited of the user is dropped: whoever
/// keeps something of users has removed it when forgetting returns.
final class ConfigurationObservers: Sendable {
    private struct Waiting {
        let event: ConfigurationEvent
        /// The numbers of those who hear of it: not of those who came later.
        let numbers: ClosedRange<Int>
    }

    private struct State {
        var observers: [Int: any ConfigurationObserving] = [:]
        var lastNumber = 0
        /// In their order from `first` on; nil once told or dropped.
        var waiting: [Waiting?] = []
        var first = 0
        var isTelling = false
        /// The last refusals of each user in this launch, for observers that come later.
        var refusals: [UserID: [(number: Int, event: ConfigurationEvent)]] = [:]
        var lastRefusalNumber = 0

        /// The next event, and who hears it; nil ends the telling.
        mutating func next() -> (ConfigurationEvent, [any ConfigurationObserving])? {
            while first < waiting.count {
                defer { first += 1 }
                guard let next = waiting[first] else { continue }
                waiting[first] = nil
                return (next.event, heard(by: next.numbers))
            }
            (waiting, first, isTelling) = ([], 0, false)
            return nil
        }

        func heard(by numbers: ClosedRange<Int>) -> [any ConfigurationObserving] {
            observers.filter { numbers.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value)
        }

        /// - Returns: False when nobody hears of it.
        mutating func enqueue(_ event: ConfigurationEvent) -> Bool {
            let count = waiting.count - first
            guard !observers.isEmpty, count < ConfigurationObservers.maximumWaitingCount else {
                return false
            }
            waiting.append(Waiting(event: event, numbers: 0...lastNumber))
            return true
        }

        mutating func forget(_ userID: UserID) {
            refusals[userID] = nil
            for index in waiting.indices {
                guard let event = waiting[index]?.event, UserID(event.userID) == userID else {
                    continue
                }
                waiting[index] = nil
            }
        }
    }

    /// Events beyond, while an observer takes long, are left out.
    private static let maximumWaitingCount = 10_000
    /// Users whose refusals are kept, and refusals of each.
    private static let maximumRefusalCounts = (users: 10_000, ofUser: 8)

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

    /// - Returns: The number to remove it by.
    func add(_ observer: any ConfigurationObserving) -> Int {
        let number = state.withLock { state in
            state.lastNumber += 1
            let number = state.lastNumber
            state.observers[number] = observer
            state.waiting += state.refusals.values.joined().sorted { $0.number < $1.number }
                .map { Waiting(event: $0.event, numbers: number...number) }
            return number
        }
        HeldCalls.call { self.tellWaiting() }
        return number
    }

    func remove(_ number: Int) {
        // Released after the lock: a `deinit` may call anything.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    func tell(_ event: ConfigurationEvent) {
        let isHeard = state.withLock { $0.enqueue(event) }
        if isHeard { HeldCalls.call { self.tellWaiting() } }
    }

    /// Tells of a document that is refused, once in a launch.
    ///
    /// - Returns: True when it is new.
    @discardableResult
    func tellRefusal(_ event: ConfigurationEvent) -> Bool {
        let userID = UserID(event.userID)
        // In one critical section with its place among the others, so that a new observer hears of it once.
        let isHeard = state.withLock { state -> Bool? in
            var known = state.refusals[userID] ?? []
            if known.contains(where: { $0.event.isSameRefusal(as: event) }) { return nil }
            state.lastRefusalNumber += 1
            known.append((state.lastRefusalNumber, event.withoutSections))
            state.refusals[userID] = known.suffix(Self.maximumRefusalCounts.ofUser)
            if state.refusals.count > Self.maximumRefusalCounts.users,
                let other = state.refusals.keys.first(where: { $0 != userID })
            {
                state.refusals[other] = nil
            }
            return state.enqueue(event)
        }
        if isHeard == true { HeldCalls.call { self.tellWaiting() } }
        return isHeard != nil
    }

    /// Tells at once that a user is forgotten, and forgets what waits of the user.
    func tellForgotten(_ event: ConfigurationEvent) {
        let observers = state.withLock { state in
            state.forget(UserID(event.userID))
            return state.heard(by: 0...state.lastNumber)
        }
        HeldCalls.call {
            for observer in observers { observer.observe(event) }
        }
    }

    private func tellWaiting() {
        let isFirst = state.withLock { state in
            defer { state.isTelling = true }
            return !state.isTelling
        }
        guard isFirst else { return }
        while let (event, observers) = state.withLock({ $0.next() }) {
            for observer in observers { observer.observe(event) }
        }
    }
}

extension ConfigurationEvent {
    /// True for a refusal of the same document of that user.
    fileprivate func isSameRefusal(as other: ConfigurationEvent) -> Bool {
        document?.entityTag == other.document?.entityTag
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
