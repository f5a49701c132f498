import Dispatch
import GRDB
public import TemplateStore

/// A store in one file, an SQLite database.
///
/// Several processes of one machine may have it open at once. What a call has stored is on the disk
/// when it returns.
///
/// ```swift
/// let store = try await SQLiteTemplateStore(path: "/var/lib/config/templates.sqlite")
/// ```
public final class SQLiteTemplateStore: TemplateStore {
    /// The path of the database.
    public let path: String
    /// The connections.
    private let pool: DatabasePool
    /// The file that was opened.
    private let file: SQLiteFileIdentity
    /// What tests change.
    let options: SQLiteStoreOptions
    /// Says that there are changes.
    let signal: ChangeSignal
    /// Looks for what other processes write.
    let poller: SQLiteChangePoller
    /// What is under way.
    private let gate = OperationGate()
    /// When the use of each token was last written by this store, in milliseconds since 1970.
    let recordedUses = Locked<[String: Int64]>([:])

    /// Opens a database, or makes a new one that only this user can read.
    ///
    /// - Parameter path: The path of the file; its folder has to exist.
    /// - Throws: ``TemplateStoreError`` with the code `newerSchema` when a newer program wrote it,
    ///   `damaged` when it is no database of this program or broken, neither of which is touched;
    ///   else `unavailable`.
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
            (pool, file) = try opened.get()
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
        try await access { [pool] finish in
            pool.asyncRead { result in
                finish(Result { try body(try result.get()) })
            }
        }
    }

    /// Writes in one transaction, off the caller's thread; when it returns, that is durable.
    ///
    /// The cancellation of the caller's task does not stop it: half of an answer is none.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        try await access { [self] finish in
            pool.asyncWriteWithoutTransaction { db in
                finish(
                    Result {
                        try self.checkFile()
                        var value: Value?
                        try db.inTransaction(.immediate) {
                            value = try body(db)
                            return .commit
                        }
                        guard let value else { throw TemplateStoreError.closed }
                        return value
                    })
            }
        }
    }

    /// Uses the writing connection outside of a transaction.
    func useWriter<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(TemplateStoreError) -> Value {
        try await access { [pool] finish in
            pool.asyncWriteWithoutTransaction { db in finish(Result { try body(db) }) }
        }
    }

    /// Copies the database to another while it is in use.
    func copy(to target: DatabaseQueue) async throws(TemplateStoreError) {
        try await access { [pool] finish in
            DispatchQueue.global().async { finish(Result { try pool.backup(to: target) }) }
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
            throw TemplateStoreError(error, at: path)
        }
    }

    /// Checks that the path still leads to the open file.
    func checkFile() throws(TemplateStoreError) {
        if SQLiteFileIdentity(path: path) == file { return }
        throw TemplateStoreError(
            .unavailable,
            "The file '\(path)' was moved or replaced while it was open: start this program again.")
    }

    /// Waits for what is under way, and closes the file; every sequence of changes ends.
    public func close() async {
        signal.finish()
        guard await gate.close() else { return }
        await withCheckedContinuation { [pool] continuation in
            DispatchQueue.global().async {
                // Nothing is lost when these fail: what was stored is on the disk already. The
                // pool closes its writer first, and SQLite then leaves all in the log; a copy of
                // the file alone should have it too. This waits for nobody.
                try? pool.writeWithoutTransaction { db in _ = try db.checkpoint(.passive) }
                try? pool.close()
                continuation.resume()
            }
        }
    }
}
