public import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Pins values for a user, or removes them.
    public func setOverrides(_ change: OverridesChange) async throws(TemplateStoreError) {
        let revision: StoreRevision? = try await write { [options] db in
            guard
                let project = try Int64.fetchOne(
                    db, sql: "SELECT id FROM projects WHERE name = CAST(? AS BLOB)",
                    arguments: [SQLiteBytes(change.project)])
            else { throw TemplateStoreError.projectMissing(change.project) }
            try db.checkIsNotArchived(change.project)
            let before = try db.overrides(forUserID: change.userID, inProject: change.project)
            try change.checkExpectation(before)
            guard try db.setOverrides(change, inProject: project) else { return nil }
            let revision = try db.recordChange(
                .overrides(project: change.project, userID: change.userID),
                keeping: options.keptChanges)
            try db.record(AuditEntry(of: change, replacing: before, revision: revision))
            return revision
        }
        if let revision { signal.advance(to: revision) }
    }

    /// The pinned values of a user; nil when there are none.
    public func overrides(
        forUserID userID: String, inProject project: String
    ) async throws(TemplateStoreError) -> Data? {
        try await read { db in
            try db.overrides(forUserID: userID, inProject: project)
        }
    }
}

extension Database {
    fileprivate func overrides(forUserID userID: String, inProject project: String) throws -> Data?
    {
        try Data.fetchOne(
            self,
            sql: """
                SELECT content FROM overrides JOIN projects ON projects.id = overrides.project
                WHERE projects.name = CAST(? AS BLOB) AND user_id = CAST(? AS BLOB)
                """, arguments: [SQLiteBytes(project), SQLiteBytes(userID)])
    }

    /// Pins or removes values in the project with a number; false when nothing changes.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `tooManyOverrides`; a `DatabaseError`.
    fileprivate func setOverrides(
        _ change: OverridesChange, inProject project: Int64
    ) throws -> Bool {
        let user = SQLiteBytes(change.userID)
        guard let content = change.content else {
            try execute(
                sql: "DELETE FROM overrides WHERE project = ? AND user_id = CAST(? AS BLOB)",
                arguments: [project, user])
            return changesCount > 0
        }
        try execute(
            sql: """
                UPDATE overrides SET content = CAST(? AS BLOB)
                WHERE project = ? AND user_id = CAST(? AS BLOB)
                """, arguments: [SQLiteBytes(content), project, user])
        if changesCount > 0 { return true }
        let users =
            try Int.fetchOne(
                self, sql: "SELECT count(*) FROM overrides WHERE project = ?", arguments: [project])
            ?? 0
        if users >= TemplateStoreLimits.usersWithOverrides {
            throw TemplateStoreError.tooManyOverrides(inProject: change.project)
        }
        try execute(
            sql: """
                INSERT INTO overrides (project, user_id, content)
                VALUES (?, CAST(? AS BLOB), CAST(? AS BLOB))
                """, arguments: [project, user, SQLiteBytes(content)])
        return true
    }
}
