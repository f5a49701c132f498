/// A regular expression as instructions: Thompson's automaton.
struct PatternProgram: Sendable {
    /// The most instructions.
    static let maximumCount = 10_000

    /// One instruction.
    enum Instruction: Sendable {
        /// Go on behind a scalar of a set, given by its number.
        case consume(set: Int)
        /// Go on at both places.
        case split(Int, Int)
        /// Go on at a place.
        case jump(Int)
        /// Go on if the place in the text is such.
        case require(Pattern.Anchor)
        /// The text matches.
        case match
    }

    /// The instructions; the first is the beginning.
    private(set) var instructions: [Instruction] = []

    /// The sets of scalars, each once.
    private(set) var sets: [ScalarSet] = []

    /// The number of each set.
    private var numbers: [ScalarSet: Int] = [:]

    /// How many parts of the tree were translated: bounds repetitions of nothing.
    private var work = 0

    /// Translates a regular expression.
    ///
    /// - Parameter pattern: Its tree.
    /// - Throws: ``RegularExpressionError`` when it needs too many instructions.
    init(_ pattern: Pattern) throws(RegularExpressionError) {
        try emit(pattern)
        instructions.append(.match)
    }

    /// Translates a part; the parser's limit of nesting bounds the recursion.
    private mutating func emit(_ pattern: Pattern) throws(RegularExpressionError) {
        work += 1
        guard instructions.count < Self.maximumCount, work < 10 * Self.maximumCount else {
            throw RegularExpressionError(
                offset: 0,
                reason: "it is too large once its repetitions are written out (more than "
                    + "\(Self.maximumCount) steps); use smaller numbers in { }")
        }
        switch pattern {
        case .empty: break
        case .scalar(let set): instructions.append(.consume(set: number(of: set)))
        case .anchor(let anchor): instructions.append(.require(anchor))
        case .sequence(let parts): for part in parts { try emit(part) }
        case .choice(let branches): try emitChoice(branches)
        case .repetition(let part, let minimum, let maximum):
            for _ in 0..<minimum { try emit(part) }
            if let maximum {
                try emitOptional(part, count: maximum - minimum)
            } else {
                let start = instructions.count
                instructions.append(.jump(0))
                try emit(part)
                instructions.append(.jump(start))
                instructions[start] = .split(start + 1, instructions.count)
            }
        }
    }

    /// Translates alternatives.
    private mutating func emitChoice(_ branches: [Pattern]) throws(RegularExpressionError) {
        var ends: [Int] = []
        for (index, branch) in branches.enumerated() {
            let split = instructions.count
            if index < branches.count - 1 { instructions.append(.jump(0)) }
            try emit(branch)
            guard index < branches.count - 1 else { break }
            ends.append(instructions.count)
            instructions.append(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }

    /// Translates a part that may be missing, up to a number of times.
    private mutating func emitOptional(
        _ part: Pattern, count: Int
    ) throws(RegularExpressionError) {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(instructions.count)
            instructions.append(.jump(0))
            try emit(part)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }

    /// The number of a set.
    private mutating func number(of set: ScalarSet) -> Int {
        if let number = numbers[set] { return number }
        numbers[set] = sets.count
        sets.append(set)
        return sets.count - 1
    }
}
