import Dispatch
import GRDB
public import TemplateStore

/// A store in one file, an SQLite database.
///
/// Several processes of one machine may have it open at once. The changes of a call are on the disk
/// when it returns.
///
/// ```swift
/// let store = try await SQLiteTemplateStore(path: "/var/lib/config/templates.sqlite")
/// ```
public final class SQLiteTemplateStore: TemplateStore {
    /// The path of the database.
    public let path: String
    private let pool: DatabasePool
    /// Connections to a database that was overwritten; they are never closed.
    private static let abandoned = Locked<[DatabasePool]>([])

    /// Detects that the files are no longer those that were opened.
    private let files: SQLiteFileGuard
    private let useLock: SQLiteUseLock
    /// The last write that failed for lack of room or of a working disk.
    private let failedWrite = Locked<SQLiteFailedWrite?>(nil)
    private let hasWritten = Locked(false)
    let options: SQLiteStoreOptions
    /// Wakes the readers of changes.
    let signal: ChangeSignal
    /// Polls for changes by other processes.
    let poller: SQLiteChangePoller
    private let gate = OperationGate()
    /// Time of the last recorded use of each token by this store, in milliseconds since 1970.
    let recordedUses = Locked<[String: Int64]>([:])

    /// Opens a database, or creates a new one that only this user can read.
    ///
    /// - Parameter path: The path of the file; its folder must exist.
    /// - Throws: ``TemplateStoreError`` with the code `newerSchema` when a newer program wrote it,
    ///   or `damaged` when it is damaged or not a database of this program; neither is touched.
    ///   Otherwise `unavailable`.
    public convenience init(path: String) async throws(TemplateStoreError) {
        try await self.init(path: path, options: SQLiteStoreOptions())
    }

    /// Opens a database with other limits.
    package init(
        path: String, options: SQLiteStoreOptions
    ) async throws(TemplateStoreError) {
        let opening = SQLiteOpening(path: path, options: options)
        let opened = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { try opening.run() })
            }
        }
        do {
            (pool, files, useLock) = try opened.get()
        } catch {
            throw TemplateStoreError(error, at: path)
        }
        self.path = path
        self.options = options
        signal = ChangeSignal(.zero)
        poller = SQLiteChangePoller(interval: options.pollInterval, signal: signal)
    }

    /// Reads in one transaction, off the caller's thread.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        try await access { [pool, files] finish in
            pool.asyncRead { result in
                finish(
                    Result {
                        let db = try result.get()
                        try files.check(db)
                        return try body(db)
                    })
            }
        }
    }

    /// Writes in one transaction, off the caller's thread; the changes are durable when it returns.
    ///
    /// Cancelling the caller's task does not stop it, since a partial answer would be useless.
    /// `size` is the approximate number of bytes to write.
    func write<Value: Sendable>(
        size: Int = 0, _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        try await access { [self] finish in
            pool.asyncWriteWithoutTransaction { db in
                finish(Result { try self.write(size: size, to: db, body) })
            }
        }
    }

    /// Writes in one transaction of the writing connection.
    private func write<Value>(
        size: Int, to db: Database, _ body: (Database) throws -> Value
    ) throws -> Value {
        try files.check(db)
        var value: Value?
        do {
            try db.inTransaction(.immediate) {
                // A newer program may have migrated the database since it was opened.
                _ = try SQLiteSchema.version(of: db, at: path)
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
        // A commit to a file that is now gone would be acknowledged and lost.
        try files.checkAfterCommit(db)
        failedWrite.withLock { if size >= $0?.size ?? 0 { $0 = nil } }
        guard let value else { throw TemplateStoreError.closed }
        return value
    }

    /// Returns when the database can be read and written, and throws when it cannot.
    ///
    /// After a failed write, about as many bytes are written and rolled back.
    public func checkReadiness() async throws(TemplateStoreError) {
        let size = failedWrite.withLock { $0?.size }
        // Beginning to write takes the write lock, and an empty transaction writes nothing.
        try await write(size: size ?? 0) { [path] db in
            _ = try db.latestRevision()
            if let size { try SQLiteFailedWrite.tryAgain(size, on: db, at: path) }
        }
    }

    /// Uses the writing connection outside a transaction.
    func useWriter<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        try await access { [pool] finish in
            pool.asyncWriteWithoutTransaction { db in finish(Result { try body(db) }) }
        }
    }

    /// Copies the database to another while it is in use.
    func copy(to target: DatabaseQueue) async throws(TemplateStoreError) {
        try await access { [pool, files] finish in
            DispatchQueue.global().async {
                finish(
                    Result {
                        try pool.read { try files.check($0) }
                        try pool.backup(to: target)
                        try pool.read { try files.check($0) }
                    })
            }
        }
    }

    /// Opens a connection that sees the database as it is now, for as long as it exists.
    func openSnapshot() async throws(TemplateStoreError) -> DatabaseSnapshot {
        try await access { [pool, files] finish in
            DispatchQueue.global().async {
                finish(
                    Result {
                        try pool.read { try files.check($0) }
                        return try pool.makeSnapshot()
                    })
            }
        }
    }

    /// Starts an access, unless the store is closed, and waits for its end.
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
            let fault = error is TemplateStoreError ? nil : files.currentFault()
            let error = fault ?? TemplateStoreError(error, at: path)
            if error.code == .filesReplaced { await save() }
            throw error
        }
    }

    /// Saves the content of a log that was removed.
    private func save() async {
        await withCheckedContinuation { [pool, files] continuation in
            pool.asyncWriteWithoutTransaction { db in
                files.save(db)
                continuation.resume()
            }
        }
    }

    /// Waits for running operations, and closes the file; every sequence of changes ends.
    public func close() async {
        signal.finish()
        guard await gate.close() else { return }
        useLock.release()
        // Closing the connections would write the log into the database.
        if files.isContentForeign { return Self.abandoned.withLock { $0.append(pool) } }
        let checkpoints = hasWritten.withLock { $0 }
        await withCheckedContinuation { [pool] continuation in
            DispatchQueue.global().async {
                // Nothing is lost when these fail: the stored content is on the disk already. The
                // pool closes its writer first, and SQLite then leaves everything in the log, but a
                // copy of the file alone should have it too. The passive checkpoint waits for
                // nobody. A process that only read, such as a backup, leaves the file alone:
                // another process that has it open could not distinguish an overwrite from this
                // checkpoint.
                if checkpoints {
                    try? pool.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
                }
                try? pool.close()
                continuation.resume()
            }
        }
    }
}

/// Settings of a ``SQLiteTemplateStore`` that only tests change.
package struct SQLiteStoreOptions: Sendable {
    /// The number of changes that are kept for readers.
    package var keptChanges = TemplateStoreLimits.keptChanges
    /// The seconds to wait for another process's write.
    package var busyTimeout = 5.0
    /// The pause between two polls for the changes of other processes.
    package var pollInterval = Duration.milliseconds(100)
    /// The most pages of the file; nil for no limit.
    package var maximumPageCount: Int?

    package init() {}
}
