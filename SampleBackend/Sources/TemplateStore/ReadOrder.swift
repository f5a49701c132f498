/// Orders the reads of a store that overlap, so that an older result does not replace a newer one in
/// memory.
///
/// Each change of the store is followed by a read. Of two reads, the one that began later has all changes
/// that were stored before either began, so the result of the other is dropped when it comes later.
/// A read is of one subject, or of all of them.
package struct ReadOrder<Subject: Hashable & Sendable>: Sendable {
    /// Identifies a read.
    package struct Number: Sendable, Hashable {
        fileprivate let value: Int
    }

    private var lastNumber = 0
    private var readsUnderWay = 0

    /// The read of all subjects whose result was taken last.
    private var takenOfAll = 0

    /// The reads of single subjects whose results were taken; empty while no read is under way, which
    /// could be older.
    private var taken: [Subject: Int] = [:]

    package init() {}

    /// Begins a read; call ``end()`` when it has ended in any way.
    package mutating func begin() -> Number {
        lastNumber += 1
        readsUnderWay += 1
        return Number(value: lastNumber)
    }

    package mutating func end() {
        readsUnderWay -= 1
        if readsUnderWay == 0 { taken = [:] }
    }

    /// True when the result that a read has for a subject may replace that in memory; then it counts
    /// as taken.
    package mutating func take(_ number: Number, of subject: Subject) -> Bool {
        guard number.value > max(takenOfAll, taken[subject] ?? 0) else { return false }
        taken[subject] = number.value
        return true
    }

    /// The subjects whose results in memory a read of all of them must not replace, if it may replace
    /// the others; nil when it may replace nothing.
    package mutating func takeAll(_ number: Number) -> [Subject]? {
        guard number.value > takenOfAll else { return nil }
        takenOfAll = number.value
        return taken.filter { $0.value > number.value }.map(\.key)
    }
}
