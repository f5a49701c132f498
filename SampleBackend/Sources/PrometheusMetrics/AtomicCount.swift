import Synchronization

/// A count that many threads add to without a lock, in an object so that an array can hold it.
final class AtomicCount: Sendable {
    private let count = Atomic<UInt64>(0)

    /// The count now.
    var value: UInt64 { count.load(ordering: .relaxed) }

    /// Adds one.
    func increment() {
        count.wrappingAdd(1, ordering: .relaxed)
    }
}
