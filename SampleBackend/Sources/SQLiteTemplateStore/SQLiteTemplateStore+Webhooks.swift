public import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Stores a new webhook.
    public func addWebhook(_ webhook: StoredWebhook) async throws(TemplateStoreError) {
        let revision = try await write { [options] db in
            let project = try Row.fetchOne(
                db, sql: "SELECT id, current_version FROM projects WHERE name = CAST(? AS BLOB)",
                arguments: [SQLiteBytes(webhook.project)])
            guard let project else { throw TemplateStoreError.projectMissing(webhook.project) }
            try db.checkIsNotArchived(webhook.project)
            let id = try project.decode(Int64.self, atIndex: 0)
            let count =
                try Int.fetchOne(
                    db, sql: "SELECT count(*) FROM webhooks WHERE project = ?", arguments: [id])
                ?? 0
            guard count < TemplateStoreLimits.webhooks else {
                throw TemplateStoreError.tooManyWebhooks(inProject: webhook.project)
            }
            try db.insert(
                webhook, intoProject: id, knownVersion: try project.decode(Int.self, atIndex: 1))
            let revision = try db.recordChange(
                .webhooks(project: webhook.project), keeping: options.keptChanges)
            try db.record(AuditEntry(ofNew: webhook, revision: revision))
            return revision
        }
        signal.advance(to: revision)
    }

    /// The webhooks of a project, oldest first.
    public func webhooks(
        inProject project: String
    ) async throws(TemplateStoreError) -> [StoredWebhook] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT webhooks.*, projects.name FROM webhooks
                    JOIN projects ON projects.id = webhooks.project
                    WHERE projects.name = CAST(? AS BLOB) ORDER BY position
                    """, arguments: [SQLiteBytes(project)]
            ).map(StoredWebhook.init(row:))
        }
    }

    /// Removes a webhook with its deliveries; false when none has this identifier.
    public func removeWebhook(
        id: String, inProject project: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        let revision: StoreRevision? = try await write { [options] db in
            try db.checkIsNotArchived(project)
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT webhooks.*, projects.name FROM webhooks
                    JOIN projects ON projects.id = webhooks.project
                    WHERE webhooks.id = CAST(? AS BLOB) AND projects.name = CAST(? AS BLOB)
                    """, arguments: [SQLiteBytes(id), SQLiteBytes(project)])
            guard let row else { return nil }
            try db.execute(
                sql: "DELETE FROM webhooks WHERE position = ?",
                arguments: [try row.decode(Int64.self, forColumn: "position")])
            let revision = try db.recordChange(
                .webhooks(project: project), keeping: options.keptChanges)
            try db.record(
                AuditEntry(
                    ofRemoved: try StoredWebhook(row: row), actor: actor, date: date,
                    revision: revision))
            return revision
        }
        guard let revision else { return false }
        signal.advance(to: revision)
        return true
    }
}

extension Database {
    func insert(_ webhook: StoredWebhook, intoProject project: Int64, knownVersion: Int) throws {
        try execute(
            sql: """
                INSERT INTO webhooks (
                    project, id, url, secret, creation_time, creator, known_version, topics
                ) VALUES (
                    ?, CAST(? AS BLOB), CAST(? AS BLOB), CAST(? AS BLOB), ?, CAST(? AS BLOB), ?, ?
                )
                """,
            arguments: [
                project, SQLiteBytes(webhook.id), SQLiteBytes(webhook.url),
                SQLiteBytes(webhook.secret), webhook.creationDate.millisecondsSince1970,
                SQLiteBytes(webhook.creator), knownVersion, webhook.topicList,
            ])
    }
}

extension StoredWebhook {
    /// Reads a webhook from a row that includes the name of its project.
    init(row: Row) throws {
        self.init(
            id: try row.decode(SQLiteBytes.self, forColumn: "id").text,
            project: try row.decode(SQLiteBytes.self, forColumn: "name").text,
            url: try row.decode(SQLiteBytes.self, forColumn: "url").text,
            secret: try row.decode(SQLiteBytes.self, forColumn: "secret").text,
            creationDate: Date(
                millisecondsSince1970: try row.decode(Int64.self, forColumn: "creation_time")),
            creator: try row.decode(SQLiteBytes.self, forColumn: "creator").text,
            topics: Self.topics(inList: try row.decode(String.self, forColumn: "topics")))
    }
}
