/// What is wrong with a regular expression, and where.
struct RegularExpressionError: Error, Sendable, Hashable {
    /// The Unicode scalar it is about, from 0.
    let offset: Int

    /// What is wrong and what to do, without a full stop.
    let reason: String

    /// Whether nothing is wrong but the time or the memory that it would take.
    var isExcess = false

    /// The expression it is about, from 0, in a list.
    var index = 0
}
