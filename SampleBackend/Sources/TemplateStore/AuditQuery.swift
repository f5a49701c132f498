/// Which lines of the audit trail to give.
public struct AuditQuery: Sendable, Hashable {
    /// The most entries to give, 1 to 1,000.
    public var limit: Int

    /// Only entries before this revision; nil begins with the newest.
    public var before: StoreRevision?

    /// Makes a query.
    public init(limit: Int = 100, before: StoreRevision? = nil) {
        self.limit = limit
        self.before = before
    }
}
