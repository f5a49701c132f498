/// A point in the order of a store's changes; it grows with each of them.
public struct StoreRevision: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The revision of a store without any change.
    public static let zero = StoreRevision(0)

    /// The number, that of the engine.
    public let number: Int64

    /// Makes a revision.
    public init(_ number: Int64) { self.number = number }

    /// Whether a revision is before another.
    public static func < (left: StoreRevision, right: StoreRevision) -> Bool {
        left.number < right.number
    }

    /// The number.
    public var description: String { number.description }
}
