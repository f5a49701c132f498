/// Limits of the configurations kept in memory besides the current user's.
///
/// The least recently requested are released first. A configuration with a live handle is not
/// released; a released one is read from the store at its next use.
public struct UserCacheLimits: Sendable, Hashable {
    /// The number of configurations.
    public var maximumCount: Int
    /// The estimated size in bytes; a section that several users share counts once.
    public var maximumSize: Int

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - maximumCount: The number of configurations; 0 keeps only those with a live handle.
    ///   - maximumSize: Their estimated size in bytes.
    public init(maximumCount: Int = 1_000, maximumSize: Int = 64 << 20) {
        self.maximumCount = maximumCount
        self.maximumSize = maximumSize
    }
}
