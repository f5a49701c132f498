import GRDB
import GRDBSQLite
import TemplateStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A write that failed because the disk was full or broken.
///
/// The next small write may still fit into the log, so the readiness check tries one of the same
/// size.
struct SQLiteFailedWrite: Sendable {
    /// The most bytes of a trial write.
    private static let maximumTrial = 16 << 20

    /// Approximate size of the failed write in bytes.
    let size: Int
    let error: TemplateStoreError

    /// Recognizes a write error of about `size` bytes; nil for other errors, such as a lock of
    /// another process.
    ///
    /// `db` is the connection, right after the error.
    init?(_ error: DatabaseError, of size: Int, to db: Database, at path: String) {
        let systemError = unsafe sqlite3_system_errno(db.sqliteConnection)
        switch error.resultCode {
        case .SQLITE_FULL:
            self.error = .outOfSpace(at: path, error)
        case .SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemError):
            self.error = .outOfSpace(at: path, error, reason: SQLiteFileStatus.reason(systemError))
        case .SQLITE_IOERR
        where error.extendedResultCode == .SQLITE_IOERR_WRITE && systemError != EIO:
            // A write that was cut short at a limit leaves no reason.
            self.error = .outOfSpace(at: path, error)
        case .SQLITE_IOERR, .SQLITE_READONLY:
            self.error = TemplateStoreError(error, at: path)
        default: return nil
        }
        self.size = size
    }

    /// Writes about `size` bytes and rolls back, so that no other process ever sees them.
    ///
    /// `db` is the writing connection, in a transaction.
    static func tryAgain(_ size: Int, on db: Database, at path: String) throws {
        try db.inSavepoint {
            try db.execute(sql: "CREATE TABLE trial (content BLOB NOT NULL) STRICT")
            try db.execute(
                sql: "INSERT INTO trial VALUES (zeroblob(?))",
                arguments: [min(size, maximumTrial)])
            // Writes the pages to the log now instead of at the commit.
            let code = unsafe sqlite3_db_cacheflush(db.sqliteConnection)
            guard code == SQLITE_OK else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
            return .rollback
        }
    }
}

extension TemplateStoreError {
    /// The error of a write without room; `reason` is the system's, if it is not the disk.
    static func outOfSpace(
        at path: String, _ error: DatabaseError, reason: String? = nil
    ) -> TemplateStoreError {
        let cause = reason.map { " (\($0))" } ?? ""
        return TemplateStoreError(
            .outOfSpace,
            "There is no room for the database '\(path)'\(cause): free space on its disk.",
            underlyingError: error)
    }
}
