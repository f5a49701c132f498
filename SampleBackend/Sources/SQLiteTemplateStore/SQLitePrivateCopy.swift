import Foundation
import GRDB
import GRDBSQLite
import TemplateStore

/// A temporary copy of a database, so that reading a backup changes neither it nor its folder.
///
/// SQLite unlinks a temporary file when it creates it. So the copy has no name in any folder, and
/// the system frees it when the process ends, even if it is killed.
enum SQLitePrivateCopy {
    /// Errors of a file that cannot be read, or of a temporary folder without space.
    private static let copyErrors: [ResultCode] = [
        .SQLITE_CANTOPEN, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_PERM,
    ]

    /// Copies a database that no process uses, with the log that a killed process left; checks the
    /// whole content.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `damaged` when it is empty, damaged, or
    ///   belongs to another program; `otherSchema` or `incompleteCopy`; `unavailable` when it cannot
    ///   be copied.
    static func make(
        of original: String, _ configuration: Configuration
    ) throws(TemplateStoreError) -> DatabaseQueue {
        if let status = try SQLiteFileStatus.status(ofFileAt: original) {
            guard status.isFile else { throw .notAFile(original) }
            // SQLite would remove the log beside an empty file.
            guard status.size > 0 else { throw empty(original) }
        }
        do {
            // An empty path is that of a temporary file.
            let copy = try DatabaseQueue(path: "", configuration: configuration)
            try copy.writeWithoutTransaction { db in
                try fill(db, from: original)
                try check(db, of: original)
            }
            return copy
        } catch let error as DatabaseError where copyErrors.contains(error.resultCode) {
            throw TemplateStoreError(
                .unavailable,
                "The file '\(original)' cannot be copied to a temporary file: check that this user "
                    + "may read it and that the temporary folder has space for it, or name another "
                    + "folder with TMPDIR.",
                underlyingError: error)
        } catch {
            throw TemplateStoreError(error, at: original)
        }
    }

    /// Copies all pages.
    ///
    /// Since no process uses the original, it is read without locks and without an index of its log
    /// in shared memory, which would be a file beside it.
    private static func fill(_ db: Database, from original: String) throws {
        let hasLog = FileManager.default.fileExists(atPath: original + "-wal")
        let path =
            original.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? original
        let url =
            "file:" + (path.hasPrefix("/") ? "//" : "") + path
            + (hasLog ? "?vfs=unix-none" : "?immutable=1")
        var source: OpaquePointer?
        defer { _ = unsafe sqlite3_close(source) }
        try check(
            unsafe sqlite3_open_v2(url, &source, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil))
        try check(unsafe sqlite3_exec(source, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil))
        guard let backup = unsafe sqlite3_backup_init(db.sqliteConnection, "main", source, "main")
        else { return try check(unsafe sqlite3_errcode(db.sqliteConnection)) }
        _ = unsafe sqlite3_backup_step(backup, -1)
        try check(unsafe sqlite3_backup_finish(backup))
    }

    private static func check(_ code: Int32) throws(DatabaseError) {
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    private static func check(_ db: Database, of original: String) throws {
        guard try SQLiteSchema.isPresent(in: db, at: original) else { throw empty(original) }
        let faults = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        if let fault = faults.first, fault != "ok" { throw damaged(original, fault) }
        guard try SQLiteBackupChecksum.isKept(in: db) else {
            throw damaged(original, "its content does not match its checksum")
        }
    }

    private static func empty(_ original: String) -> TemplateStoreError {
        TemplateStoreError(
            .damaged,
            "The file '\(original)' is empty, so there is nothing to read or restore: give the path "
                + "of a backup.")
    }

    private static func damaged(_ original: String, _ fault: String) -> TemplateStoreError {
        TemplateStoreError(
            .damaged,
            "The file '\(original)' is damaged (\(fault)); it is unchanged: use another backup.")
    }
}
