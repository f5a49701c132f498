public import Foundation

/// Which versions to list (HTTP 3).
public struct VersionQuery: Sendable, Hashable {
    /// The most versions to give, 1 to 300.
    public var limit: Int

    /// Only versions with a number up to this, itself included.
    public var endVersion: Int?

    /// Only versions published at this time or later.
    public var startTime: Date?

    /// Only versions published before this time.
    public var endTime: Date?

    /// Makes a query; without arguments, for all versions.
    public init(
        limit: Int = 300, endVersion: Int? = nil, startTime: Date? = nil, endTime: Date? = nil
    ) {
        self.limit = limit
        self.endVersion = endVersion
        self.startTime = startTime
        self.endTime = endTime
    }
}
