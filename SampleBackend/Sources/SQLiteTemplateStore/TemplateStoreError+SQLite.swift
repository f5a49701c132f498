import GRDB
import TemplateStore

extension TemplateStoreError {
    /// Creates the error for a failed access to a database.
    init(_ error: any Error, at path: String) {
        switch error {
        case let error as TemplateStoreError: self = error
        case let error as DatabaseError: self.init(sqlite: error, at: path)
        case is RowDecodingError: self = .damaged(at: path, error)
        default:
            self.init(
                .unavailable, "The database '\(path)' cannot be used: see the cause and try again.",
                underlyingError: error)
        }
    }

    private init(sqlite error: DatabaseError, at path: String) {
        let message: String
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_MISMATCH:
            self = .damaged(at: path, error)
            return
        case .SQLITE_FULL:
            self = .outOfSpace(at: path, error)
            return
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL:
            message =
                "Another process holds the database '\(path)': try again, and end that process "
                + "if this persists."
        case .SQLITE_IOERR:
            message =
                "The disk of the database '\(path)' fails: check the disk and its file system."
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self = TemplateStoreError(
                .readOnly,
                "The database '\(path)' cannot be written: make it, the files beside it and its "
                    + "folder writable for this user.", underlyingError: error)
            return
        case .SQLITE_CANTOPEN:
            message =
                "The database '\(path)' cannot be opened: check that its folder exists and that "
                + "this user can write there."
        case .SQLITE_TOOBIG:
            message =
                "The content for '\(path)' is too large for a database: make it smaller."
        default:
            message = "The database '\(path)' cannot be used: see the cause and try again."
        }
        self.init(.unavailable, message, underlyingError: error)
    }

    /// The error for a file that is damaged or not a database, with an optional cause.
    static func damaged(at path: String, _ error: (any Error)? = nil) -> TemplateStoreError {
        TemplateStoreError(
            .damaged,
            "The file '\(path)' is damaged or not a database; it is unchanged: put a backup in "
                + "its place, or give another path.", underlyingError: error)
    }
}
