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

/// A write that failed because the disk was full, faulty or read-only.
///
/// A smaller write may still fit into the log, so the readiness check tries one of the same size.
struct SQLiteFailedWrite: Sendable {
    /// Maximum size of a trial write, in bytes.
    private static let maximumTrial = 16 << 20

    /// Approximate size of the failed write, in bytes.
    let size: Int
    let error: TemplateStoreError

    /// Recognizes a write error of about `size` bytes; nil for other errors, such as another
    /// process's lock.
    ///
    /// `db` is the connection, immediately after the error.
    init?(_ error: DatabaseError, of size: Int, to db: Database, at path: String) {
        let systemError =
            error.extendedResultCode == .SQLITE_IOERR_WRITE
            ? db.logErrorNumber : unsafe sqlite3_system_errno(db.sqliteConnection)
        switch error.resultCode {
        case .SQLITE_FULL:
            self.error = .outOfSpace(at: path, error)
        case .SQLITE_IOERR where [EROFS, EPERM, EACCES].contains(systemError):
            self.error = TemplateStoreError(
                DatabaseError(resultCode: .SQLITE_READONLY, message: error.message), at: path)
        case .SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(systemError):
            self.error = .outOfSpace(at: path, error, reason: SQLiteFileStatus.reason(systemError))
        case .SQLITE_IOERR, .SQLITE_READONLY:
            self.error = TemplateStoreError(error, at: path)
        default: return nil
        }
        self.size = size
    }

    /// Writes about `size` bytes and rolls back, so that other processes never see them.
    ///
    /// `db` is the writing connection, in a transaction.
    static func tryAgain(_ size: Int, on db: Database, at path: String) throws {
        try db.inSavepoint {
            try db.execute(sql: "CREATE TABLE trial (content BLOB NOT NULL) STRICT")
            try db.execute(
                sql: "INSERT INTO trial VALUES (zeroblob(?))",
                arguments: [min(size, maximumTrial)])
            // Write the pages to the log now rather than at the commit.
            let code = unsafe sqlite3_db_cacheflush(db.sqliteConnection)
            guard code == SQLITE_OK else {
                throw DatabaseError(resultCode: ResultCode(rawValue: code))
            }
            return .rollback
        }
    }
}

extension Database {
    /// True when the file was opened for reading only, because this user may not write it.
    var isFileReadOnly: Bool {
        unsafe sqlite3_db_readonly(sqliteConnection, "main") == 1
    }

    /// The system's error number of the last failed access to the write-ahead log, or 0.
    ///
    /// `sqlite3_system_errno` is that of the last system call, which is one of the rollback.
    fileprivate var logErrorNumber: Int32 {
        var log: UnsafeMutablePointer<sqlite3_file>?
        var number: Int32 = 0
        guard
            unsafe sqlite3_file_control(
                sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK,
            let log = unsafe log, let methods = unsafe log.pointee.pMethods,
            unsafe methods.pointee.xFileControl?(log, SQLITE_FCNTL_LAST_ERRNO, &number)
                == SQLITE_OK
        else { return 0 }
        return number
    }
}

extension TemplateStoreError {
    /// The error of a write without space; `reason` is the system's reason unless the disk is full.
    static func outOfSpace(
        at path: String, _ error: DatabaseError, reason: String? = nil
    ) -> TemplateStoreError {
        let cause = reason.map { " (\($0))" } ?? ""
        return TemplateStoreError(
            .outOfSpace,
            "There is no space for the database '\(path)'\(cause): free space on its disk.",
            underlyingError: error)
    }
}
