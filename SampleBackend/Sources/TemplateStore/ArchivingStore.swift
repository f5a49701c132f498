package import Foundation
import Templates

/// A store whose whole content can be read and written, to copy it to a store of any engine.
package protocol ArchivingStore: TemplateStore {
    /// Opens a consistent snapshot of the content; later changes are not in it.
    func openArchive() async throws(TemplateStoreError) -> any StoreArchive

    /// Starts to fill this store, which must be empty.
    ///
    /// Until ``ArchiveWriter/complete()`` the store is marked as incomplete, and no process can
    /// open it again.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `notEmpty`; the store is unchanged then.
    func beginFilling() async throws(TemplateStoreError) -> any ArchiveWriter

    /// Raises the version floor: the next version of each project, also of those that are created
    /// later, is above all numbers of the store and the given one.
    ///
    /// - Returns: The next version of each project.
    func raiseVersions(_ raise: VersionRaise) async throws(TemplateStoreError) -> Int
}

/// A consistent snapshot of a store's content.
package protocol StoreArchive: Sendable {
    /// The revision of the snapshot.
    var revision: StoreRevision { get }

    /// Number of records that are changes.
    var changeCount: Int { get }

    /// Reads all records, the changes first, oldest first.
    ///
    /// Only a few are in memory at a time.
    ///
    /// Tokens and webhooks come in order of creation, other records in any order.
    func read(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError)
}

/// Fills a store with the records of an archive, in order.
package protocol ArchiveWriter: Sendable {
    /// Stores a record, possibly later and together with others.
    func write(_ record: ArchivedRecord) async throws(TemplateStoreError)

    /// Stores all pending records.
    func flush() async throws(TemplateStoreError)

    /// Removes the mark, so that the store can be opened.
    ///
    /// Call ``flush()`` first.
    func complete() async throws(TemplateStoreError)
}

/// A part of a store's content.
package enum ArchivedRecord: Sendable {
    /// An audit entry, with the content that the change stored, if that still exists.
    ///
    /// The content has the revision of the entry. Engines may assign other revisions in the same
    /// order.
    case change(AuditEntry, ArchivedContent?)
    case overrides(project: String, userID: String, content: Data)
    case token(StoredToken)
    case session(StoredSession)
    /// A webhook with its deliveries.
    ///
    /// Claims are released, since they belong to processes.
    case webhook(WebhookQueue)
    case draft(DraftTable.Entry)
    /// A change request with its templates.
    case changeRequest(StoredChangeRequest)
}

/// The content that a change stored under its revision.
package enum ArchivedContent: Sendable {
    case template(StoredTemplate)
    case details(ProjectDetails, project: String)
}

extension WebhookQueue {
    /// The webhook without the claims of its deliveries, which are due immediately instead.
    package var withoutClaims: WebhookQueue {
        WebhookQueue(
            webhook: webhook, knownVersion: knownVersion, lastPublish: lastPublish,
            entries: entries.map { entry in
                guard entry.claim != nil, entry.delivery.state == .pending else { return entry }
                var delivery = entry.delivery
                delivery.nextAttemptDate = delivery.creationDate
                return Entry(position: entry.position, delivery: delivery)
            })
    }
}

extension AuditEntry {
    /// The entry with another revision.
    package func moved(to revision: StoreRevision) -> AuditEntry {
        AuditEntry(
            revision: revision, project: project, date: date, actor: actor, action: action,
            subject: subject, detail: detail)
    }

    /// The subject of the change that the entry records; sessions count as tokens.
    package var changeSubject: StoreChange.Subject {
        let project = project ?? ""
        return switch action {
        case .failedSignIn: .failedSignIns
        case .raiseVersions: .versionFloor
        case .publish, .rollback, .undo: .template(project: project, version: Int(subject) ?? 0)
        case .setOverrides, .removeOverrides: .overrides(project: project, userID: subject)
        case .createToken, .revokeToken: .tokens
        case .createWebhook, .removeWebhook: .webhooks(project: project)
        case .setProjectDetails: .projectDetails(project: project)
        case .createProject, .deleteProject: .project(project)
        case .createChangeRequest, .editChangeRequest, .approveChangeRequest,
            .rejectChangeRequest, .commentChangeRequest, .closeChangeRequest, .schedulePublish,
            .cancelScheduledPublish, .warnOfLackingApprovals, .endScheduledPublish, .holdRollout,
            .resumeRollout, .endRollout, .expireChangeRequest:
            .changeRequest(project: project, id: subject)
        }
    }
}

extension TemplateStoreError {
    package static func notEmpty(_ name: String) -> TemplateStoreError {
        TemplateStoreError(
            .notEmpty,
            "The store \(name) is not empty, and is unchanged: give an empty location."
        )
    }

    package static func isBackup(_ name: String) -> TemplateStoreError {
        TemplateStoreError(
            .notEmpty, "The store \(name) is a backup, and is unchanged: give an empty location.")
    }

    /// `advice` explains how to remove the store.
    package static func incompleteCopy(_ name: String, advice: String) -> TemplateStoreError {
        TemplateStoreError(
            .incompleteCopy,
            "The store \(name) is the incomplete result of a copy that was interrupted: \(advice), and "
                + "copy again.")
    }

    package static func unknownRecord(_ kind: String) -> TemplateStoreError {
        TemplateStoreError(
            .otherSchema,
            "The store has \(kind) of a kind that this program does not know: copy it with the "
                + "program that wrote it.")
    }

    /// The audit trail has no entry for a version or for the details of a project.
    package static var incompleteTrail: TemplateStoreError {
        TemplateStoreError(
            .damaged,
            "The store has versions or details of projects that its audit trail does not have, so it "
                + "cannot be copied: restore a backup.")
    }
}
