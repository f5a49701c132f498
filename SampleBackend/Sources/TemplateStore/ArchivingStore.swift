package import Foundation
import Templates

/// A store whose whole content can be read and written, to copy it into a store of any engine.
package protocol ArchivingStore: TemplateStore {
    /// Opens the content of one moment; changes that are made meanwhile are not in it.
    func openArchive() async throws(TemplateStoreError) -> any StoreArchive

    /// Begins to fill this store, which has to be empty.
    ///
    /// Until ``ArchiveWriter/complete()`` the store is marked as incomplete, and is not opened again by
    /// any process.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `notEmpty`; nothing is changed then.
    func beginFilling() async throws(TemplateStoreError) -> any ArchiveWriter
}

/// The content of a store at one moment.
package protocol StoreArchive: Sendable {
    /// The revision of the moment.
    var revision: StoreRevision { get }

    /// The number of records that are changes.
    var changeCount: Int { get }

    /// Reads all records: first the changes, the oldest first. Few are in memory at once.
    ///
    /// Tokens and webhooks come in the order of their creation, all else in any order.
    func read(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError)
}

/// Fills a store with the records of an archive, in their order.
package protocol ArchiveWriter: Sendable {
    /// Stores a record, maybe later, together with others.
    func write(_ record: ArchivedRecord) async throws(TemplateStoreError)

    /// Stores what is not stored yet.
    func flush() async throws(TemplateStoreError)

    /// Removes the mark, so that the store can be opened; call ``flush()`` before.
    func complete() async throws(TemplateStoreError)
}

/// A part of a store's content.
package enum ArchivedRecord: Sendable {
    /// An audit entry, with what the change stored if that is still there.
    ///
    /// The revision of the content is that of the entry. An engine may give others, in the same order.
    case change(AuditEntry, ArchivedContent?)
    case overrides(project: String, userID: String, content: Data)
    case token(StoredToken)
    case session(StoredSession)
    /// A webhook with its deliveries; claims are given back, since they belong to processes.
    case webhook(WebhookQueue)
    case draft(DraftTable.Entry)
}

/// The content that a change stored under its revision.
package enum ArchivedContent: Sendable {
    case template(StoredTemplate)
    case details(ProjectDetails, project: String)
}

extension WebhookQueue {
    /// The webhook without the claims of its deliveries, which are due at once instead.
    package var withoutClaims: WebhookQueue {
        WebhookQueue(
            webhook: webhook, knownVersion: knownVersion,
            entries: entries.map { entry in
                guard entry.claim != nil, entry.delivery.state == .pending else { return entry }
                var delivery = entry.delivery
                delivery.nextAttemptDate = delivery.creationDate
                return Entry(delivery: delivery)
            })
    }
}

extension AuditEntry {
    /// The entry at another revision.
    package func moved(to revision: StoreRevision) -> AuditEntry {
        AuditEntry(
            revision: revision, project: project, date: date, actor: actor, action: action,
            subject: subject, detail: detail)
    }

    /// The subject of the change that the entry records; sessions are among the tokens.
    package var changeSubject: StoreChange.Subject {
        let project = project ?? ""
        return switch action {
        case .publish, .rollback: .template(project: project, version: Int(subject) ?? 0)
        case .setOverrides, .removeOverrides: .overrides(project: project, userID: subject)
        case .createToken, .revokeToken: .tokens
        case .createWebhook, .removeWebhook: .webhooks(project: project)
        case .setProjectDetails: .projectDetails(project: project)
        }
    }
}

extension TemplateStoreError {
    package static func notEmpty(_ name: String) -> TemplateStoreError {
        TemplateStoreError(
            .notEmpty,
            "The store \(name) is not empty, and was not touched: give a place where nothing is stored."
        )
    }

    /// The advice says how to remove the store.
    package static func incompleteCopy(_ name: String, advice: String) -> TemplateStoreError {
        TemplateStoreError(
            .incompleteCopy,
            "The store \(name) is the incomplete result of a copy that was interrupted: \(advice), and "
                + "copy again.")
    }

    package static func unknownRecord(_ kind: String) -> TemplateStoreError {
        TemplateStoreError(
            .newerSchema,
            "The store has \(kind) of a kind that this program does not know: copy it by the newer "
                + "program that wrote it.")
    }

    /// A version or the details of a project have no entry in the audit trail.
    package static var incompleteTrail: TemplateStoreError {
        TemplateStoreError(
            .damaged,
            "The store has versions or details of projects that its audit trail does not have, so it "
                + "cannot be copied: go back to a backup.")
    }
}
