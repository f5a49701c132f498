/// A regular expression as instructions: Thompson's automaton.
struct PatternProgram: Sendable {
    /// The most instructions.
    static let maximumCount = 10_000

    /// One instruction; a place is the number of another one.
    enum Instruction: Sendable {
        /// Go on behind a scalar of a set, given by its number.
        case consume(set: Int, next: Int)
        /// Go on at both places.
        case split(Int, Int)
        /// Go on if the place in the text is such.
        case require(Pattern.Anchor, next: Int)
        case match
    }

    private(set) var instructions: [Instruction] = [.match]

    /// The place of the first instruction.
    private(set) var start = 0

    /// The sets of scalars, each once.
    private(set) var sets: [ScalarSet] = []

    private var numbers: [ScalarSet: Int] = [:]

    /// Translated parts of the tree; bounds repetitions of empty patterns.
    private var work = 0

    /// Translates a regular expression.
    ///
    /// - Parameter pattern: Its tree.
    /// - Throws: ``RegularExpressionError`` when it needs too many instructions.
    init(_ pattern: Pattern) throws(RegularExpressionError) {
        start = try emit(pattern, next: 0)
    }

    /// Translates a part; the parser's limit of nesting bounds the recursion.
    ///
    /// - Parameters:
    /// - pattern: The part.
    /// - next: Where to go on behind it.
    /// - Returns: Where it begins.
    /// - Throws: ``RegularExpressionError`` when there are too many instructions.
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
            // The last copy that must be there is the body of the loop.
            place = minimum > 0 ? body : loop
            copies = max(0, minimum - 1)
        }
        for _ in 0..<copies { place = try emit(part, next: place) }
        return place
    }

    /// Adds an instruction.
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
