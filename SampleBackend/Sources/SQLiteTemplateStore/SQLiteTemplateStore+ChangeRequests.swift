public import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Creates or replaces an open change request if the stored one is as expected.
    public func saveChangeRequest(
        _ submission: ChangeRequestSubmission
    ) async throws(TemplateStoreError) -> StoredChangeRequest {
        let size = submission.contents.map { $0.base.count + $0.edited.count } ?? 0
        let (stored, revision) = try await write(size: size) { [options] db in
            let project = submission.project
            guard try db.projectID(project) != nil else {
                throw TemplateStoreError.projectMissing(project)
            }
            try db.checkIsNotArchived(project)
            try db.pruneChangeRequests(inProject: project, at: submission.date)
            let deleted = try db.deletedVersion(ofProject: project)
            let known = try db.changeRequest(
                id: submission.id, inProject: project, withContents: false)
            let openCount = try db.changeRequests(inProject: project).count {
                $0.seen(at: submission.date, deletedVersion: deleted).state == .open
            }
            var stored = try submission.stored(
                over: known, openCount: openCount, deletedVersion: deleted)
            let revision = try db.recordChange(
                .changeRequest(project: project, id: submission.id), keeping: options.keptChanges)
            try db.record(AuditEntry(of: submission, revision: revision))
            try db.upsert(ChangeRequestEntry(stored))
            stored.contents = nil
            return (stored, revision)
        }
        signal.advance(to: revision)
        return stored
    }

    /// A change request with its templates; nil when there is none with this identifier.
    public func changeRequest(
        id: String, inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> StoredChangeRequest? {
        try await read { db in
            try db.changeRequest(id: id, inProject: project, withContents: true)?
                .seen(at: date, deletedVersion: try db.deletedVersion(ofProject: project))
        }
    }

    /// The change requests of a project without their templates, the last changed one first.
    public func changeRequests(
        inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> [StoredChangeRequest] {
        try await read { db in
            let deleted = try db.deletedVersion(ofProject: project)
            return try db.changeRequests(inProject: project)
                .map { $0.seen(at: date, deletedVersion: deleted) }
        }
    }
}

extension Database {
    /// The columns of a request without its templates.
    private static let columns =
        "project, id, state, tag, update_time, deleted_version, record, expiry_notice_time"

    /// A change request as stored; nil when there is none with this identifier.
    func changeRequest(
        id: String, inProject project: String, withContents: Bool
    ) throws -> StoredChangeRequest? {
        try Row.fetchOne(
            self,
            sql: """
                SELECT \(Self.columns)\(withContents ? ", base, content" : "")
                FROM change_requests
                WHERE project = CAST(? AS BLOB) AND id = CAST(? AS BLOB)
                """, arguments: [SQLiteBytes(project), SQLiteBytes(id)]
        ).map { try ChangeRequestEntry(row: $0, withContents: withContents).stored }
    }

    /// The change requests of a project without their templates, the last changed one first.
    fileprivate func changeRequests(inProject project: String) throws -> [StoredChangeRequest] {
        try Row.fetchAll(
            self,
            sql: """
                SELECT \(Self.columns) FROM change_requests WHERE project = CAST(? AS BLOB)
                ORDER BY update_time DESC
                """, arguments: [SQLiteBytes(project)]
        ).map { try ChangeRequestEntry(row: $0, withContents: false).stored }
    }

    /// Marks the requests that are to be removed, and removes those whose mark is old enough.
    fileprivate func pruneChangeRequests(inProject project: String, at date: Date) throws {
        let rows = try Row.fetchAll(
            self,
            sql: """
                SELECT \(Self.columns) FROM change_requests
                WHERE project = CAST(? AS BLOB)
                    AND (update_time <= ? OR expiry_notice_time IS NOT NULL)
                """,
            arguments: [
                SQLiteBytes(project),
                (date - TemplateStoreLimits.changeRequestLifetime).millisecondsSince1970,
            ])
        for entry in try rows.map({ try ChangeRequestEntry(row: $0, withContents: false) }) {
            let key: StatementArguments = [SQLiteBytes(project), SQLiteBytes(entry.stored.id)]
            guard let pruned = entry.pruned(at: date) else {
                try execute(
                    sql: """
                        DELETE FROM change_requests
                        WHERE project = CAST(? AS BLOB) AND id = CAST(? AS BLOB)
                        """, arguments: key)
                continue
            }
            guard pruned != entry else { continue }
            try execute(
                sql: """
                    UPDATE change_requests SET expiry_notice_time = ?
                    WHERE project = CAST(? AS BLOB) AND id = CAST(? AS BLOB)
                    """, arguments: [pruned.expiryNoticeDate?.millisecondsSince1970] + key)
        }
    }

    /// Creates or replaces a request; without templates, a stored one keeps its own.
    func upsert(_ entry: ChangeRequestEntry) throws {
        let stored = entry.stored
        let fields: StatementArguments = [
            SQLiteBytes(stored.project), SQLiteBytes(stored.id), stored.state.rawValue,
            SQLiteBytes(stored.tag), stored.updateTime.millisecondsSince1970,
            stored.deletedVersion, SQLiteBytes(stored.request.record),
            entry.expiryNoticeDate?.millisecondsSince1970,
        ]
        let update = """
            state = ?3, tag = CAST(?4 AS BLOB), update_time = ?5, deleted_version = ?6,
            record = CAST(?7 AS BLOB), expiry_notice_time = ?8
            """
        guard let contents = stored.contents else {
            try execute(
                sql: """
                    UPDATE change_requests SET \(update)
                    WHERE project = CAST(?1 AS BLOB) AND id = CAST(?2 AS BLOB)
                    """, arguments: fields)
            return
        }
        try execute(
            sql: """
                INSERT INTO change_requests (\(Self.columns), base, content)
                VALUES (
                    CAST(?1 AS BLOB), CAST(?2 AS BLOB), ?3, CAST(?4 AS BLOB), ?5, ?6,
                    CAST(?7 AS BLOB), ?8, CAST(?9 AS BLOB), CAST(?10 AS BLOB)
                )
                ON CONFLICT (project, id) DO UPDATE SET
                    \(update), base = excluded.base, content = excluded.content
                """,
            arguments: fields + [SQLiteBytes(contents.base), SQLiteBytes(contents.edited)])
    }
}

extension ChangeRequestEntry {
    init(row: Row, withContents: Bool) throws {
        let name = try row.decode(String.self, forColumn: "state")
        guard let state = StoredChangeRequest.State(rawValue: name) else {
            throw TemplateStoreError(
                .damaged,
                "A change request has the unknown state '\(name)': put a backup in the place of "
                    + "the database.")
        }
        let notice = try row.decode(Int64?.self, forColumn: "expiry_notice_time")
        self.init(
            StoredChangeRequest(
                project: try row.decode(SQLiteBytes.self, forColumn: "project").text,
                id: try row.decode(SQLiteBytes.self, forColumn: "id").text, state: state,
                tag: try row.decode(SQLiteBytes.self, forColumn: "tag").text,
                updateTime: Date(
                    millisecondsSince1970: try row.decode(Int64.self, forColumn: "update_time")),
                deletedVersion: try row.decode(Int?.self, forColumn: "deleted_version"),
                request: try ChangeRequest(
                    record: try row.decode(Data.self, forColumn: "record")),
                contents: withContents
                    ? ChangeRequestContents(
                        base: try row.decode(Data.self, forColumn: "base"),
                        edited: try row.decode(Data.self, forColumn: "content")) : nil),
            expiryNoticeDate: notice.map(Date.init(millisecondsSince1970:)))
    }
}
