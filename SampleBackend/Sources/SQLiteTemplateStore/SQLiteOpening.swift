import Foundation
import GRDB
import TemplateStore

/// The steps that open a database.
///
/// They only read it until it is known to belong to this program.
struct SQLiteOpening: Sendable {
    typealias Opened = (DatabasePool, SQLiteFileGuard, SQLiteUseLock)

    /// Maximum number of attempts while another process creates the same database.
    private static let attempts = 50
    /// Seconds between two attempts.
    private static let pause = 0.1
    /// The value of `PRAGMA synchronous` that makes a commit durable.
    private static let synchronousFull = 2

    /// Minimum size of a database that is not empty, in bytes.
    private static let smallestPage = 512

    let path: String
    let options: SQLiteStoreOptions

    /// Opens the database.
    func run() throws -> Opened {
        if try !SQLiteFileStatus.makeFile(at: path) { try inspect() }
        return try openPool()
    }

    /// Inspects an existing database on a read-only connection.
    private func inspect() throws {
        var isDirectory: ObjCBool = false
        let exists = unsafe FileManager.default.fileExists(
            atPath: path, isDirectory: &isDirectory)
        if exists, isDirectory.boolValue {
            throw TemplateStoreError(
                .unavailable, "'\(path)' is a folder: give the path of a file in it.")
        }
        // SQLite treats a file smaller than a page as empty, and would overwrite it.
        let status = try SQLiteFileStatus.status(ofFileAt: path)
        // Opening a pipe would wait for its other end.
        if let status, !status.isFile { throw TemplateStoreError.notAFile(path) }
        let size = status?.size ?? 0
        if size > 0, size < Self.smallestPage { throw TemplateStoreError.damaged(at: path) }
        var configuration = Self.configuration(options)
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        _ = try queue.read { db in try SQLiteSchema.isPresent(in: db, at: path) }
    }

    /// Opens the connections; several processes can do so concurrently.
    private func openPool() throws -> Opened {
        for _ in 1..<Self.attempts {
            do {
                return try openPoolOnce()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // Unlike other operations, the switch to a write-ahead log does not wait for other
                // processes.
                Thread.sleep(forTimeInterval: Self.pause)
            }
        }
        return try openPoolOnce()
    }

    private func openPoolOnce() throws -> Opened {
        let pool = try DatabasePool(path: path, configuration: Self.configuration(options))
        return try pool.writeWithoutTransaction { db in
            // Not earlier, since the pool itself sets NORMAL when it starts.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == Self.synchronousFull else {
                throw TemplateStoreError(
                    .unavailable,
                    "SQLite does not guarantee to write '\(path)' to the disk: use another build of "
                        + "SQLite.")
            }
            try SQLiteSchema.createIfNeeded(in: db, at: path)
            try db.beginUseOfBackup(at: path, keeping: options.keptChanges)
            let files = try SQLiteFileGuard(path: path, db)
            let useLock = try SQLiteUseLock(path: path) {
                // If this fails, the claims end by themselves.
                try? db.releaseClaims()
            }
            return (pool, files, useLock)
        }
    }

    /// The configuration of each connection.
    static func configuration(_ options: SQLiteStoreOptions) -> Configuration {
        var configuration = Configuration()
        configuration.label = "TemplateStore"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(options.busyTimeout)
        configuration.prepareDatabase { db in
            if db.configuration.readonly { return }
            // Truncates a log that has grown; 64 MB hold many large templates.
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
            if let pages = options.maximumPageCount {
                try db.execute(sql: "PRAGMA max_page_count = \(pages)")
            }
        }
        return configuration
    }
}
