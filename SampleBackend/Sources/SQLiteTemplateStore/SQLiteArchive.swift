import Foundation
import GRDB
package import TemplateStore

extension SQLiteTemplateStore: ArchivingStore {
    /// Opens a snapshot of the content, which stays unchanged while others write.
    package func openArchive() async throws(TemplateStoreError) -> any StoreArchive {
        let snapshot = try await openSnapshot()
        do {
            let (revision, count) = try await snapshot.read { db in
                (
                    try db.latestRevision(),
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM audit") ?? 0
                )
            }
            return SQLiteArchive(
                snapshot: snapshot, path: path, revision: revision, changeCount: count)
        } catch {
            throw TemplateStoreError(error, at: path)
        }
    }
}

/// The content of a database in one read transaction.
private struct SQLiteArchive: StoreArchive {
    /// Maximum number of rows that are read at a time.
    private static let page = 200
    /// The same for rows with texts, which can have megabytes.
    private static let pageOfTexts = 4

    let snapshot: any DatabaseReader
    /// The path of the database, for error messages.
    let path: String
    let revision: StoreRevision
    let changeCount: Int

    func read(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        var contents = 0
        try await forEachRow(
            "SELECT revision AS place, audit.* FROM audit WHERE revision > ? ORDER BY revision",
            AuditEntry.init(row:)
        ) { entry throws(TemplateStoreError) in
            let content = try await read { db in try db.archivedContent(of: entry) }
            if content != nil { contents += 1 }
            try await receive(.change(entry, content))
        }
        let expected = try await read { db in
            try Int.fetchOne(
                db,
                sql:
                    "SELECT (SELECT count(*) FROM versions) + (SELECT count(*) FROM project_details)"
            )
        }
        guard contents == expected else { throw .incompleteTrail }
        try await forEachRow(
            """
            SELECT overrides.rowid AS place, name, user_id, content FROM overrides
            JOIN projects ON projects.id = overrides.project WHERE overrides.rowid > ?
            ORDER BY overrides.rowid
            """, by: Self.pageOfTexts, ArchivedRecord.init(overrides:), receive)
        try await forEachRow(
            "SELECT position AS place, tokens.* FROM tokens WHERE position > ? ORDER BY position",
            { .token(try StoredToken(row: $0)) }, receive)
        try await forEachRow(
            "SELECT rowid AS place, sessions.* FROM sessions WHERE rowid > ? ORDER BY rowid",
            { .session(try StoredSession(row: $0)) }, receive)
        try await readWebhooks(receive)
        try await forEachRow(
            "SELECT rowid AS place, drafts.* FROM drafts WHERE rowid > ? ORDER BY rowid",
            by: Self.pageOfTexts, ArchivedRecord.init(draft:), receive)
        try await forEachRow(
            """
            SELECT change_requests.rowid AS place, change_requests.*, base, content
            FROM change_requests LEFT JOIN change_request_contents USING (project, id)
            WHERE change_requests.rowid > ? ORDER BY change_requests.rowid
            """, by: Self.pageOfTexts,
            { .changeRequest(try StoredChangeRequest(row: $0, withContents: true)) }, receive)
    }

    private func readWebhooks(
        _ receive: (ArchivedRecord) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        let webhooks = try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT webhooks.*, projects.name FROM webhooks
                    JOIN projects ON projects.id = webhooks.project ORDER BY position
                    """
            ).map { row in
                (
                    position: try row.decode(Int64.self, forColumn: "position"),
                    webhook: try StoredWebhook(row: row),
                    knownVersion: try row.decode(Int.self, forColumn: "known_version")
                )
            }
        }
        for (position, webhook, knownVersion) in webhooks {
            let queue = WebhookQueue(
                webhook: webhook, knownVersion: knownVersion,
                entries: try await read { db in try db.deliveries(ofWebhook: position) })
            try await receive(.webhook(queue.withoutClaims))
        }
    }

    private func read<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        do {
            return try await snapshot.read(body)
        } catch {
            throw TemplateStoreError(error, at: path)
        }
    }

    /// Reads the rows of a query in pages of at most `limit`.
    ///
    /// The query must select the rows after a `place`, in the order of `place`.
    private func forEachRow<Value: Sendable>(
        _ query: String, by limit: Int = page,
        _ parse: @escaping @Sendable (Row) throws -> Value,
        _ receive: (Value) async throws(TemplateStoreError) -> Void
    ) async throws(TemplateStoreError) {
        var place = Int64.min
        while true {
            let rows = try await read { [place] db in
                try Row.fetchAll(db, sql: query + " LIMIT ?", arguments: [place, limit]).map {
                    (try $0.decode(Int64.self, forColumn: "place"), try parse($0))
                }
            }
            for (_, value) in rows { try await receive(value) }
            guard rows.count == limit, let last = rows.last else { return }
            place = last.0
        }
    }
}

extension Database {
    /// The content that the change of an audit entry stored; nil if it no longer exists.
    fileprivate func archivedContent(of entry: AuditEntry) throws -> ArchivedContent? {
        switch entry.action {
        case .publish, .rollback, .undo:
            return try Row.fetchOne(
                self,
                sql: """
                    SELECT versions.*, projects.name FROM versions
                    JOIN projects ON projects.id = versions.project WHERE revision = ?
                    """, arguments: [entry.revision.number]
            ).map { .template(try StoredTemplate(row: $0)) }
        case .setProjectDetails, .createProject:
            return try Row.fetchOne(
                self, sql: "SELECT * FROM project_details WHERE revision = ?",
                arguments: [entry.revision.number]
            ).map {
                .details(try StoredProjectDetails(row: $0).details, project: entry.project ?? "")
            }
        default: return nil
        }
    }

    /// The deliveries of a webhook, oldest first.
    fileprivate func deliveries(ofWebhook position: Int64) throws -> [WebhookQueue.Entry] {
        try Row.fetchAll(
            self,
            sql: """
                SELECT deliveries.*, webhooks.id AS webhook_id FROM deliveries
                JOIN webhooks ON webhooks.position = deliveries.webhook
                WHERE webhook = ? ORDER BY deliveries.position
                """, arguments: [position]
        ).map { row in
            WebhookQueue.Entry(
                position: try row.decode(Int.self, forColumn: "position"),
                delivery: try WebhookDelivery(row: row),
                claim: try row.decode(Bool.self, forColumn: "is_claimed") ? "" : nil)
        }
    }
}

extension ArchivedRecord {
    fileprivate init(overrides row: Row) throws {
        self = .overrides(
            project: try row.decode(SQLiteBytes.self, forColumn: "name").text,
            userID: try row.decode(SQLiteBytes.self, forColumn: "user_id").text,
            content: try row.decode(Data.self, forColumn: "content"))
    }

    fileprivate init(draft row: Row) throws {
        let draft = StoredDraft(
            owner: try row.decode(SQLiteBytes.self, forColumn: "owner").text,
            project: try row.decode(SQLiteBytes.self, forColumn: "project").text,
            baseVersion: try row.decode(forColumn: "base_version"),
            content: try row.decode(Data.self, forColumn: "content"),
            tag: try row.decode(SQLiteBytes.self, forColumn: "tag").text,
            updateTime: Date(
                millisecondsSince1970: try row.decode(Int64.self, forColumn: "update_time")))
        let notice = try row.decode(Int64?.self, forColumn: "expiry_notice_time")
        self = .draft(
            DraftTable.Entry(
                draft: draft, expiryNoticeDate: notice.map(Date.init(millisecondsSince1970:))))
    }
}
