/// A type that says where an expression is wrong, and what was expected there.
public struct ConditionSyntaxError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The column, from 1, in characters.
    public let column: Int

    /// What is wrong and what to do, without the place and without a full stop.
    public let reason: String

    /// One sentence with the place.
    public var description: String { "Column \(column): \(reason)." }
}
