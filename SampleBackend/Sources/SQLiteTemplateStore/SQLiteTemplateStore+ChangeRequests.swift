public import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Creates or replaces an open change request if the stored one is as expected.
    public func saveChangeRequest(
        _ submission: ChangeRequestSubmission
    ) async throws(TemplateStoreError) -> StoredChangeRequest {
        let size =
            submission.request.record.count
            + (submission.contents.map { $0.base.count + $0.edited.count } ?? 0)
        let (stored, revision) = try await write(size: size) { [options] db in
            let project = submission.project
            guard let projectID = try db.projectID(project) else {
                throw TemplateStoreError.projectMissing(project)
            }
            try db.checkIsNotArchived(project)
            let table = ChangeRequestTable(
                try db.changeRequestHeaders(inProject: project), at: submission.date,
                deletedVersion: try db.deletedVersion(ofProject: project))
            let change = try table.change(
                by: submission,
                over: try db.changeRequest(
                    id: submission.id, inProject: project, withContents: false))
            for removed in change.removed { try db.remove(removed) }
            let revision = try db.recordChange(
                .changeRequest(project: project, id: submission.id), keeping: options.keptChanges)
            try db.record(AuditEntry(of: submission, revision: revision))
            try db.upsert(change.stored)
            try db.enqueueDeliveries(
                of: change.events, date: submission.date.roundedToMilliseconds,
                inProject: projectID)
            var stored = change.stored
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

    /// The headers of a project's change requests, the last changed one first.
    public func changeRequests(
        inProject project: String, date: Date
    ) async throws(TemplateStoreError) -> [ChangeRequestHeader] {
        try await read { db in
            let deleted = try db.deletedVersion(ofProject: project)
            return try db.changeRequestHeaders(inProject: project)
                .map { $0.seen(at: date, deletedVersion: deleted) }
        }.sorted(by: ChangeRequestHeader.isListedBefore)
    }

    /// The headers of the change requests of all projects whose schedules wait for a time.
    public func scheduledChangeRequests(
        date: Date
    ) async throws(TemplateStoreError) -> [ChangeRequestHeader] {
        try await read { db in
            let deletedVersions = try db.deletedVersions()
            return try db.dueChangeRequestHeaders()
                .map { $0.seen(at: date, deletedVersion: deletedVersions[$0.project]) }
                .filter { $0.dueDate != nil }.sorted(by: ChangeRequestHeader.isDueBefore)
        }
    }

    /// Marks, expires and removes the change requests of all projects that nobody changed for long.
    public func removeExpiredChangeRequests(at date: Date) async throws(TemplateStoreError) {
        let revision: StoreRevision? = try await write(size: 0) { [options] db in
            let deletedVersions = try db.deletedVersions()
            let aging = ChangeRequestTable.aging(
                of: try db.expiringChangeRequestHeaders(at: date), at: date
            ) { deletedVersions[$0] }
            for header in aging.removed { try db.remove(header) }
            for header in aging.marked { try db.mark(header) }
            var revision: StoreRevision?
            for header in aging.expired {
                revision =
                    try db.expire(header, at: date, keeping: options.keptChanges) ?? revision
            }
            return revision
        }
        if let revision { signal.advance(to: revision) }
    }
}

extension Database {
    /// The columns of a header.
    private static let headerColumns = """
        project, id, state, tag, update_time, deleted_version, size, scheduled_time, due_time,
        expiry_notice_time
        """

    /// A change request as stored; nil when there is none with this identifier.
    func changeRequest(
        id: String, inProject project: String, withContents: Bool
    ) throws -> StoredChangeRequest? {
        let contents =
            withContents
            ? ("base, content,", "LEFT JOIN change_request_contents USING (project, id)") : ("", "")
        return try Row.fetchOne(
            self,
            sql: """
                SELECT \(contents.0) record, \(Self.headerColumns)
                FROM change_requests \(contents.1)
                WHERE project = CAST(? AS BLOB) AND id = CAST(? AS BLOB)
                """, arguments: [SQLiteBytes(project), SQLiteBytes(id)]
        ).map { try StoredChangeRequest(row: $0, withContents: withContents) }
    }

    /// The headers of a project's change requests, as stored.
    func changeRequestHeaders(
        inProject project: String
    ) throws -> [ChangeRequestHeader] {
        try Row.fetchAll(
            self,
            sql: """
                SELECT \(Self.headerColumns) FROM change_requests WHERE project = CAST(? AS BLOB)
                """, arguments: [SQLiteBytes(project)]
        ).map { try ChangeRequestHeader(row: $0) }
    }

    /// The headers of the requests that may have to be marked, unmarked or removed.
    fileprivate func expiringChangeRequestHeaders(at date: Date) throws -> [ChangeRequestHeader] {
        let limit = date - TemplateStoreLimits.changeRequestLifetime
        return try Row.fetchAll(
            self,
            sql: """
                SELECT \(Self.headerColumns) FROM change_requests
                WHERE update_time <= ? OR expiry_notice_time IS NOT NULL
                """, arguments: [limit.millisecondsSince1970]
        ).compactMap { row in
            // A damaged one is reported where it is read, and keeps no others from their removal.
            try? ChangeRequestHeader(row: row)
        }
    }

    /// The headers of the requests with a next time.
    fileprivate func dueChangeRequestHeaders() throws -> [ChangeRequestHeader] {
        try Row.fetchAll(
            self,
            sql: """
                SELECT \(Self.headerColumns) FROM change_requests
                WHERE due_time IS NOT NULL
                """
        ).compactMap { row in
            // A damaged one is reported where it is read, and stops no other.
            try? ChangeRequestHeader(row: row)
        }
    }

    fileprivate func remove(_ header: ChangeRequestHeader) throws {
        try execute(
            sql: """
                DELETE FROM change_requests
                WHERE project = CAST(? AS BLOB) AND id = CAST(? AS BLOB)
                """, arguments: [SQLiteBytes(header.project), SQLiteBytes(header.id)])
    }

    /// Records the expiry of a request; nil for a damaged one, which is reported where it is read.
    fileprivate func expire(
        _ header: ChangeRequestHeader, at date: Date, keeping kept: Int
    ) throws -> StoreRevision? {
        let known = try? changeRequest(
            id: header.id, inProject: header.project, withContents: false)
        guard var expired = known else { return nil }
        expired.header = header
        let revision = try recordChange(
            .changeRequest(project: header.project, id: header.id), keeping: kept)
        try record(AuditEntry(ofExpired: expired, date: date, revision: revision))
        try upsert(expired)
        if let project = try projectID(header.project) {
            try enqueueDeliveries(
                of: [.changeRequest(step: ChangeRequestStep(expiryOf: expired))],
                date: date.roundedToMilliseconds, inProject: project)
        }
        return revision
    }

    /// Stores the mark of a header.
    fileprivate func mark(_ header: ChangeRequestHeader) throws {
        try execute(
            sql: """
                UPDATE change_requests SET expiry_notice_time = ?
                WHERE project = CAST(? AS BLOB) AND id = CAST(? AS BLOB)
                """,
            arguments: [
                header.expiryNoticeDate?.millisecondsSince1970, SQLiteBytes(header.project),
                SQLiteBytes(header.id),
            ])
    }

    /// Creates or replaces a request; without templates, a stored one keeps its own.
    func upsert(_ stored: StoredChangeRequest) throws {
        try execute(
            sql: """
                INSERT INTO change_requests (\(Self.headerColumns), record)
                VALUES (
                    CAST(?1 AS BLOB), CAST(?2 AS BLOB), ?3, CAST(?4 AS BLOB), ?5, ?6, ?7, ?8, ?9,
                    ?10, CAST(?11 AS BLOB)
                )
                ON CONFLICT (project, id) DO UPDATE SET
                    state = ?3, tag = excluded.tag, update_time = ?5, deleted_version = ?6,
                    size = ?7, scheduled_time = ?8, due_time = ?9, expiry_notice_time = ?10,
                    record = excluded.record
                """,
            arguments: [
                SQLiteBytes(stored.project), SQLiteBytes(stored.id), stored.state.rawValue,
                SQLiteBytes(stored.tag), stored.updateTime.millisecondsSince1970,
                stored.deletedVersion, stored.size,
                stored.scheduledDate?.millisecondsSince1970, stored.dueDate?.millisecondsSince1970,
                stored.expiryNoticeDate?.millisecondsSince1970,
                SQLiteBytes(stored.request.record),
            ])
        guard let contents = stored.contents else { return }
        try execute(
            sql: """
                INSERT INTO change_request_contents (project, id, base, content)
                VALUES (
                    CAST(? AS BLOB), CAST(? AS BLOB), CAST(? AS BLOB), CAST(? AS BLOB)
                )
                ON CONFLICT (project, id) DO UPDATE SET
                    base = excluded.base, content = excluded.content
                """,
            arguments: [
                SQLiteBytes(stored.project), SQLiteBytes(stored.id), SQLiteBytes(contents.base),
                SQLiteBytes(contents.edited),
            ])
    }
}

extension Row {
    /// A time in milliseconds since 1970; nil for NULL.
    fileprivate func date(forColumn name: String) throws -> Date? {
        try decode(Int64?.self, forColumn: name).map(Date.init(millisecondsSince1970:))
    }
}

extension ChangeRequestHeader {
    fileprivate init(row: Row) throws {
        let name = try row.decode(String.self, forColumn: "state")
        guard let state = StoredChangeRequest.State(rawValue: name) else {
            throw TemplateStoreError(
                .damaged,
                "A change request has the unknown state '\(name)': put a backup in the place of "
                    + "the database.")
        }
        self.init(
            project: try row.decode(SQLiteBytes.self, forColumn: "project").text,
            id: try row.decode(SQLiteBytes.self, forColumn: "id").text, state: state,
            tag: try row.decode(SQLiteBytes.self, forColumn: "tag").text,
            updateTime: Date(
                millisecondsSince1970: try row.decode(Int64.self, forColumn: "update_time")),
            deletedVersion: try row.decode(Int?.self, forColumn: "deleted_version"),
            size: try row.decode(Int.self, forColumn: "size"),
            scheduledDate: try row.date(forColumn: "scheduled_time"),
            dueDate: try row.date(forColumn: "due_time"))
        expiryNoticeDate = try row.date(forColumn: "expiry_notice_time")
    }
}

extension StoredChangeRequest {
    init(row: Row, withContents: Bool) throws {
        self.init(
            header: try ChangeRequestHeader(row: row),
            request: try ChangeRequest(record: try row.decode(Data.self, forColumn: "record")),
            contents: withContents
                ? ChangeRequestContents(
                    base: try row.decode(Data.self, forColumn: "base"),
                    edited: try row.decode(Data.self, forColumn: "content")) : nil)
    }
}
