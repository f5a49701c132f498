import Foundation
import GRDB
import TemplateStore

/// The steps that open a database: it is only read until it is known to be ours.
struct SQLiteOpening: Sendable {
    /// How often it is tried while another process makes the same database.
    private static let attempts = 50
    /// The seconds between two attempts.
    private static let pause = 0.1
    /// The value of `PRAGMA synchronous` by which a commit is on the disk.
    private static let synchronousFull = 2

    /// The fewest bytes of a database that is not empty.
    private static let smallestPage = 512

    let path: String
    let options: SQLiteStoreOptions

    /// Opens the database.
    func run() throws -> (DatabasePool, SQLiteFileGuard) {
        if try !SQLiteFileStatus.makeFile(at: path) { try inspect() }
        return try openPool()
    }

    /// Looks at a database that exists, without the right to write.
    private func inspect() throws {
        var isDirectory: ObjCBool = false
        let exists = unsafe FileManager.default.fileExists(
            atPath: path, isDirectory: &isDirectory)
        if exists, isDirectory.boolValue {
            throw TemplateStoreError(
                .unavailable, "'\(path)' is a folder: give the path of a file in it.")
        }
        // SQLite takes a file that is smaller than a page for an empty one, and would write over it.
        let size = try SQLiteFileStatus.status(ofFileAt: path)?.size ?? 0
        if size > 0, size < Self.smallestPage { throw TemplateStoreError.damaged(at: path) }
        var configuration = configuration
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        _ = try queue.read { db in try SQLiteSchema.version(of: db, at: path) }
    }

    /// Opens the connections; more than one process may do so at the same time.
    private func openPool() throws -> (DatabasePool, SQLiteFileGuard) {
        for _ in 1..<Self.attempts {
            do {
                return try openPoolOnce()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // The change to a write-ahead log does not wait for others as all else does.
                Thread.sleep(forTimeInterval: Self.pause)
            }
        }
        return try openPoolOnce()
    }

    /// Opens the connections.
    private func openPoolOnce() throws -> (DatabasePool, SQLiteFileGuard) {
        let pool = try DatabasePool(path: path, configuration: configuration)
        let files = try pool.writeWithoutTransaction { db in
            // Not before, since the pool itself sets it to NORMAL when it begins.
            try db.execute(sql: "PRAGMA synchronous = FULL")
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == Self.synchronousFull else {
                throw TemplateStoreError(
                    .unavailable,
                    "SQLite does not promise to write '\(path)' to the disk: use another build of "
                        + "SQLite.")
            }
            try SQLiteSchema.migrate(db, at: path)
            return try SQLiteFileGuard(path: path, db)
        }
        return (pool, files)
    }

    /// How each connection is set up.
    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "TemplateStore"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(options.busyTimeout)
        configuration.prepareDatabase { [options] db in
            if db.configuration.readonly { return }
            // A log that grew once is cut again; 64 MB is the room of many big templates.
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
            if let pages = options.maximumPageCount {
                try db.execute(sql: "PRAGMA max_page_count = \(pages)")
            }
        }
        return configuration
    }
}
