/// An automaton written out: for each state and class of scalars the next state.
///
/// Most regular expressions of conditions need some dozen states, and then a scalar takes one
/// look-up.
struct TransitionTable: Sendable {
    /// The most entries.
    private static let maximumCount = 4096

    /// The most instructions that are visited to make a table.
    private static let maximumWork = 100_000

    /// The entry that stands for a match.
    private static let matched = -1

    /// A row for each state: for each class, and at last for the end of the text, where the row of
    /// the next state begins.
    private var entries: [Int] = []

    /// The classes of scalars.
    private let classes: ScalarClasses

    /// Writes an automaton out.
    ///
    /// - Parameter automaton: The automaton. nil is returned when it has too many states.
    init?(_ automaton: Automaton) {
        classes = automaton.classes
        var scratch = Automaton.Scratch(for: automaton)
        let width = classes.count + 1
        var states = [Automaton.State()]
        var rows: [Automaton.State: Int] = [states[0]: 0]
        var index = 0
        while index < states.count {
            guard (index + 1) * width <= Self.maximumCount else { return nil }
            for next in 0..<width {
                guard scratch.work <= Self.maximumWork else { return nil }
                var state = states[index]
                let isEnd = next == classes.count
                if automaton.advance(&state, by: isEnd ? nil : next, &scratch) {
                    entries.append(Self.matched)
                    continue
                }
                guard !isEnd else {
                    entries.append(0)
                    continue
                }
                state.places.sort()
                if let row = rows[state] {
                    entries.append(row)
                } else {
                    let row = states.count * width
                    rows[state] = row
                    states.append(state)
                    entries.append(row)
                }
            }
            index += 1
        }
    }

    /// Searches a text.
    ///
    /// - Parameter text: The text.
    /// - Returns: Whether a part of it matches.
    func matches(_ text: String) -> Bool {
        // Most texts are ASCII, whose bytes need no decoding.
        let result = unsafe text.utf8.withContiguousStorageIfAvailable {
            unsafe matches(ascii: $0)
        }
        if case .some(.some(let isMatch)) = result { return isMatch }
        return matches(scalars: text.unicodeScalars)
    }

    /// Searches bytes; nil is returned when one of them is not ASCII.
    private func matches(ascii bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
        let entries = entries
        let columns = classes.ascii
        var row = 0
        for index in 0..<bytes.count {
            let byte = unsafe bytes[index]
            guard byte < 128 else { return nil }
            row = entries[row &+ Int(columns[Int(byte)])]
            if row == Self.matched { return true }
        }
        return entries[row + classes.count] == Self.matched
    }

    /// Searches scalars.
    private func matches(scalars: String.UnicodeScalarView) -> Bool {
        var row = 0
        for scalar in scalars {
            row = entries[row + classes.index(of: scalar)]
            if row == Self.matched { return true }
        }
        return entries[row + classes.count] == Self.matched
    }
}
