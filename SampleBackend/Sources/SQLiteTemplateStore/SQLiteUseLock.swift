import TemplateStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A lock that each store holds while it has a database open.
///
/// The system releases it when the process ends, even if it is killed.
///
/// The lock is on the write-ahead log, which exists while a connection is open, and which a killed
/// process leaves behind. SQLite locks the other two files, and would lose its locks when this
/// descriptor is closed.
final class SQLiteUseLock: Sendable {
    /// Nil after ``release()``.
    private let descriptor: Locked<Int32?>

    /// Takes the lock.
    ///
    /// - Parameters:
    ///   - path: The path of the database; the caller must have a connection to it.
    ///   - prepare: Called when no other store has the database open; none can open it before the
    ///     call
    ///     returns.
    /// - Throws: ``TemplateStoreError`` with the code `unavailable` when a system call fails.
    init(path: String, whenAlone prepare: () -> Void) throws(TemplateStoreError) {
        let log = path + "-wal"
        let descriptor = unsafe open(log, O_RDONLY | O_CLOEXEC)
        self.descriptor = Locked(descriptor)
        guard descriptor >= 0 else { throw Self.cannotBeLocked(log) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { prepare() }
        // Another store holds the exclusive lock only while it prepares.
        while flock(descriptor, LOCK_SH) != 0 {
            guard errno == EINTR else { throw Self.cannotBeLocked(log) }
        }
    }

    /// True while a store has the database open.
    static func isHeld(path: String) -> Bool {
        let descriptor = unsafe open(path + "-wal", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private static func cannotBeLocked(_ log: String) -> TemplateStoreError {
        TemplateStoreError(
            .unavailable,
            "The file '\(log)' cannot be locked (\(SQLiteFileStatus.reason(errno))): check its "
                + "permissions, the limit of open files, and that its file system supports locks.")
    }

    /// Releases the lock; repeated calls have no effect.
    func release() {
        let descriptor = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let descriptor, descriptor >= 0 { _ = close(descriptor) }
    }

    deinit { release() }
}
