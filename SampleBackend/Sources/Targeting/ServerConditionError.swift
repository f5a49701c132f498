/// A type that says where the condition of a server template is wrong.
public struct ServerConditionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path within the condition, such as `orCondition.conditions[0].percent`; "" at its top.
    public let path: String

    /// What is wrong and what to do, without the place and without a full stop.
    public let reason: String

    /// One sentence with the place.
    public var description: String {
        path.isEmpty ? "In the condition: \(reason)." : "In \(path): \(reason)."
    }
}
