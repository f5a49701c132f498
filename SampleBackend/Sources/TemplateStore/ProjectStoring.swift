public import Foundation
import Templates

/// The part of a ``TemplateStore`` that creates and deletes projects.
///
/// The first publish in a project creates it too.
public protocol ProjectStoring: Sendable {
    /// Creates a project with an empty template.
    ///
    /// The template has the version 0, or the next number if a project of this name was deleted or
    /// the store was restored: clients ignore older versions, and entity tags contain the number.
    ///
    /// - Parameter creation: The name, the details and the actor.
    /// - Returns: The empty template. The details have its revision.
    /// - Throws: ``TemplateStoreError`` with the code `projectExists`.
    func createProject(
        _ creation: ProjectCreation
    ) async throws(TemplateStoreError) -> StoredTemplate

    /// Deletes an archived project with all of its versions, drafts, pinned values, details,
    /// webhooks and deliveries; the audit trail stays.
    ///
    /// - Parameter deletion: The name, the expectation and the actor.
    /// - Returns: The last version of the project.
    /// - Throws: ``TemplateStoreError`` with the code `projectMissing`, `projectNotArchived` or
    ///   `projectDetailsMismatch`.
    @discardableResult
    func deleteProject(_ deletion: ProjectDeletion) async throws(TemplateStoreError) -> Int

    /// Returns the last version of a deleted project; nil when no project of this name was deleted.
    ///
    /// A new project can have the name; its versions are higher.
    func deletedVersion(ofProject project: String) async throws(TemplateStoreError) -> Int?

    /// Removes what remains of deleted projects after an interrupted deletion, by any process.
    ///
    /// The default does nothing, for engines that delete a project in one transaction.
    func completeDeletions() async throws(TemplateStoreError)
}

extension ProjectStoring {
    /// Does nothing.
    public func completeDeletions() async throws(TemplateStoreError) {}
}

/// A project to create.
public struct ProjectCreation: Sendable, Hashable {
    /// The project's name.
    public var project: String

    /// The first details.
    public var details: ProjectDetails

    /// The time of the change.
    public var date: Date

    /// The name of the token used, for the audit trail.
    public var actor: String

    /// Creates a creation.
    public init(project: String, details: ProjectDetails, date: Date, actor: String) {
        self.project = project
        self.details = details
        self.date = date
        self.actor = actor
    }
}

/// A project to delete.
public struct ProjectDeletion: Sendable, Hashable {
    /// The project's name.
    public var project: String

    /// The revision of the details that the administrator has seen; nil accepts any.
    public var expectedRevision: StoreRevision?

    /// The time of the change.
    public var date: Date

    /// The name of the token used, for the audit trail.
    public var actor: String

    /// Creates a deletion.
    public init(
        project: String, expectedRevision: StoreRevision? = nil, date: Date, actor: String
    ) {
        self.project = project
        self.expectedRevision = expectedRevision
        self.date = date
        self.actor = actor
    }
}

extension ProjectDeletion {
    /// Checks the details of the project to delete.
    package func check(_ current: StoredProjectDetails) throws(TemplateStoreError) {
        if let expectedRevision, expectedRevision != current.revision {
            throw .projectDetailsMismatch(inProject: project)
        }
        guard current.details.isArchived else { throw .projectNotArchived(project) }
    }
}

extension ProjectDetails {
    /// The details in the audit trail; nil when none is set.
    var auditText: String? {
        let parts = [
            displayName, color?.rawValue, environment?.rawValue, isArchived ? "archived" : nil,
            protection?.auditText,
        ].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

extension AuditEntry {
    /// Part of stored entries, which ``deletedVersion`` reads: never change it.
    private static let lastVersionPrefix = "last version "

    package init(of creation: ProjectCreation, revision: StoreRevision) {
        self.init(
            revision: revision, project: creation.project,
            date: creation.date.roundedToMilliseconds, actor: creation.actor,
            action: .createProject, subject: creation.project, detail: creation.details.auditText)
    }

    /// Between the last version and the change requests; part of stored entries.
    private static let closedRequestsPrefix = "; closed change requests "

    /// Maximum number of change requests that the entry of a deletion names.
    private static let mostClosedRequests = 20

    /// - Parameters:
    ///   - deletion: The deletion.
    ///   - lastVersion: The last version of the project.
    ///   - requests: The change requests of the project as they were before.
    ///   - revision: The revision.
    package init(
        of deletion: ProjectDeletion, lastVersion: Int, requests: [ChangeRequestHeader],
        revision: StoreRevision
    ) {
        let open = requests.filter { $0.state == .open }.map(\.id)
        let more = open.count - Self.mostClosedRequests
        let closed =
            open.isEmpty
            ? ""
            : Self.closedRequestsPrefix
                + open.prefix(Self.mostClosedRequests).joined(separator: ", ")
                + (more > 0 ? " and \(more) more" : "")
        self.init(
            revision: revision, project: deletion.project,
            date: deletion.date.roundedToMilliseconds, actor: deletion.actor,
            action: .deleteProject, subject: deletion.project,
            detail: "\(Self.lastVersionPrefix)\(lastVersion)\(closed)")
    }

    /// The last version of the project that the entry's change deleted; nil for other changes.
    package var deletedVersion: Int? {
        guard action == .deleteProject, let detail, detail.hasPrefix(Self.lastVersionPrefix) else {
            return nil
        }
        return Int(detail.dropFirst(Self.lastVersionPrefix.count).prefix { $0 != ";" })
    }

    /// The empty template of the project that the entry's change created; nil for other changes.
    ///
    /// `deletedVersion` is the last version of a deleted project of the same name, and `floor` the
    /// version floor of the store.
    package func createdTemplate(after deletedVersion: Int?, floor: Int) -> StoredTemplate? {
        guard action == .createProject, let project else { return nil }
        return StoredTemplate(
            project: project,
            version: .creation(
                number: VersionFloor.createdVersion(deleted: deletedVersion, floor: floor),
                time: date, actor: actor),
            content: Data("{}".utf8), revision: revision, deletedVersion: deletedVersion)
    }
}
