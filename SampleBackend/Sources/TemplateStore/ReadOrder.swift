/// Orders overlapping reads of a store, so that an older result never replaces a newer one in
/// memory.
///
/// A read follows each change of the store. Of two reads, the one that began later sees all changes
/// that were stored before either began; if the other result arrives later, it is dropped. A read
/// covers one subject, or all of them.
package struct ReadOrder<Subject: Hashable & Sendable>: Sendable {
    /// Identifies a read.
    package struct Number: Sendable, Hashable {
        fileprivate let value: Int
    }

    private var lastNumber = 0
    private var readsUnderWay = 0

    /// The last read of all subjects whose result was taken.
    private var takenOfAll = 0

    /// The reads of single subjects whose results were taken; empty when no older read can be in
    /// progress.
    private var taken: [Subject: Int] = [:]

    package init() {}

    /// Begins a read.
    ///
    /// Call ``end()`` when it ends, whatever its result.
    package mutating func begin() -> Number {
        lastNumber += 1
        readsUnderWay += 1
        return Number(value: lastNumber)
    }

    package mutating func end() {
        readsUnderWay -= 1
        if readsUnderWay == 0 { taken = [:] }
    }

    /// True when a read's result for a subject may replace the one in memory; it then counts as
    /// taken.
    package mutating func take(_ number: Number, of subject: Subject) -> Bool {
        guard number.value > max(takenOfAll, taken[subject] ?? 0) else { return false }
        taken[subject] = number.value
        return true
    }

    /// The subjects whose results in memory a read of all subjects must not replace; nil when it
    /// may replace nothing.
    package mutating func takeAll(_ number: Number) -> [Subject]? {
        guard number.value > takenOfAll else { return nil }
        takenOfAll = number.value
        return taken.filter { $0.value > number.value }.map(\.key)
    }
}
