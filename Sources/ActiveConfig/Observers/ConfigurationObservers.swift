internal import Dispatch

/// The observers of a configuration, and the events that they have not heard of yet.
///
/// Events are told in their order, by whoever tells one while nobody else does, and not before a turn of a
/// user is over. That a user is forgotten is told at once, by whoever forgets; what waits of the user is
/// dropped, and later events of the user wait for it. A call that has an earlier event of the user is waited
/// for; where it must not be, the thread of that call tells it next.
final class ConfigurationObservers: Sendable {
    fileprivate struct State {
        /// In the order of their numbers.
        var observers: [(number: Int, observer: any ConfigurationObserving)] = []
        var lastNumber = 0
        var waiting = WaitingEvents()
        var isTelling = false
        /// The event that is being told, and the number of the observer that was called last.
        var told: (element: WaitingEvents.Element, last: Int)?
        /// Signaled when the call under way has ended.
        var endOfCall: [DispatchSemaphore] = []
        /// Users of whom it is told that they are forgotten, and by how many threads.
        var forgetting: [UserID: Int] = [:]
        /// The last refusals of each user in this launch, for observers that come later.
        var refusals: [UserID: [(number: Int, event: ConfigurationEvent)]] = [:]
        var lastRefusalNumber = 0
        /// True from the first event that is left out until nothing waits.
        var isOverfull = false
        /// To be released after the lock: an error may be the app's.
        var released: [ConfigurationEvent] = []
    }

    /// Users whose refusals are kept, and refusals of each.
    fileprivate static let maximumRefusalCounts = (users: 10_000, ofUser: 8)

    private let state = Locked(State())
    private let log: ActiveConfigLog
    private let patience: DispatchTimeInterval

    /// - Parameters:
    ///   - log: Receives a warning when an observer takes too long.
    ///   - patience: The longest wait for a call that has an event of a user who is forgotten.
    init(log: ActiveConfigLog, patience: DispatchTimeInterval = .seconds(5)) {
        (self.log, self.patience) = (log, patience)
    }

    var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

    /// Number of threads that wait for the end of a call, for tests.
    var waiterCount: Int { state.withLock { $0.endOfCall.count } }

    /// - Returns: The number to remove it by.
    func add(_ observer: any ConfigurationObserving) -> Int {
        let (number, addition) = change { state in
            state.lastNumber += 1
            let number = state.lastNumber
            state.observers.append((number, observer))
            let additions = state.refusals.values.joined().sorted { $0.number < $1.number }
                .map { state.add($0.event, for: number...number) }
            return (number, additions.max() ?? .none)
        }
        tell(addition)
        return number
    }

    func remove(_ number: Int) {
        // Released after the lock: a `deinit` may call anything.
        _ = state.withLock { state in
            state.observers.firstIndex { $0.number == number }.map {
                state.observers.remove(at: $0).observer
            }
        }
    }

    func tell(_ event: ConfigurationEvent) { tell(change { $0.add(event) }) }

    /// Tells of a document that is refused, once in a launch.
    ///
    /// - Returns: True when it is new.
    @discardableResult
    func tellRefusal(_ event: ConfigurationEvent) -> Bool {
        // At once, so that an observer that is added meanwhile hears of it either from here or from there.
        guard let addition = change({ $0.addRefusal(event) }) else { return false }
        tell(addition)
        return true
    }

    /// Tells that a user is forgotten, and drops what waits of the user; within the user's turn.
    ///
    /// - Parameters:
    ///   - event: The news.
    ///   - epoch: The user's epoch, which ends.
    func tellForgotten(_ event: ConfigurationEvent, ending epoch: UserEpoch? = nil) {
        change { $0.beginForgetting(UserID(event.userID), epoch) }
        HeldCalls.call { self.tellNow(event) }
    }

    private func tellNow(_ event: ConfigurationEvent) {
        let userID = UserID(event.userID)
        // A thread in a call may be waited for by another one, or be the one that calls.
        let mayWait = !ObserverCalls.isInside
        if mayWait, let end = change({ $0.endOfCall(of: userID) }) {
            _ = end.wait(timeout: .now() + patience)
        }
        if change({ $0.leave(event) }) {
            guard mayWait else { return }
            return log(
                .warning,
                "An observer takes too long with an event of \(userID.logName): it hears that the user is "
                    + "forgotten only afterwards.")
        }
        for observer in change({ $0.observers.map(\.observer) }) {
            ObserverCalls.call(observer, event)
        }
        change { $0.endForgetting(userID) }
        tellWaiting()
    }

    private func tell(_ addition: Addition) {
        if addition == .none { return }
        if addition == .overfull {
            log(
                .warning,
                "An observer takes too long: \(WaitingEvents.maximumCount) events wait for it. Until it has "
                    + "caught up, the oldest are left out, reads first.")
        }
        HeldCalls.call { self.tellWaiting() }
    }

    private func tellWaiting() {
        let isFirst = state.withLock { state in
            defer { state.isTelling = true }
            return !state.isTelling
        }
        guard isFirst else { return }
        while let (event, observer) = change({ $0.next() }) { ObserverCalls.call(observer, event) }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, released) = state.withLock { state in
            let result = body(&state)
            defer { state.released = [] }
            return (result, state.released)
        }
        withExtendedLifetime(released) {}
        return result
    }
}

/// What became of an event that was to be added.
private enum Addition: Comparable {
    /// Nobody hears of it.
    case none
    case waiting
    /// It waits, and is the first for which another one is left out.
    case overfull
}

extension ConfigurationObservers.State {
    /// Adds an event for some observers; nil: for those of now.
    fileprivate mutating func add(
        _ event: ConfigurationEvent, for numbers: ClosedRange<Int>? = nil
    ) -> Addition {
        guard !observers.isEmpty, event.epoch?.isOver != true else { return .none }
        let dropped = waiting.add(
            WaitingEvents.Element(event: event, numbers: numbers ?? 1...lastNumber))
        guard let dropped else { return .waiting }
        released.append(dropped.event)
        defer { isOverfull = true }
        return isOverfull ? .waiting : .overfull
    }

    /// Nil when it is known.
    fileprivate mutating func addRefusal(_ event: ConfigurationEvent) -> Addition? {
        let userID = UserID(event.userID)
        var known = refusals[userID] ?? []
        if event.epoch?.isOver == true
            || known.contains(where: { $0.event.isSameRefusal(as: event) })
        {
            return nil
        }
        lastRefusalNumber += 1
        known.append((lastRefusalNumber, event.withoutSections))
        let limits = ConfigurationObservers.maximumRefusalCounts
        let excess = max(known.count - limits.ofUser, 0)
        released += known.prefix(excess).map(\.event)
        refusals[userID] = Array(known.dropFirst(excess))
        if refusals.count > limits.users,
            let other = refusals.keys.first(where: { $0 != userID })
        {
            released += refusals.removeValue(forKey: other)?.map(\.event) ?? []
        }
        return add(event)
    }

    /// The next call; nil ends the telling.
    fileprivate mutating func next() -> (ConfigurationEvent, any ConfigurationObserving)? {
        for end in endOfCall { end.signal() }
        endOfCall = []
        while true {
            if let (element, last) = told {
                let next = observers.first {
                    $0.number > last && element.numbers.contains($0.number)
                }
                if let next {
                    told = (element, next.number)
                    return (element.event, next.observer)
                }
                released.append(element.event)
            }
            told = nil
            guard let next = waiting.first, forgetting[next.userID] == nil else {
                // Else whoever tells that the user is forgotten goes on.
                isTelling = false
                if waiting.isEmpty { isOverfull = false }
                return nil
            }
            told = waiting.removeFirst().map { ($0, 0) }
        }
    }

    fileprivate mutating func beginForgetting(_ userID: UserID, _ epoch: UserEpoch?) {
        epoch?.end()
        forgetting[userID, default: 0] += 1
        released += refusals.removeValue(forKey: userID)?.map(\.event) ?? []
        released += waiting.removeAll(of: userID).map(\.event)
        // The other observers do not hear of it any more.
        if let element = told?.element, isTold(of: userID) { told = (element, .max) }
    }

    fileprivate mutating func endForgetting(_ userID: UserID) {
        let count = forgetting[userID] ?? 0
        forgetting[userID] = count > 1 ? count - 1 : nil
    }

    /// True while an observer is called with an earlier event of a user who is forgotten.
    private func isTold(of userID: UserID) -> Bool {
        told.map { $0.element.isPassing && $0.element.userID == userID } ?? false
    }

    /// Signaled when that call has ended; nil: there is none.
    fileprivate mutating func endOfCall(of userID: UserID) -> DispatchSemaphore? {
        guard isTold(of: userID) else { return nil }
        let end = DispatchSemaphore(value: 0)
        endOfCall.append(end)
        return end
    }

    /// Leaves it to the thread of that call to tell that the user is forgotten.
    ///
    /// - Returns: False when there is no such call.
    fileprivate mutating func leave(_ event: ConfigurationEvent) -> Bool {
        let userID = UserID(event.userID)
        guard isTold(of: userID) else { return false }
        endForgetting(userID)
        _ = waiting.add(WaitingEvents.Element(event: event, numbers: 1...lastNumber))
        return true
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
            kind, userID: userID, document: document, headerFields: headerFields, time: time,
            epoch: epoch)
    }
}
