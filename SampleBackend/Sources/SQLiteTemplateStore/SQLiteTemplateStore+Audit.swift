import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// The audit trail of a project and the server, newest first.
    public func auditEntries(
        inProject project: String, matching query: AuditQuery
    ) async throws(TemplateStoreError) -> [AuditEntry] {
        let limit = min(max(query.limit, 1), TemplateStoreLimits.auditPage)
        let actions = query.actions ?? Set(AuditEntry.Action.allCases)
        // Without the server's entries, the project index skips all other entries.
        let server = actions.contains(where: \.isOfServer) ? "OR project IS NULL" : ""
        let names = actions.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        let filter = query.actions == nil ? "" : "AND action IN (\(names))"
        return try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM audit
                    WHERE (project = CAST(? AS BLOB) \(server)) AND revision < ? \(filter)
                    ORDER BY revision DESC LIMIT ?
                    """,
                arguments: [SQLiteBytes(project), query.before?.number ?? .max, limit]
            ).map(AuditEntry.init(row:))
        }
    }
}

extension Database {
    /// Adds an entry to the audit trail.
    func record(_ entry: AuditEntry) throws {
        try execute(
            sql: """
                INSERT INTO audit (revision, project, time, actor, action, subject, detail)
                VALUES (
                    ?, CAST(? AS BLOB), ?, CAST(? AS BLOB), ?, CAST(? AS BLOB), CAST(? AS BLOB)
                )
                """,
            arguments: [
                entry.revision.number, entry.project.map { SQLiteBytes($0) },
                entry.date.millisecondsSince1970, SQLiteBytes(entry.actor), entry.action.rawValue,
                SQLiteBytes(entry.subject), entry.detail.map { SQLiteBytes($0) },
            ])
    }
}

extension AuditEntry {
    init(row: Row) throws {
        let name = try row.decode(String.self, forColumn: "action")
        guard let action = Action(rawValue: name) else {
            throw TemplateStoreError(
                .damaged,
                "The audit trail has an entry of the unknown kind '\(name)': put a backup in the "
                    + "place of the database.")
        }
        self.init(
            revision: StoreRevision(try row.decode(Int64.self, forColumn: "revision")),
            project: try row.decode(SQLiteBytes?.self, forColumn: "project")?.text,
            date: Date(millisecondsSince1970: try row.decode(Int64.self, forColumn: "time")),
            actor: try row.decode(SQLiteBytes.self, forColumn: "actor").text, action: action,
            subject: try row.decode(SQLiteBytes.self, forColumn: "subject").text,
            detail: try row.decode(SQLiteBytes?.self, forColumn: "detail")?.text)
    }
}
