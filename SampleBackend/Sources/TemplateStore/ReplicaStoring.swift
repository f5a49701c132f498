public import Foundation

/// The part of a store by which the processes that serve from it tell each other what they count, and
/// notice that they are behind.
///
/// Engines for processes on several machines have it; others need not.
public protocol ReplicaStoring: Sendable {
    /// Identifies the announcements of this process; nil before the first, and when the store no longer
    /// has them. All have to be made again under another name.
    var announcedReplica: String? { get }

    /// Tells the other processes something, in place of what this one has announced by the same name.
    ///
    /// It goes away with the process, and when that does not reach the store for a while. It is not a change
    /// to follow.
    ///
    /// - Parameters:
    ///   - content: At most 100 kB.
    ///   - name: The name, not empty.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func announce(_ content: Data, as name: String) async throws(TemplateStoreError)

    /// The announcements of all processes, this one included.
    func announcements() async throws(TemplateStoreError) -> [ReplicaAnnouncement]

    /// The revision of the newest change, by whichever process, that ``ChangeFeed/changes(since:)`` reports;
    /// zero when there is none, or the newest is of a kind that this program does not know.
    ///
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func newestRevision() async throws(TemplateStoreError) -> StoreRevision
}

/// The announcements of one process.
public struct ReplicaAnnouncement: Sendable, Hashable {
    /// Identifies the process for as long as the store knows it.
    public let replica: String

    /// True for this process.
    public let isOwn: Bool

    /// True when the process gives no sign of life: it has died, or does not reach the store.
    public let isSilent: Bool

    /// The contents by their names.
    public let contents: [String: Data]

    /// Creates an announcement.
    public init(replica: String, isOwn: Bool, isSilent: Bool, contents: [String: Data]) {
        self.replica = replica
        self.isOwn = isOwn
        self.isSilent = isSilent
        self.contents = contents
    }
}
