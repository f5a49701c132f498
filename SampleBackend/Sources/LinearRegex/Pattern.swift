/// The tree of a regular expression.
indirect enum Pattern: Sendable {
    enum Anchor: UInt8, Sendable {
        case textStart
        case textEnd
        case lineStart
        case lineEnd
        /// The start or end of a word.
        case wordBoundary
        /// Any other position.
        case noWordBoundary
    }

    /// Matches the empty text.
    case empty
    /// One scalar of a set.
    case scalar(ScalarSet)
    case anchor(Anchor)
    /// Parts in sequence.
    case sequence([Pattern])
    /// Alternatives.
    case choice([Pattern])
    /// A repeated part; without a maximum, any number of times.
    case repetition(Pattern, minimum: Int, maximum: Int?)

    /// The product of nested repetition counts, which RE2 limits.
    var repetitions: Int {
        switch self {
        case .empty, .scalar, .anchor: 1
        case .sequence(let parts), .choice(let parts):
            parts.reduce(1) { max($0, $1.repetitions) }
        case .repetition(let part, let minimum, let maximum):
            // The cap prevents an overflow of the product for many levels.
            min(1_000_000, part.repetitions * max(1, maximum ?? minimum))
        }
    }
}
