import TemplateStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A lock that every store holds while it has a database open; the system releases it when the
/// process ends, even when it is killed.
///
/// It is on the write-ahead log, which exists while a connection is open, and which a killed process
/// leaves. SQLite locks the other two files, and would lose its locks when this descriptor is closed.
final class SQLiteUseLock: Sendable {
    /// Nil after ``release()``.
    private let descriptor: Locked<Int32?>

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - path: The path of the database, on which the caller has a connection.
    ///   - prepare: Called when no other store has the database open; until it returns, none can be
    ///     opened.
    /// - Throws: ``TemplateStoreError`` with the code `unavailable` when a system call fails.
    init(path: String, whenAlone prepare: () -> Void) throws(TemplateStoreError) {
        let log = path + "-wal"
        let descriptor = unsafe open(log, O_RDONLY | O_CLOEXEC)
        self.descriptor = Locked(descriptor)
        guard descriptor >= 0 else { throw Self.cannotBeLocked(log) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { prepare() }
        // Another store holds the exclusive lock while it prepares only.
        while flock(descriptor, LOCK_SH) != 0 {
            guard errno == EINTR else { throw Self.cannotBeLocked(log) }
        }
    }

    private static func cannotBeLocked(_ log: String) -> TemplateStoreError {
        TemplateStoreError(
            .unavailable,
            "The file '\(log)' cannot be locked (\(SQLiteFileStatus.reason(errno))): check its "
                + "permissions, the limit of open files, and that its file system has locks.")
    }

    /// Releases the lock; repeating it has no effect.
    func release() {
        let descriptor = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let descriptor, descriptor >= 0 { _ = close(descriptor) }
    }

    deinit { release() }
}
