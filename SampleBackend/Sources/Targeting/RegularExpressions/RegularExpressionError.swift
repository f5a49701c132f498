/// A type that says where a regular expression is wrong.
struct RegularExpressionError: Error, Sendable, Hashable {
    /// The Unicode scalar it is about, from 0.
    let offset: Int

    /// What is wrong and what to do, without a full stop.
    let reason: String
}
