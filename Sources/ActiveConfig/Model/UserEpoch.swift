/// The time until a user is forgotten.
///
/// Reads and requests of a user keep their epoch: after its end, observers must not receive their
/// events.
package struct UserEpoch: Sendable {
    /// Number of times the user was forgotten: one object for everything in memory of the user.
    let forgettings: Locked<Int>
    let number: Int

    init(_ forgettings: Locked<Int> = Locked(0)) {
        self.forgettings = forgettings
        number = forgettings.withLock { $0 }
    }

    private init(_ forgettings: Locked<Int>, _ number: Int) {
        (self.forgettings, self.number) = (forgettings, number)
    }

    /// True once the user is forgotten.
    package var isOver: Bool { forgettings.withLock { $0 } > number }

    /// The epoch after this one.
    var next: UserEpoch { UserEpoch(forgettings, number + 1) }

    /// Ends it.
    func end() { forgettings.withLock { $0 = max($0, number + 1) } }

    func isSame(as other: UserEpoch) -> Bool {
        forgettings === other.forgettings && number == other.number
    }
}
