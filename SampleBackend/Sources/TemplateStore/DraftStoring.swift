public import Foundation

/// The part of a ``TemplateStore`` that keeps drafts: templates that administrators edit and have
/// not published.
///
/// A draft belongs to one administrator and one project, which need not exist yet. Drafts are not
/// in the audit trail or the change feed, since nothing depends on them before they are published.
/// A draft expires ``TemplateStoreLimits/draftLifetime`` after its last change; it is then hidden
/// and does not count. A save or a removal of any draft marks expired drafts, and removes those
/// that were marked ``TemplateStoreLimits/draftGrace`` ago. A clock that is temporarily ahead
/// therefore removes no draft.
public protocol DraftStoring: Sendable {
    /// Creates or replaces a draft if the stored one is as expected.
    ///
    /// - Parameter submission: The draft and the expectation.
    /// - Returns: The stored draft, with a new tag.
    /// - Throws: ``TemplateStoreError`` with the code `draftMismatch`, `tooManyDrafts` or
    ///   `projectArchived`.
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
    ///   - expectation: The draft to remove.
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

    /// The version on which the edit is based; 0 when nothing was published.
    public var baseVersion: Int

    /// The edited template as JSON text.
    public var content: Data

    /// The draft to replace.
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

    /// The version on which the edit is based; 0 when nothing was published.
    public let baseVersion: Int

    /// The edited template as JSON text.
    public let content: Data

    /// Identifies this state of the draft; no other state of any draft has the same tag.
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
    /// The draft to store, with a new unique tag.
    package func stored() -> StoredDraft {
        StoredDraft(
            owner: owner, project: project, baseVersion: baseVersion, content: content,
            tag: UUID().uuidString.lowercased(), updateTime: date.roundedToMilliseconds)
    }
}

extension StateExpectation {
    /// Checks the tag of the stored draft, which is nil when there is none.
    package func checkDraft(
        _ tag: String?, inProject project: String
    ) throws(TemplateStoreError) {
        if !isMet(byTag: tag) {
            throw .draftMismatch(inProject: project, isThere: tag != nil)
        }
    }
}

extension TemplateStoreLimits {
    /// Maximum number of drafts of one administrator, each in another project.
    public static let drafts = 20

    /// The time from its last change until a draft expires, in seconds: 30 days.
    public static let draftLifetime: TimeInterval = 30 * 86_400

    /// The time from its marking until an expired draft is removed, in seconds: 7 days.
    public static let draftGrace: TimeInterval = 7 * 86_400
}
