public import Foundation
public import Templates

/// The part of a ``TemplateStore`` that keeps templates and their versions.
public protocol TemplateStoring: Sendable {
    /// Publishes a template as the next version if the current version is the expected one.
    ///
    /// The first publish creates a project that does not exist. Version numbers are never used
    /// again, even if the project is deleted between two publishes; they have gaps where the store
    /// was restored. Drops the oldest versions beyond ``TemplateStoreLimits/keptVersions``. Creates a
    /// delivery for each webhook of the project, atomically with the version.
    ///
    /// In a project with a ``ProjectProtection``, the transaction counts the approvals of the change
    /// request that the submission names; the request is published with the version.
    ///
    /// - Parameter submission: The template and its metadata.
    /// - Returns: The stored version.
    /// - Throws: ``TemplateStoreError`` with the code `versionMismatch` and the current version
    ///   when that is not the expected one, `projectArchived`, `approvalRequired`,
    ///   `changeRequestMismatch` or `changeRequestEnded`; nothing is stored then.
    func publish(
        _ submission: TemplateSubmission
    ) async throws(TemplateStoreError) -> StoredTemplate

    /// Returns a version of a project's template.
    ///
    /// A created project begins with an empty template, which is never dropped; see
    /// ``ProjectStoring/createProject(_:)``.
    ///
    /// - Parameters:
    ///   - version: The version's number, or nil for the current one.
    ///   - project: The project's name.
    /// - Returns: The template; nil when the project does not exist or the version is not stored.
    /// - Throws: ``TemplateStoreError`` when the engine fails.
    func template(
        version: Int?, inProject project: String
    ) async throws(TemplateStoreError) -> StoredTemplate?

    /// Lists the published versions of a project without their content, newest first.
    func versions(
        inProject project: String, matching query: VersionQuery
    ) async throws(TemplateStoreError) -> VersionPage
}

/// A template to publish, with its author and description.
public struct TemplateSubmission: Sendable, Hashable {
    /// The version that the publisher intends to replace.
    public enum Expectation: Sendable, Hashable {
        /// Exactly this version; 0 means that the project has none.
        case version(Int)
        /// Any current version.
        case any
    }

    /// The project's name.
    public var project: String

    /// The template as JSON text, without `version`.
    public var content: Data

    /// The version to replace; nothing is stored if another one is current.
    public var expectation: Expectation

    /// The time of the publish.
    public var date: Date

    /// The publisher.
    public var user: TemplateVersion.User

    /// The publisher's description.
    public var description: String?

    /// The interface through which the version was published.
    public var origin: TemplateVersion.Origin

    /// The kind of publish.
    public var updateType: TemplateVersion.UpdateType

    /// The version that a rollback republishes, or whose changes an undo takes back; nil for other
    /// publishes.
    public var sourceVersion: Int?

    /// The grounds for a publish in a protected project.
    public var approval: PublishApproval

    /// Creates a submission.
    public init(
        project: String, content: Data, expectation: Expectation, date: Date,
        user: TemplateVersion.User, description: String? = nil,
        origin: TemplateVersion.Origin = .restAPI,
        updateType: TemplateVersion.UpdateType = .incrementalUpdate, sourceVersion: Int? = nil,
        approval: PublishApproval = .none
    ) {
        self.project = project
        self.content = content
        self.expectation = expectation
        self.date = date
        self.user = user
        self.description = description
        self.origin = origin
        self.updateType = updateType
        self.sourceVersion = sourceVersion
        self.approval = approval
    }
}

extension TemplateSubmission {
    /// The version to store, with its date rounded to milliseconds.
    package func stored(
        asVersion number: Int, revision: StoreRevision, deletedVersion: Int? = nil
    ) -> StoredTemplate {
        StoredTemplate(
            project: project,
            version: TemplateVersion(
                number: number, updateTime: date.roundedToMilliseconds, updateUser: user,
                description: storedDescription, updateOrigin: origin, updateType: updateType,
                sourceVersion: sourceVersion),
            content: content, revision: revision, deletedVersion: deletedVersion)
    }

    /// - Throws: ``TemplateStoreError`` with the code `versionMismatch` unless the current version
    ///   is
    ///   the expected one; 0 means none, also for a project that was created at a higher number.
    package func checkExpectation(
        current: Int, isPublished: Bool
    ) throws(TemplateStoreError) {
        if case .version(let expected) = expectation, expected != current,
            expected != 0 || isPublished
        {
            throw .versionMismatch(expected: expected, current: current, inProject: project)
        }
    }
}

/// A stored version of a template.
public struct StoredTemplate: Sendable, Hashable {
    /// The project's name.
    public let project: String

    /// The metadata of the version.
    public let version: TemplateVersion

    /// The template as JSON text without `version`, byte for byte as published.
    public let content: Data

    /// The revision of the publish.
    public let revision: StoreRevision

    /// The last version of the deleted project whose name the template's project has; nil if no
    /// project of this name was deleted.
    ///
    /// Versions up to this one, and everything else that was read with them, belong to the deleted
    /// project.
    public var deletedVersion: Int?

    /// Creates a stored template.
    public init(
        project: String, version: TemplateVersion, content: Data, revision: StoreRevision,
        deletedVersion: Int? = nil
    ) {
        self.project = project
        self.version = version
        self.content = content
        self.revision = revision
        self.deletedVersion = deletedVersion
    }
}

/// A filter of a project's versions (API 3).
public struct VersionQuery: Sendable, Hashable {
    /// The page size, 1 to 300; other numbers are clamped.
    public var limit: Int

    /// The highest version number to include; nil for no limit.
    public var endVersion: Int?

    /// The earliest publish time to include; nil for no limit.
    public var startTime: Date?

    /// The exclusive upper bound of the publish time; nil for no limit.
    public var endTime: Date?

    /// Creates a query, by default for all versions.
    public init(
        limit: Int = 300, endVersion: Int? = nil, startTime: Date? = nil, endTime: Date? = nil
    ) {
        self.limit = limit
        self.endVersion = endVersion
        self.startTime = startTime
        self.endTime = endTime
    }
}

/// A page of a project's versions.
public struct VersionPage: Sendable, Hashable {
    /// The versions, newest first.
    public let versions: [TemplateVersion]

    /// The first version of the next page, for ``VersionQuery/endVersion``; nil on the last page.
    public let nextVersion: Int?

    /// Creates a page.
    public init(versions: [TemplateVersion], nextVersion: Int?) {
        self.versions = versions
        self.nextVersion = nextVersion
    }
}
