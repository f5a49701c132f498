/// An automaton as a table: the next state for each state and class of scalars.
///
/// Most regular expressions in conditions need a few dozen states, so that a scalar takes one
/// lookup. A class, so that reading it from an array retains one object rather than one per array
/// inside.
final class TransitionTable: Sendable {
    /// Maximum number of entries; less than ``matched``.
    private static let maximumCount = 16_384

    /// Maximum number of visited steps when creating a table.
    private static let maximumWork = 131_072

    /// The entry for a match.
    private static let matched = UInt16.max

    /// One row for each state, with an entry for each class and a last entry for the end of the
    /// text.
    ///
    /// A class's entry is the start index of the next state's row, or ``matched``; the entry for
    /// the end is 0 or ``matched``.
    private let entries: [UInt16]

    private let classes: ScalarClasses

    /// The time per scalar, in steps of an ``Automaton``.
    ///
    /// A scalar outside ASCII needs a search in the intervals of the classes.
    var stepsPerScalar: Int {
        2 + (Int.bitWidth - classes.intervalCount.leadingZeroBitCount) / 2
    }

    /// The approximate number of integers in memory.
    var size: Int { entries.count + classes.intervalCount + 128 }

    /// Creates a table from an automaton with the sets of its program; nil if it has too many
    /// states, or visits too many steps.
    ///
    /// Adds the number of visited steps to `work`.
    init?(_ automaton: Automaton, sets: [ScalarSet], work: inout Int) {
        guard let classes = ScalarClasses(sets) else { return nil }
        var scratch = Automaton.Scratch(for: automaton)
        defer { work += scratch.work }
        let width = classes.count + 1
        var entries: [UInt16] = []
        var states = [Automaton.State()]
        var rows: [Automaton.State: UInt16] = [states[0]: 0]
        var index = 0
        while index < states.count {
            guard (index + 1) * width <= Self.maximumCount else { return nil }
            for next in 0..<width {
                guard scratch.work <= Self.maximumWork else { return nil }
                var state = states[index]
                let isEnd = next == classes.count
                let scalar = isEnd ? nil : classes.representatives[next]
                if automaton.advance(&state, by: scalar, &scratch) {
                    entries.append(Self.matched)
                    continue
                }
                guard !isEnd else {
                    entries.append(0)
                    continue
                }
                state.normalize()
                if let row = rows[state] {
                    entries.append(row)
                } else {
                    guard let row = UInt16(exactly: states.count * width) else { return nil }
                    rows[state] = row
                    states.append(state)
                    entries.append(row)
                }
            }
            index += 1
        }
        self.classes = classes
        self.entries = entries
    }

    func matches(_ text: SearchedText) -> Bool {
        if let scalars = text.scalars { return matches(scalars: scalars) }
        var text = text.text
        return text.withUTF8 { unsafe matches(ascii: $0) }
    }

    private func matches(ascii bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        // Unchecked: an entry is the start of a row or `matched`, and `ascii` has 128 classes.
        unsafe entries.withUnsafeBufferPointer { entries in
            unsafe classes.ascii.withUnsafeBufferPointer { columns in
                var row = 0
                for index in 0..<bytes.count {
                    let column = unsafe columns[Int(bytes[index] & 0x7F)]
                    let entry = unsafe entries[row &+ Int(column)]
                    if entry == Self.matched { return true }
                    row = Int(entry)
                }
                return unsafe entries[row &+ classes.count] == Self.matched
            }
        }
    }

    private func matches(scalars: [UInt32]) -> Bool {
        let entries = entries
        var row = 0
        for scalar in scalars {
            let entry = entries[row &+ classes.index(of: scalar)]
            if entry == Self.matched { return true }
            row = Int(entry)
        }
        return entries[row + classes.count] == Self.matched
    }
}

extension Automaton.State {
    /// Sorts the places and removes duplicates, so that equal states are equal.
    fileprivate mutating func normalize() {
        places.sort()
        var last: Int32 = -1
        places.removeAll { place in
            defer { last = place }
            return place == last
        }
    }
}

/// A partition of Unicode into classes of scalars that a regular expression does not distinguish.
struct ScalarClasses: Sendable {
    /// Maximum number of comparisons: intervals times sets.
    private static let maximumWork = 200_000

    /// The first scalar of each interval, in order.
    private let starts: [UInt32]

    private let classes: [UInt16]

    let ascii: [UInt16]

    let representatives: [UInt32]

    var count: Int { representatives.count }

    var intervalCount: Int { starts.count }

    /// Creates classes such that each set is a union of classes; nil if that takes too many
    /// comparisons.
    init?(_ sets: [ScalarSet]) {
        let sets = sets + [.words, .newline]
        let rangeCount = sets.reduce(0) { $0 + $1.ranges.count }
        guard rangeCount * sets.count <= Self.maximumWork else { return nil }
        var bounds: Set<UInt32> = [0]
        for range in sets.lazy.flatMap(\.ranges) {
            bounds.insert(range.lowerBound)
            if range.upperBound < ScalarSet.maximum { bounds.insert(range.upperBound + 1) }
        }
        let starts = bounds.sorted()
        var numbers: [[Bool]: UInt16] = [:]
        var representatives: [UInt32] = []
        var classes: [UInt16] = []
        for start in starts {
            let memberships = sets.map { $0.contains(start) }
            if let number = numbers[memberships] {
                classes.append(number)
                continue
            }
            guard let number = UInt16(exactly: representatives.count) else { return nil }
            numbers[memberships] = number
            representatives.append(start)
            classes.append(number)
        }
        self.starts = starts
        self.classes = classes
        self.representatives = representatives
        ascii = (0..<128).map { classes[Self.interval(of: $0, in: starts)] }
    }

    /// The class of a scalar, from 0.
    func index(of scalar: UInt32) -> Int {
        scalar < 128
            ? Int(ascii[Int(scalar)]) : Int(classes[Self.interval(of: scalar, in: starts)])
    }

    /// The index of the last interval that starts at or before the scalar.
    private static func interval(of scalar: UInt32, in starts: [UInt32]) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= scalar { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
