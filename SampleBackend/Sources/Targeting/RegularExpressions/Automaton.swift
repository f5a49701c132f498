/// The simulation of a regular expression: all ways to match at once, so that a text takes at most
/// its length times the number of instructions.
struct Automaton: Sendable {
    /// The instructions.
    private let program: PatternProgram

    /// The classes of scalars.
    let classes: ScalarClasses

    /// For each set of the program its classes.
    private let sets: [[ClosedRange<Int>]]

    /// Prepares the simulation.
    ///
    /// - Parameter program: The instructions.
    init(_ program: PatternProgram) {
        self.program = program
        let classes = ScalarClasses(program.sets)
        self.classes = classes
        sets = program.sets.map { classes.indices(of: $0) }
    }

    /// The places that were reached before a scalar, and what the scalar before was.
    struct State: Sendable, Hashable {
        /// The instructions to go on at, each once, in order; the beginning is always added.
        var places: [Int32] = []
        /// The kind of the scalar before.
        var previous = ScalarClasses.Kind.edge
    }

    /// The memory of a simulation, so that a step needs none.
    struct Scratch {
        /// The number of the last step in which each instruction was visited.
        fileprivate var visits: [Int]
        /// The number of the step.
        fileprivate var step = 0
        /// The instructions still to visit.
        fileprivate var stack: [Int32] = []
        /// How many instructions were visited in all.
        fileprivate(set) var work = 0

        /// Makes memory for an automaton.
        ///
        /// - Parameter automaton: The automaton.
        init(for automaton: Automaton) {
            visits = Array(repeating: 0, count: automaton.program.instructions.count)
        }
    }

    /// Goes on by one scalar.
    ///
    /// - Parameters:
    ///   - state: Where the simulation is; changed to where it is behind the scalar.
    ///   - next: The class of the scalar; nil is the end of the text.
    ///   - scratch: The memory.
    /// - Returns: Whether the text matches already.
    func advance(_ state: inout State, by next: Int?, _ scratch: inout Scratch) -> Bool {
        scratch.step += 1
        let kind = next.map { classes.kinds[$0] } ?? .edge
        var reached: [Int32] = []
        scratch.stack.append(0)
        scratch.stack.append(contentsOf: state.places)
        defer { scratch.stack.removeAll(keepingCapacity: true) }
        while let place = scratch.stack.popLast() {
            guard scratch.visits[Int(place)] != scratch.step else { continue }
            scratch.visits[Int(place)] = scratch.step
            scratch.work += 1
            switch program.instructions[Int(place)] {
            case .match: return true
            case .jump(let target): scratch.stack.append(Int32(target))
            case .split(let first, let second):
                scratch.stack.append(Int32(first))
                scratch.stack.append(Int32(second))
            case .require(let anchor):
                if Self.holds(anchor, between: state.previous, and: kind) {
                    scratch.stack.append(place + 1)
                }
            case .consume(let set):
                if let next, Self.contains(sets[set], next) { reached.append(place + 1) }
            }
        }
        state.places = reached
        state.previous = kind
        return false
    }

    /// Whether an anchor matches between two scalars; an edge before is the beginning of the text,
    /// one behind its end.
    private static func holds(
        _ anchor: Pattern.Anchor, between previous: ScalarClasses.Kind,
        and next: ScalarClasses.Kind
    ) -> Bool {
        switch anchor {
        case .textStart: previous == .edge
        case .textEnd: next == .edge
        case .lineStart: previous == .edge || previous == .newline
        case .lineEnd: next == .edge || next == .newline
        case .wordBoundary: (previous == .word) != (next == .word)
        case .noWordBoundary: (previous == .word) == (next == .word)
        }
    }

    /// Whether a class is in one of some ranges.
    private static func contains(_ ranges: [ClosedRange<Int>], _ index: Int) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < index { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= index
    }

    /// Searches a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - work: Increased by the number of instructions that were visited.
    /// - Returns: Whether a part of it matches.
    func matches(_ text: String, work: inout Int) -> Bool {
        var scratch = Scratch(for: self)
        defer { work += scratch.work }
        var state = State()
        for scalar in text.unicodeScalars
        where advance(&state, by: classes.index(of: scalar), &scratch) {
            return true
        }
        return advance(&state, by: nil, &scratch)
    }
}
