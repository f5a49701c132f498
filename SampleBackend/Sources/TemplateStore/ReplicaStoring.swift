public import Foundation

/// The part of a store through which the processes that serve from it notice that they are behind.
///
/// Engines that several processes can use at once implement it.
public protocol SharedStoring: Sendable {
    /// The revision of the newest change by any process that ``ChangeFeed/changes(since:)``
    /// reports; zero when there is none, or when this program does not know the kind of the newest.
    ///
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func newestRevision() async throws(TemplateStoreError) -> StoreRevision
}

/// The part of a store through which the processes that serve from it share their counts.
///
/// Engines for several machines implement it; others need not.
public protocol ReplicaStoring: SharedStoring {
    /// Identifies the announcements of this process.
    ///
    /// Nil before the first announcement, and when the store has lost them; then all must be made
    /// again under a new identifier.
    var announcedReplica: String? { get }

    /// Announces something to the other processes; replaces this process's announcement of the same
    /// name.
    ///
    /// It disappears with the process, or when the process cannot reach the store for a while.
    /// Followers of the change feed do not see it.
    ///
    /// - Parameters:
    ///   - content: At most 100 kB.
    ///   - name: The name, not empty.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func announce(_ content: Data, as name: String) async throws(TemplateStoreError)

    /// The announcements of all processes, including this one.
    func announcements() async throws(TemplateStoreError) -> [ReplicaAnnouncement]
}

/// The announcements of one process.
public struct ReplicaAnnouncement: Sendable, Hashable {
    /// Identifies the process while the store knows it.
    public let replica: String

    /// True for this process.
    public let isOwn: Bool

    /// True when the process is unresponsive: it has ended, or cannot reach the store.
    public let isSilent: Bool

    /// The contents by name.
    public let contents: [String: Data]  // names: our own literals, in ASCII

    /// Creates an announcement.
    public init(replica: String, isOwn: Bool, isSilent: Bool, contents: [String: Data]) {
        self.replica = replica
        self.isOwn = isOwn
        self.isSilent = isSilent
        self.contents = contents
    }
}
