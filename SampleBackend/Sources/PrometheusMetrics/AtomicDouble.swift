import Synchronization

/// A floating-point number that many threads change without a lock.
struct AtomicDouble: ~Copyable, Sendable {
    private let bits = Atomic<UInt64>(0)

    /// The number now.
    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    /// Replaces the number.
    ///
    /// - Parameter value: The new number.
    func store(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    /// Adds to the number.
    ///
    /// - Parameter amount: What to add.
    func add(_ amount: Double) {
        var expected = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: expected) + amount
            let (exchanged, original) = bits.weakCompareExchange(
                expected: expected, desired: sum.bitPattern, ordering: .relaxed)
            if exchanged { return }
            expected = original
        }
    }
}
