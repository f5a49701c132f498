/// How many users' configurations are kept in memory beside the current user's.
///
/// The least recently asked for go first. A configuration that the app still has a handle of is not
/// released, and one that was released is read from the store when it is next asked for.
public struct UserCacheLimits: Sendable, Hashable {
    /// The number of configurations.
    public var maximumCount: Int
    /// Their size in bytes, estimated; a section that several users share counts once.
    public var maximumSize: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - maximumCount: The number of configurations; 0 keeps those only that the app has a handle of.
    ///   - maximumSize: Their estimated size in bytes.
    public init(maximumCount: Int = 1_000, maximumSize: Int = 64 << 20) {
        self.maximumCount = maximumCount
        self.maximumSize = maximumSize
    }
}
