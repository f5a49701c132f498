public import Foundation

/// The part of a ``TemplateStore`` that keeps drafts: templates that administrators edit and have
/// not published.
///
/// A draft belongs to one administrator and one project, which need not exist yet. It is neither in
/// the audit trail nor in the change feed, since nothing depends on it before it is published. It
/// expires ``TemplateStoreLimits/draftLifetime`` after its last change: then it is hidden, and does not
/// count. It is removed by a save or a removal of any draft that finds it expired
/// ``TemplateStoreLimits/draftGrace`` after another one did, so that a clock that is ahead for a while
/// removes none.
public protocol DraftStoring: Sendable {
    /// Creates or replaces a draft, if the stored one is the expected one.
    ///
    /// - Parameter submission: The draft and the expectation.
    /// - Returns: The stored draft, with a new tag.
    /// - Throws: ``TemplateStoreError`` with the code `draftMismatch` or `tooManyDrafts`.
    func saveDraft(
        _ submission: DraftSubmission
    ) async throws(TemplateStoreError) -> StoredDraft

    /// The draft of an administrator in a project; nil when there is none or it has expired.
    ///
    /// - Parameters:
    ///   - owner: The identifier of the administrator.
    ///   - project: The project's name.
    ///   - date: The current time.
    /// - Returns: The draft.
    /// - Throws: ``TemplateStoreError`` when the store cannot be read.
    func draft(
        ofOwner owner: String, inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> StoredDraft?

    /// Removes a draft.
    ///
    /// - Parameters:
    ///   - owner: The identifier of the administrator.
    ///   - project: The project's name.
    ///   - expectation: The draft that is to be removed.
    ///   - date: The current time.
    /// - Returns: False when there is none.
    /// - Throws: ``TemplateStoreError`` with the code `draftMismatch` when there is another draft.
    func removeDraft(
        ofOwner owner: String, inProject project: String,
        expecting expectation: StateExpectation, date: Date
    ) async throws(TemplateStoreError) -> Bool
}

/// A draft to store.
public struct DraftSubmission: Sendable, Hashable {
    /// The identifier of the administrator; any string, compared byte by byte.
    public var owner: String

    /// The project's name.
    public var project: String

    /// The version that the edit began with; 0 when nothing was published then.
    public var baseVersion: Int

    /// The edited template as JSON text.
    public var content: Data

    /// The draft that is replaced.
    public var expectation: StateExpectation

    /// The time of the change.
    public var date: Date

    /// Creates a submission.
    public init(
        owner: String, project: String, baseVersion: Int, content: Data,
        expectation: StateExpectation, date: Date
    ) {
        self.owner = owner
        self.project = project
        self.baseVersion = baseVersion
        self.content = content
        self.expectation = expectation
        self.date = date
    }
}

/// A draft in a store.
public struct StoredDraft: Sendable, Hashable {
    /// The identifier of the administrator.
    public let owner: String

    /// The project's name.
    public let project: String

    /// The version that the edit began with; 0 when nothing was published then.
    public let baseVersion: Int

    /// The edited template as JSON text.
    public let content: Data

    /// A name for this state of the draft, which no other state of any draft has.
    public let tag: String

    /// The time of the last change, to the millisecond.
    public let updateTime: Date

    /// Creates a draft.
    public init(
        owner: String, project: String, baseVersion: Int, content: Data, tag: String,
        updateTime: Date
    ) {
        self.owner = owner
        self.project = project
        self.baseVersion = baseVersion
        self.content = content
        self.tag = tag
        self.updateTime = updateTime
    }
}

extension DraftSubmission {
    /// The draft as it is stored, with a tag that was never used.
    package func stored() -> StoredDraft {
        StoredDraft(
            owner: owner, project: project, baseVersion: baseVersion, content: content,
            tag: UUID().uuidString.lowercased(), updateTime: date.roundedToMilliseconds)
    }
}

extension StateExpectation {
    /// Checks the tag of the stored draft; nil when there is none.
    package func checkDraft(
        _ tag: String?, inProject project: String
    ) throws(TemplateStoreError) {
        if !isMet(byTag: tag) {
            throw .draftMismatch(inProject: project, isThere: tag != nil)
        }
    }
}

extension TemplateStoreLimits {
    /// The most drafts of one administrator, each in another project.
    public static let drafts = 20

    /// The time after its last change at which a draft expires, in seconds: 30 days.
    public static let draftLifetime: TimeInterval = 30 * 86_400

    /// The time for which an expired draft is kept after it was found expired, in seconds: 7 days.
    public static let draftGrace: TimeInterval = 7 * 86_400
}
