import Foundation
import GRDB
package import TemplateStore
import Templates

extension SQLiteTemplateStore {
    /// Starts to fill this database, and marks it as incomplete by its application ID.
    package func beginFilling() async throws(TemplateStoreError) -> any ArchiveWriter {
        try await useWriter { [path] db in
            try db.inTransaction(.immediate) {
                _ = try SQLiteSchema.isPresent(in: db, at: path)
                for table in [
                    "projects", "tokens", "audit", "changes", "drafts", "change_requests",
                ] {
                    let hasRow = try Bool.fetchOne(
                        db, sql: "SELECT EXISTS (SELECT 1 FROM \(table))")
                    if hasRow != false { throw TemplateStoreError.notEmpty("'\(path)'") }
                }
                try db.execute(
                    sql: "PRAGMA application_id = \(SQLiteSchema.incompleteApplicationID)")
                return .commit
            }
        }
        return SQLiteArchiveWriter(store: self)
    }
}

/// Stores records in a database, many per transaction.
private actor SQLiteArchiveWriter: ArchiveWriter {
    /// Maximum size of one transaction.
    private static let (mostRecords, mostBytes) = (500, 4 << 20)

    private let store: SQLiteTemplateStore
    private var pending: [ArchivedRecord] = []
    /// Approximate size of the pending texts, in bytes.
    private var size = 0

    init(store: SQLiteTemplateStore) { self.store = store }

    func write(_ record: ArchivedRecord) async throws(TemplateStoreError) {
        pending.append(record)
        switch record {
        case .change(_, .template(let template)?): size += template.content.count
        case .overrides(_, _, let content): size += content.count
        case .draft(let entry): size += entry.draft.content.count
        case .changeRequest(let request): size += request.size
        default: break
        }
        if pending.count >= Self.mostRecords || size >= Self.mostBytes { try await flush() }
    }

    func flush() async throws(TemplateStoreError) {
        let records = pending
        (pending, size) = ([], 0)
        try await store.useWriter { [options = store.options] db in
            try db.inTransaction(.immediate) {
                for record in records { try db.add(record, keeping: options.keptChanges) }
                return .commit
            }
        }
    }

    func complete() async throws(TemplateStoreError) {
        try await store.useWriter { db in
            try db.inTransaction(.immediate) {
                try db.execute(sql: "PRAGMA application_id = \(SQLiteSchema.applicationID)")
                return .commit
            }
            // The database file then contains everything. Without space for that, the log beside it
            // does, which belongs to the store.
            _ = try? db.checkpoint(.truncate)
        }
    }
}

extension Database {
    /// Adds a record of an archive; a change keeps its revision.
    fileprivate func add(_ archived: ArchivedRecord, keeping kept: Int) throws {
        switch archived {
        case .change(let entry, let content):
            try recordChange(entry.changeSubject, keeping: kept, at: entry.revision)
            try record(entry)
            _ = try createProject(of: entry)
            try deleteProject(of: entry)
            switch content {
            case .template(let template):
                try insert(
                    template,
                    intoProject: project(
                        template.project, currentVersion: template.version.number))
            case .details(let details, let project):
                try upsert(
                    StoredProjectDetails(details, revision: entry.revision),
                    ofProject: self.project(project))
            case nil: break
            }
        case .overrides(let project, let userID, let content):
            try execute(
                sql: """
                    INSERT INTO overrides (project, user_id, content)
                    VALUES (?, CAST(? AS BLOB), CAST(? AS BLOB))
                    """,
                arguments: [self.project(project), SQLiteBytes(userID), SQLiteBytes(content)])
        case .token(let token): try insert(token)
        case .session(let session): try insert(session)
        case .webhook(let queue): try insert(queue)
        case .changeRequest(let request): try upsert(request)
        case .draft(let entry):
            try upsert(entry.draft)
            try execute(
                sql: """
                    UPDATE drafts SET expiry_notice_time = ?
                    WHERE owner = CAST(? AS BLOB) AND project = CAST(? AS BLOB)
                    """,
                arguments: [
                    entry.expiryNoticeDate?.millisecondsSince1970, SQLiteBytes(entry.draft.owner),
                    SQLiteBytes(entry.draft.project),
                ])
        }
    }

    /// The number of a project in its table; adds the project if it is missing.
    ///
    /// A project's details can precede its oldest stored version, so the current version is 1 until
    /// then.
    private func project(_ name: String, currentVersion: Int? = nil) throws -> Int64 {
        try execute(
            sql: """
                INSERT INTO projects (name, current_version) VALUES (CAST(?1 AS BLOB), ifnull(?2, 1))
                ON CONFLICT (name) DO UPDATE SET current_version = ifnull(?2, current_version)
                """, arguments: [SQLiteBytes(name), currentVersion])
        let id = try Int64.fetchOne(
            self, sql: "SELECT id FROM projects WHERE name = CAST(? AS BLOB)",
            arguments: [SQLiteBytes(name)])
        guard let id else { throw TemplateStoreError.projectMissing(name) }
        return id
    }

    private func insert(_ queue: WebhookQueue) throws {
        try insert(
            queue.webhook, intoProject: project(queue.webhook.project),
            knownVersion: queue.knownVersion)
        let position = lastInsertedRowID
        for entry in queue.entries {
            let delivery = entry.delivery
            try execute(
                sql: """
                    INSERT INTO deliveries (
                        webhook, id, topic, event, creation_time, state, attempts,
                        status_code, error, next_attempt_time, is_claimed, finish_time
                    ) VALUES (
                        ?, CAST(? AS BLOB), ?, CAST(? AS BLOB), ?, ?, ?, ?, CAST(? AS BLOB), ?, 0, ?
                    )
                    """,
                arguments: [
                    position, SQLiteBytes(delivery.id), delivery.event.topic.rawValue,
                    SQLiteBytes(delivery.event.record), delivery.creationDate.millisecondsSince1970,
                    delivery.state.rawValue, delivery.attempts, delivery.statusCode,
                    delivery.error.map { SQLiteBytes($0) },
                    delivery.nextAttemptDate?.millisecondsSince1970,
                    delivery.finishDate?.millisecondsSince1970,
                ])
        }
    }
}
