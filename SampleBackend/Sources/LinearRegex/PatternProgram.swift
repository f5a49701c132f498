/// A regular expression as instructions of Thompson's automaton.
struct PatternProgram: Sendable {
    /// Maximum number of instructions.
    static let maximumCount = 10_000

    /// An instruction; its operands are indexes of instructions.
    enum Instruction: Sendable {
        /// Continues after a scalar in the set with this index.
        case consume(set: Int, next: Int)
        /// Continues at both instructions.
        case split(Int, Int)
        /// Continues if the anchor holds at this position in the text.
        case require(Pattern.Anchor, next: Int)
        case match
    }

    private(set) var instructions: [Instruction] = [.match]

    /// The index of the first instruction.
    private(set) var start = 0

    /// The sets, without duplicates.
    private(set) var sets: [ScalarSet] = []

    private var numbers: [ScalarSet: Int] = [:]

    /// Number of translated parts; limits the repetition of empty patterns.
    private var work = 0

    /// - Throws: ``RegularExpressionError`` if the pattern needs too many instructions.
    init(_ pattern: Pattern) throws(RegularExpressionError) {
        start = try emit(pattern, next: 0)
    }

    /// Translates a part that continues at `next`, and returns the index of its first instruction.
    ///
    /// The parser's nesting limit bounds the recursion.
    private mutating func emit(
        _ pattern: Pattern, next: Int
    ) throws(RegularExpressionError) -> Int {
        work += 1
        guard instructions.count < Self.maximumCount, work < 10 * Self.maximumCount else {
            throw RegularExpressionError(
                offset: 0,
                reason: "it is too large once its repetitions are written out (more than "
                    + "\(Self.maximumCount) steps); use smaller numbers in { }",
                kind: .excess)
        }
        switch pattern {
        case .empty: return next
        case .scalar(let set): return append(.consume(set: number(of: set), next: next))
        case .anchor(let anchor): return append(.require(anchor, next: next))
        case .sequence(let parts):
            var place = next
            for part in parts.reversed() { place = try emit(part, next: place) }
            return place
        case .choice(let branches):
            var place: Int?
            for branch in branches.reversed() {
                let start = try emit(branch, next: next)
                place = place.map { append(.split(start, $0)) } ?? start
            }
            return place ?? next
        case .repetition(let part, let minimum, let maximum):
            return try emit(part, minimum: minimum, maximum: maximum, next: next)
        }
    }

    /// Translates a repetition.
    private mutating func emit(
        _ part: Pattern, minimum: Int, maximum: Int?, next: Int
    ) throws(RegularExpressionError) -> Int {
        var place = next
        var copies = minimum
        if let maximum {
            for _ in minimum..<maximum {
                place = append(.split(try emit(part, next: place), next))
            }
        } else {
            let loop = append(.split(0, next))
            let body = try emit(part, next: loop)
            instructions[loop] = .split(body, next)
            // The last required copy is the body of the loop.
            place = minimum > 0 ? body : loop
            copies = max(0, minimum - 1)
        }
        for _ in 0..<copies { place = try emit(part, next: place) }
        return place
    }

    /// Returns the index of the added instruction.
    private mutating func append(_ instruction: Instruction) -> Int {
        instructions.append(instruction)
        return instructions.count - 1
    }

    private mutating func number(of set: ScalarSet) -> Int {
        if let number = numbers[set] { return number }
        numbers[set] = sets.count
        sets.append(set)
        return sets.count - 1
    }
}
