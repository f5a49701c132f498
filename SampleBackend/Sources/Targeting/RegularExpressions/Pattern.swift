/// The tree of a regular expression.
indirect enum Pattern: Sendable {
    /// A place between two scalars.
    enum Anchor: Sendable {
        /// The beginning of the text.
        case textStart
        /// The end of the text.
        case textEnd
        /// The beginning of a line.
        case lineStart
        /// The end of a line.
        case lineEnd
        /// The beginning or end of a word.
        case wordBoundary
        /// Anywhere else.
        case noWordBoundary
    }

    /// Nothing.
    case empty
    /// One scalar of a set.
    case scalar(ScalarSet)
    /// A place.
    case anchor(Anchor)
    /// Parts, one behind another.
    case sequence([Pattern])
    /// Alternatives.
    case choice([Pattern])
    /// A part again and again; without a maximum, any number of times.
    case repetition(Pattern, minimum: Int, maximum: Int?)
}
