/// The outcome of a version of a user's document.
struct ConfigurationOutcome: Sendable {
    enum Verdict: Sendable {
        case active
        /// It is not used; the message says why, and what is kept.
        case refused(String)
    }

    let userID: UserID
    let version: Int
    let entityTag: String?
    /// The share of clients that the server wants to hear of it; nil when it did not say.
    let share: Double?
    let verdict: Verdict

    /// True when both say the same of the same version.
    func isSame(as other: ConfigurationOutcome) -> Bool {
        guard userID == other.userID, version == other.version else { return false }
        switch (verdict, other.verdict) {
        case (.active, .active), (.refused, .refused): return true
        default: return false
        }
    }
}

/// Those who want to know what becomes of the versions.
final class OutcomeObservers: Sendable {
    private struct Observer: Sendable {
        let hear: @Sendable (ConfigurationOutcome) -> Void
        let forget: @Sendable (UserID) -> Void
    }

    private struct State {
        var observers: [Int: Observer] = [:]
        var lastNumber = 0
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.observers.isEmpty } }

    /// - Parameters:
    ///   - hear: Called with each outcome.
    ///   - forget: Called when a user is forgotten.
    /// - Returns: The number to remove it by.
    func add(
        _ hear: @escaping @Sendable (ConfigurationOutcome) -> Void,
        forget: @escaping @Sendable (UserID) -> Void
    ) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.observers[state.lastNumber] = Observer(hear: hear, forget: forget)
            return state.lastNumber
        }
    }

    func remove(_ number: Int) {
        // The closure is released after the lock.
        _ = state.withLock { $0.observers.removeValue(forKey: number) }
    }

    func tell(_ outcome: ConfigurationOutcome) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.hear(outcome) }
    }

    func forget(_ userID: UserID) {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.forget(userID) }
    }
}
