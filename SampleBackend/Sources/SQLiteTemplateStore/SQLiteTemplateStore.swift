import Dispatch
import GRDB
public import TemplateStore

/// A store in a single SQLite database file.
///
/// Several processes on one machine can have it open at the same time. The changes of a call are
/// durable when it returns.
///
/// ```swift
/// let store = try await SQLiteTemplateStore(path: "/var/lib/config/templates.sqlite")
/// ```
public final class SQLiteTemplateStore: TemplateStore {
    /// The path of the database, or of the original of a private copy.
    public let path: String
    /// A `DatabasePool`, or the only connection to a private copy.
    private let database: any DatabaseWriter
    /// Connections to overwritten databases; they are never closed.
    private static let abandoned = Locked<[any DatabaseWriter]>([])

    /// Detects that the files are no longer the opened ones; nil for a private copy.
    private let files: SQLiteFileGuard?
    private let useLock: SQLiteUseLock?
    /// The last write that failed because the disk was full or faulty.
    private let failedWrite = Locked<SQLiteFailedWrite?>(nil)
    private let hasWritten = Locked(false)
    let options: SQLiteStoreOptions
    /// Wakes the readers of changes.
    let signal: ChangeSignal
    /// Polls for changes by other processes.
    let poller: SQLiteChangePoller
    private let gate = OperationGate()
    /// Time of the last recorded use of each token by this store, in milliseconds since 1970.
    let recordedUses = Locked<[String: Int64]>([:])  // names: IDs of tokens are made here

    /// Opens a database, or creates one that only this user can read.
    ///
    /// - Parameter path: The path of the file; its folder must exist.
    /// - Throws: ``TemplateStoreError`` with the code `otherSchema` when another version of the program
    ///   wrote the database, or `damaged` when it is damaged or belongs to another program; both leave it
    ///   unchanged. Otherwise `unavailable`.
    public convenience init(path: String) async throws(TemplateStoreError) {
        try await self.init(path: path, options: SQLiteStoreOptions())
    }

    /// Opens a database with other limits.
    package convenience init(
        path: String, options: SQLiteStoreOptions
    ) async throws(TemplateStoreError) {
        let path = SQLiteFileStatus.target(ofLinkAt: path)
        let opening = SQLiteOpening(path: path, options: options)
        let opened = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { try opening.run() })
            }
        }
        do {
            let (pool, files, useLock) = try opened.get()
            self.init(pool, files: files, useLock: useLock, path: path, options: options)
        } catch {
            throw TemplateStoreError(error, at: path)
        }
    }

    /// Creates a store of open connections; `files` and `useLock` are nil for a private copy.
    init(
        _ database: any DatabaseWriter, files: SQLiteFileGuard?, useLock: SQLiteUseLock?,
        path: String, options: SQLiteStoreOptions
    ) {
        self.database = database
        self.files = files
        self.useLock = useLock
        self.path = path
        self.options = options
        signal = ChangeSignal(.zero)
        poller = SQLiteChangePoller(interval: options.pollInterval, signal: signal)
    }

    /// Reads in one transaction, off the caller's thread.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        try await access { [database, files] finish in
            database.asyncRead { result in
                finish(
                    Result {
                        let db = try result.get()
                        try files?.check(db)
                        return try body(db)
                    })
            }
        }
    }

    /// Writes in one transaction, off the caller's thread; the changes are durable when the call
    /// returns.
    ///
    /// Cancelling the caller's task does not stop the write, since a partial result would be
    /// useless. `size` is the approximate number of bytes to write.
    func write<Value: Sendable>(
        size: Int = 0, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        try await access { [self] finish in
            database.asyncWriteWithoutTransaction { db in
                finish(Result { try self.write(size: size, to: db, body) })
            }
        }
    }

    /// Writes in one transaction on the writing connection.
    private func write<Value>(
        size: Int, to db: Database, _ body: (Database) throws -> Value
    ) throws -> Value {
        try files?.check(db)
        var value: Value?
        do {
            // SQLite opens a file that it may not write for reading only, and then begins even an
            // immediate transaction.
            if db.isFileReadOnly { throw DatabaseError(resultCode: .SQLITE_READONLY) }
            try db.inTransaction(.immediate) {
                // Another version of the program may use the database since it was opened.
                _ = try SQLiteSchema.isPresent(in: db, at: path)
                value = try body(db)
                return .commit
            }
            hasWritten.withLock { $0 = true }
        } catch let error as DatabaseError {
            guard let failure = SQLiteFailedWrite(error, of: size, to: db, at: path) else {
                throw error
            }
            failedWrite.withLock { $0 = failure.size < $0?.size ?? 0 ? $0 : failure }
            throw failure.error
        }
        // A commit to a removed file would be acknowledged but lost.
        try files?.checkAfterCommit(db)
        failedWrite.withLock { if size >= $0?.size ?? 0 { $0 = nil } }
        guard let value else { throw TemplateStoreError.closed }
        return value
    }

    /// Returns if the database can be read and written, otherwise throws.
    ///
    /// After a failed write, this writes about as many bytes and rolls back.
    public func checkReadiness() async throws(TemplateStoreError) {
        let size = failedWrite.withLock { $0?.size }
        // Starting a write takes the write lock; an empty transaction writes nothing.
        try await write(size: size ?? 0) { [path] db in
            _ = try db.latestRevision()
            if let size { try SQLiteFailedWrite.tryAgain(size, on: db, at: path) }
        }
    }

    /// Returns if the files may be written; a lock of another process does not matter.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `readOnly`.
    public func checkIsWritable() async throws(TemplateStoreError) {
        try await useWriter { db in
            if db.isFileReadOnly { throw DatabaseError(resultCode: .SQLITE_READONLY) }
            do {
                try db.inTransaction(.immediate) { .rollback }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
        }
    }

    /// Uses the writing connection outside of a transaction.
    func useWriter<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        try await access { [database] finish in
            database.asyncWriteWithoutTransaction { db in finish(Result { try body(db) }) }
        }
    }

    /// Copies the database, which can be in use, to an empty file.
    ///
    /// Pages without content are left out, since damage to them would go unnoticed.
    func copy(to target: String) async throws(TemplateStoreError) {
        try await access { [database, files] finish in
            DispatchQueue.global().async {
                finish(
                    Result {
                        try database.read { try files?.check($0) }
                        do {
                            // Unlike VACUUM, it needs no temporary file.
                            try database.unsafeRead {
                                try $0.execute(sql: "VACUUM INTO ?", arguments: [target])
                            }
                        } catch let error as DatabaseError
                            where error.resultCode == .SQLITE_FULL
                        {
                            // Only the target is written.
                            throw TemplateStoreError(error, at: target)
                        }
                        try database.read { try files?.check($0) }
                    })
            }
        }
    }

    /// Opens a connection that sees the current state of the database for its whole lifetime.
    func openSnapshot() async throws(TemplateStoreError) -> any DatabaseReader {
        try await access { [database, files] finish in
            DispatchQueue.global().async {
                finish(
                    Result {
                        // Nothing else writes a private copy.
                        guard let pool = database as? DatabasePool else { return database }
                        try pool.read { try files?.check($0) }
                        return try pool.makeSnapshot()
                    })
            }
        }
    }

    /// Starts an access unless the store is closed, and waits for its end.
    private func access<Value: Sendable>(
        _ start: (_ finish: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
    ) async throws(TemplateStoreError) -> Value {
        try gate.enter()
        defer { gate.leave() }
        let result = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: $0) }
        }
        do {
            return try result.get()
        } catch {
            let fault = error is TemplateStoreError ? nil : files?.currentFault()
            let error = fault ?? TemplateStoreError(error, at: path)
            if error.code == .filesReplaced { await save() }
            throw error
        }
    }

    /// Saves the content of a log that was removed.
    private func save() async {
        await withCheckedContinuation { [database, files] continuation in
            database.asyncWriteWithoutTransaction { db in
                files?.save(db)
                continuation.resume()
            }
        }
    }

    /// Waits for running operations and closes the file; all sequences of changes end.
    public func close() async {
        signal.finish()
        guard await gate.close() else { return }
        useLock?.release()
        // Closing the connections would write the log into the database.
        if files?.isContentForeign == true {
            return Self.abandoned.withLock { $0.append(database) }
        }
        let checkpoints = hasWritten.withLock { $0 }
        await withCheckedContinuation { [database] continuation in
            DispatchQueue.global().async {
                // Nothing is lost if these fail: the stored content is already on the disk. The
                // pool closes its writer first, so SQLite leaves everything in the log, but a copy
                // of the file alone should contain it, too. The passive checkpoint does not block.
                // A process that only reads, such as a backup, must not change the file: another
                // process with the file open could not distinguish an overwrite from this
                // checkpoint.
                if checkpoints {
                    try? database.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
                }
                try? database.close()
                continuation.resume()
            }
        }
    }
}

/// Settings of a ``SQLiteTemplateStore`` that only tests change.
package struct SQLiteStoreOptions: Sendable {
    /// Number of changes that are kept for readers.
    package var keptChanges = TemplateStoreLimits.keptChanges
    /// Seconds to wait for another process's write.
    package var busyTimeout = 5.0
    /// The pause between two polls for other processes' changes.
    package var pollInterval = Duration.milliseconds(100)
    /// Maximum number of pages in the file; nil for no limit.
    package var maximumPageCount: Int?

    package init() {}
}
