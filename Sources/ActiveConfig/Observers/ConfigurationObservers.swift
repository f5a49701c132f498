internal import Dispatch

/// The observers of a configuration, and the events not yet delivered to them.
///
/// One thread at a time delivers events, in order, and not before the user's turn is over. The
/// thread that forgets a user delivers `.forgotten` at once, drops the user's waiting events, and
/// holds back later ones. It waits for a call that has an earlier event of the user; where it must
/// not wait, that call's thread delivers `.forgotten` next.
final class ConfigurationObservers: Sendable {
    fileprivate struct State {
        /// In the order of their numbers.
        var observers: [(number: Int, observer: any ConfigurationObserving)] = []
        var lastNumber = 0
        var waiting = WaitingEvents()
        var isTelling = false
        /// The event under delivery, and the number of the observer that was called last.
        var told: (element: WaitingEvents.Element, last: Int)?
        /// Signaled when the call under way has ended.
        var endOfCall: [DispatchSemaphore] = []
        /// Users whose `.forgotten` is being delivered, with the number of threads that do so.
        var forgetting: [UserID: Int] = [:]
        /// The last refusals of each user in this launch, replayed to observers added later.
        var refusals: [UserID: [(number: Int, event: ConfigurationEvent)]] = [:]
        var lastRefusalNumber = 0
        /// True from the first dropped event until the queue is empty.
        var isOverfull = false
        /// Released after the lock: an error may be the app's.
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

    #if DEBUG
        /// Number of threads that wait for the end of a call.
        var waiterCount: Int { state.withLock { $0.endOfCall.count } }
    #endif

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

    /// Delivers the refusal of a document, once in a launch.
    ///
    /// - Returns: True when it is new.
    @discardableResult
    func tellRefusal(_ event: ConfigurationEvent) -> Bool {
        // Under one lock, so that an observer that is being added gets it either from here or from the
        // replay.
        guard let addition = change({ $0.addRefusal(event) }) else { return false }
        tell(addition)
        return true
    }

    /// Delivers `.forgotten` and drops the user's waiting events; called within the user's turn.
    ///
    /// - Parameters:
    ///   - event: The `.forgotten` event.
    ///   - epoch: The user's epoch, which ends.
    func tellForgotten(_ event: ConfigurationEvent, ending epoch: UserEpoch? = nil) {
        change { $0.beginForgetting(UserID(event.userID), epoch) }
        ThreadMark.afterwards { self.tellNow(event) }
    }

    private func tellNow(_ event: ConfigurationEvent) {
        let userID = UserID(event.userID)
        // A thread inside a call must not wait: another thread may wait for it, or it makes the
        // call itself.
        let mayWait = !ThreadMark.observerCall.isSet
        if mayWait, let end = change({ $0.endOfCall(of: userID) }) {
            _ = end.wait(timeout: .now() + patience)
        }
        if change({ $0.leave(event) }) {
            guard mayWait else { return }
            return log(
                .warning,
                "An observer takes too long with an event of \(userID.logName): it is notified only "
                    + "afterwards that the user was forgotten.")
        }
        for observer in change({ $0.observers.map(\.observer) }) {
            ThreadMark.observerCall.run { observer.observe(event) }
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
        ThreadMark.afterwards { self.tellWaiting() }
    }

    private func tellWaiting() {
        let isFirst = state.withLock { state in
            defer { state.isTelling = true }
            return !state.isTelling
        }
        guard isFirst else { return }
        while let (event, observer) = change({ $0.next() }) {
            ThreadMark.observerCall.run { observer.observe(event) }
        }
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

/// Outcome of adding an event.
private enum Addition: Comparable {
    /// There is no observer for it.
    case none
    case waiting
    /// It is queued, and is the first to displace another event.
    case overfull
}

extension ConfigurationObservers.State {
    /// Adds an event for some observers; nil: for all current ones.
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

    /// Nil when this refusal is already known.
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

    /// The next call; nil ends the delivery.
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
                // Otherwise the thread that forgets the user continues.
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
        // The remaining observers do not get it.
        if let element = told?.element, isTold(of: userID) { told = (element, .max) }
    }

    fileprivate mutating func endForgetting(_ userID: UserID) {
        let count = forgetting[userID] ?? 0
        forgetting[userID] = count > 1 ? count - 1 : nil
    }

    /// True while an observer is being called with an earlier event of a forgotten user.
    private func isTold(of userID: UserID) -> Bool {
        told.map { $0.element.isPassing && $0.element.userID == userID } ?? false
    }

    /// Signaled when that call has ended; nil when there is none.
    fileprivate mutating func endOfCall(of userID: UserID) -> DispatchSemaphore? {
        guard isTold(of: userID) else { return nil }
        let end = DispatchSemaphore(value: 0)
        endOfCall.append(end)
        return end
    }

    /// Hands the delivery of `.forgotten` to the thread of that call.
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

    /// Without the settings: memory is not spent on observers that may never be added.
    fileprivate var withoutSections: ConfigurationEvent {
        var document = document
        document?.sections = [:]
        return ConfigurationEvent(
            kind, userID: userID, document: document, headerFields: headerFields, time: time,
            epoch: epoch)
    }
}
