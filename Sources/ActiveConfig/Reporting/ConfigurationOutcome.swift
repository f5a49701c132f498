/// What became of a version of a user's document.
struct ConfigurationOutcome: Sendable {
    enum Verdict: Sendable {
        case inForce
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
        case (.inForce, .inForce), (.refused, .refused): return true
        default: return false
        }
    }
}

/// Those who want to know what becomes of the versions.
final class OutcomeObservers: Sendable {
    private let observers = Locked<[Int: @Sendable (ConfigurationOutcome) -> Void]>([:])
    private let lastNumber = Locked(0)

    var isEmpty: Bool { observers.withLock { $0.isEmpty } }

    func add(_ observer: @escaping @Sendable (ConfigurationOutcome) -> Void) -> Int {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        observers.withLock { $0[number] = observer }
        return number
    }

    func remove(_ number: Int) {
        // The closure is released after the lock.
        _ = observers.withLock { $0.removeValue(forKey: number) }
    }

    func tell(_ outcome: ConfigurationOutcome) {
        for observer in observers.withLock({ Array($0.values) }) { observer(outcome) }
    }
}
