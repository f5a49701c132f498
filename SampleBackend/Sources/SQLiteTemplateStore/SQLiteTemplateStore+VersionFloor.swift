import GRDB
public import TemplateStore

// The version floor, and backups, whose first use raises it.
extension SQLiteTemplateStore {
    /// Raises the version floor.
    package func raiseVersions(_ raise: VersionRaise) async throws(TemplateStoreError) -> Int {
        let (floor, revision) = try await write { [options] db in
            try db.raiseVersions(raise, keeping: options.keptChanges)
        }
        signal.advance(to: revision)
        return floor + 1
    }

    /// The version floor; 0 until it is raised.
    public func versionFloor() async throws(TemplateStoreError) -> Int {
        try await read { db in try db.versionFloor() }
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

    /// Makes a backup an ordinary store, above the numbers that were published after the backup.
    func beginUseOfBackup(at path: String, keeping kept: Int) throws {
        guard try SQLiteBackupChecksum.isPresent(in: self) else { return }
        try inTransaction(.immediate) {
            // Another process may have opened it first.
            if try SQLiteBackupChecksum.isPresent(in: self) {
                try SQLiteBackupChecksum.remove(from: self)
                _ = try raiseVersions(
                    VersionRaise(reason: "use of the backup \(path)"), keeping: kept)
            }
            return .commit
        }
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
        let (floor, entry) = try raise.applied(
            above: max(highest ?? 0, try versionFloor()), revision: revision)
        try record(entry)
        return (floor, revision)
    }
}
