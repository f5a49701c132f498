import GRDB
package import TemplateStore

// The version floor, and backups, whose first change raises it.
extension SQLiteTemplateStore {
    /// Raises the version floor.
    package func raiseVersions(_ raise: VersionRaise) async throws(TemplateStoreError) -> Int {
        let (floor, revision) = try await write { [options] db in
            try db.raiseVersions(raise, keeping: options.keptChanges)
        }
        signal.advance(to: revision)
        return floor + 1
    }

    /// Marks a complete copy as a backup.
    package func markAsBackup() async throws(TemplateStoreError) {
        try await useWriter { db in
            try db.markAsBackup()
            _ = try db.checkpoint(.truncate)
        }
    }
}

extension Database {
    /// The floor of the version numbers; 0 until it is raised.
    func versionFloor() throws -> Int {
        let last = try Row.fetchOne(
            self,
            sql: """
                SELECT * FROM audit WHERE action = 'RAISE_VERSIONS' ORDER BY revision DESC LIMIT 1
                """)
        return try last.map(AuditEntry.init(row:))?.versionFloor ?? 0
    }

    func markAsBackup() throws {
        try execute(sql: "PRAGMA application_id = \(SQLiteSchema.backupApplicationID)")
    }

    /// Makes a backup an ordinary store, above the numbers that were published after the backup.
    func beginUse(ofBackup path: String, keeping kept: Int) throws {
        try execute(sql: "PRAGMA application_id = \(SQLiteSchema.applicationID)")
        _ = try raiseVersions(VersionRaise(reason: "use of the backup \(path)"), keeping: kept)
    }

    fileprivate func raiseVersions(
        _ raise: VersionRaise, keeping kept: Int
    ) throws -> (floor: Int, revision: StoreRevision) {
        let highest = try Int.fetchOne(
            self,
            sql: """
                SELECT max(
                    (SELECT ifnull(max(current_version), 0) FROM projects),
                    (SELECT ifnull(max(version), 0) FROM deleted_projects)
                )
                """)
        let revision = try recordChange(.versionFloor, keeping: kept)
        let entry = raise.entry(
            above: max(highest ?? 0, try versionFloor()), revision: revision)
        try record(entry)
        return (entry.versionFloor ?? 0, revision)
    }
}
