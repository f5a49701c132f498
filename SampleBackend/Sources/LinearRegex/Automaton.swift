/// Simulates a regular expression with all alternatives in parallel, so that matching takes at most
/// the text's length times ``stepsPerScalar``.
struct Automaton: Sendable {
    private struct Step: Sendable {
        enum Kind: UInt8, Sendable {
            case match
            /// Continues at both steps.
            case split
            /// Continues if the anchor with index `lower` holds.
            case require
            /// Continues after a scalar from `lower` to `upper`.
            case range
            /// Continues after a scalar in the set with index `lower`.
            case set
        }

        let kind: Kind
        let next: Int32
        /// The second next step of a split.
        var other: Int32 = 0
        /// The meaning depends on the kind.
        var lower: UInt32 = 0
        /// The meaning depends on the kind.
        var upper: UInt32 = 0
    }

    private let steps: [Step]

    /// The index of the first step.
    private let start: Int32

    /// Sets with more than one range.
    private let sets: [ScalarSet]

    /// Maximum number of steps and set lookups per scalar.
    let stepsPerScalar: Int

    init(_ program: PatternProgram) {
        var numbers: [Int: UInt32] = [:]
        var sets: [ScalarSet] = []
        steps = program.instructions.map { instruction in
            switch instruction {
            case .match: return Step(kind: .match, next: 0)
            case .split(let first, let second):
                return Step(kind: .split, next: Int32(first), other: Int32(second))
            case .require(let anchor, let next):
                return Step(
                    kind: .require, next: Int32(next), lower: UInt32(anchor.rawValue))
            case .consume(let number, let next):
                let ranges = program.sets[number].ranges
                if ranges.count <= 1 {
                    // A set without ranges becomes a range that contains no scalar.
                    let range = ranges.first
                    return Step(
                        kind: .range, next: Int32(next), lower: range?.lowerBound ?? 1,
                        upper: range?.upperBound ?? 0)
                }
                let own = numbers[number] ?? UInt32(sets.count)
                if own == sets.count { sets.append(program.sets[number]) }
                numbers[number] = own
                return Step(kind: .set, next: Int32(next), lower: own)
            }
        }
        start = Int32(program.start)
        self.sets = sets
        stepsPerScalar =
            steps.count
            + sets.reduce(0) { $0 + Int.bitWidth - $1.ranges.count.leadingZeroBitCount }
    }

    /// The steps reached before a scalar, and the kind of the previous scalar.
    struct State: Sendable, Hashable {
        /// The steps at which to continue, without duplicates; the start is always added.
        var places: [Int32] = []
        /// The kind of the previous scalar.
        var previous = ScalarKind.edge
    }

    /// Reused buffers of a simulation.
    struct Scratch {
        /// For each step, the number of the last scalar for which it was visited.
        fileprivate var visits: [UInt32]
        /// For each set, the number of the last scalar that was looked up, times two, plus the
        /// result.
        fileprivate var lookups: [UInt32]
        fileprivate var count: UInt32 = 0
        fileprivate var stack: [Int32]
        fileprivate var reached: [Int32]
        /// Total number of visited steps.
        fileprivate(set) var work = 0

        init(for automaton: Automaton) {
            visits = Array(repeating: 0, count: automaton.steps.count)
            lookups = Array(repeating: 0, count: automaton.sets.count)
            stack = Array(repeating: 0, count: automaton.steps.count + 1)
            reached = Array(repeating: 0, count: automaton.steps.count + 1)
        }
    }

    /// Advances by a scalar, or to the end of the text for nil; true when the text already matches.
    func advance(_ state: inout State, by scalar: UInt32?, _ scratch: inout Scratch) -> Bool {
        scratch.count &+= 1
        let count = scratch.count
        let kind = scalar.map { ScalarKind($0) } ?? .edge
        var work = 0
        var size = 0
        var found = 0
        defer {
            scratch.work += work
            state.previous = kind
        }
        return unsafe steps.withUnsafeBufferPointer { steps in
            unsafe scratch.visits.withUnsafeMutableBufferPointer { visits in
                unsafe scratch.stack.withUnsafeMutableBufferPointer { stack in
                    unsafe scratch.reached.withUnsafeMutableBufferPointer { reached in
                        // Each step is pushed at most once, so the stack is large enough.
                        func push(_ place: Int32) {
                            guard unsafe visits[Int(place)] != count else { return }
                            unsafe visits[Int(place)] = count
                            unsafe stack[size] = place
                            size &+= 1
                        }
                        push(start)
                        for place in state.places { push(place) }
                        while size > 0 {
                            size &-= 1
                            work &+= 1
                            let step = unsafe steps[Int(stack[size])]
                            switch step.kind {
                            case .match: return true
                            case .split:
                                push(step.next)
                                push(step.other)
                            case .require:
                                if Self.holds(step.lower, between: state.previous, and: kind) {
                                    push(step.next)
                                }
                            case .range:
                                guard let scalar, scalar >= step.lower, scalar <= step.upper
                                else { continue }
                                unsafe reached[found] = step.next
                                found &+= 1
                            case .set:
                                guard let scalar,
                                    contains(scalar, set: Int(step.lower), &scratch.lookups, count)
                                else { continue }
                                unsafe reached[found] = step.next
                                found &+= 1
                            }
                        }
                        state.places.removeAll(keepingCapacity: true)
                        unsafe state.places.append(contentsOf: reached[..<found])
                        return false
                    }
                }
            }
        }
    }

    /// True when the scalar is in the set; searches each set once per scalar.
    private func contains(
        _ scalar: UInt32, set: Int, _ lookups: inout [UInt32], _ count: UInt32
    ) -> Bool {
        if lookups[set] >> 1 == count { return lookups[set] & 1 == 1 }
        let isMember = sets[set].contains(scalar)
        lookups[set] = count << 1 | (isMember ? 1 : 0)
        return isMember
    }

    /// True when an anchor matches between two scalars.
    ///
    /// An edge before it is the start of the text, an edge after it the end.
    private static func holds(
        _ anchor: UInt32, between previous: ScalarKind, and next: ScalarKind
    ) -> Bool {
        switch Pattern.Anchor(rawValue: UInt8(anchor)) {
        case .textStart: previous == .edge
        case .textEnd: next == .edge
        case .lineStart: previous == .edge || previous == .newline
        case .lineEnd: next == .edge || next == .newline
        case .wordBoundary: (previous == .word) != (next == .word)
        case .noWordBoundary: (previous == .word) == (next == .word)
        case nil: false
        }
    }

    /// Adds the number of visited steps to `work`.
    func matches(_ text: SearchedText, work: inout Int) -> Bool {
        var scratch = Scratch(for: self)
        defer { work += scratch.work }
        var state = State()
        if let scalars = text.scalars {
            for scalar in scalars where advance(&state, by: scalar, &scratch) { return true }
        } else {
            for byte in text.text.utf8 where advance(&state, by: UInt32(byte), &scratch) {
                return true
            }
        }
        return advance(&state, by: nil, &scratch)
    }
}

/// The kinds of scalars that anchors distinguish.
enum ScalarKind: UInt8, Sendable {
    case newline
    /// An ASCII letter, a digit or `_`.
    case word
    case other
    /// The start or the end of the text.
    case edge

    init(_ scalar: UInt32) {
        switch scalar {
        case 0x0A: self = .newline
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: self = .word
        default: self = .other
        }
    }
}
