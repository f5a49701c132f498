public import Foundation

/// The part of a ``TemplateStore`` that reports changes.
public protocol ChangeFeed: Sendable {
    /// The data that a server needs to answer clients, read at one revision.
    func snapshot() async throws(TemplateStoreError) -> TemplateStoreSnapshot

    /// The version floor; 0 until it is raised.
    ///
    /// Versions up to it may be others than those that clients have under the same numbers, since
    /// the store was brought back to an earlier state.
    func versionFloor() async throws(TemplateStoreError) -> Int

    /// The changes after a revision, by any process, in order.
    ///
    /// The sequence ends when the store is closed or the task is cancelled. It throws
    /// ``TemplateStoreError`` with the code `watchLost` when changes may have been missed: the
    /// revision is no longer kept, or the connection broke. In that case read a ``snapshot()`` and
    /// follow from its revision.
    ///
    /// - Parameter revision: The revision of a snapshot or of the last received change.
    /// - Returns: The changes, for one reader.
    func changes(since revision: StoreRevision) -> StoreChanges
}

/// The data that a server needs to answer clients, at one revision.
public struct TemplateStoreSnapshot: Sendable, Hashable {
    /// The current template of each project.
    public let templates: [StoredTemplate]

    /// The pinned values by project and by the UTF-8 bytes of the user ID, since IDs compare byte
    /// by byte.
    public let overrides: [String: [Data: Data]]  // names: names of projects are ASCII

    /// The details of projects whose details were ever set.
    public let projectDetails: [String: StoredProjectDetails]  // names: names of projects are ASCII

    /// The last versions of deleted projects by name; new projects can have these names.
    public var deletedVersions: [String: Int] = [:]  // names: names of projects are ASCII

    /// The version floor; 0 until it is raised.
    public var versionFloor = 0

    /// The revision.
    public let revision: StoreRevision

    /// The reasons why unreadable records are missing, one sentence each.
    public var omissions: [String] = []

    /// Creates a snapshot without omissions.
    public init(
        templates: [StoredTemplate], overrides: [String: [Data: Data]],
        projectDetails: [String: StoredProjectDetails] = [:], revision: StoreRevision
    ) {
        self.templates = templates
        self.overrides = overrides
        self.projectDetails = projectDetails
        self.revision = revision
    }
}

/// A position in a store's change log; later changes have greater revisions.
public struct StoreRevision: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The revision of a store without changes.
    public static let zero = StoreRevision(0)

    /// The engine's number; numbers of successive changes need not be adjacent.
    public let number: Int64

    /// Creates a revision.
    public init(_ number: Int64) { self.number = number }

    /// Orders revisions by the order of their changes.
    public static func < (left: StoreRevision, right: StoreRevision) -> Bool {
        left.number < right.number
    }

    /// The number.
    public var description: String { number.description }
}

/// A change of a store: its subject without its content.
public struct StoreChange: Sendable, Hashable {
    /// The subject of a change.
    public enum Subject: Sendable, Hashable {
        case template(project: String, version: Int)
        /// A user's pinned values were set or removed.
        case overrides(project: String, userID: String)
        case tokens
        /// A session of the console began or was ended; not reported when it expires.
        case session(id: String)
        /// A webhook of a project was added or removed.
        case webhooks(project: String)
        case projectDetails(project: String)
        /// A change request was made or changed; a publish of one is reported as a template.
        case changeRequest(project: String, id: String)
        /// A project was created or deleted; everything of it may have changed.
        case project(String)
    }

    /// The subject to read again.
    public let subject: Subject

    /// The revision of the change.
    public let revision: StoreRevision

    /// Creates a change.
    public init(_ subject: Subject, revision: StoreRevision) {
        self.subject = subject
        self.revision = revision
    }
}

/// The changes of a store after a revision, in order, until changes are lost or the store is
/// closed.
public struct StoreChanges: AsyncSequence, Sendable {
    private let stream: AsyncThrowingStream<StoreChange, any Error>

    /// Creates a sequence from a stream, for engines.
    ///
    /// - Parameter stream: The stream, which must throw only ``TemplateStoreError``.
    public init(_ stream: AsyncThrowingStream<StoreChange, any Error>) {
        self.stream = stream
    }

    /// Starts reading.
    ///
    /// A second iterator would share the changes with the first.
    public func makeAsyncIterator() -> AsyncThrowingStream<StoreChange, any Error>.Iterator {
        stream.makeAsyncIterator()
    }
}
