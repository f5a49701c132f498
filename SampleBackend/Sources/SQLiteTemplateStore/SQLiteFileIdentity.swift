import TemplateStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Which file a path leads to, so that it is noticed when another one is put in its place.
///
/// An open database goes on with the old file then, and what it stores would be lost.
struct SQLiteFileIdentity: Equatable {
    /// The number of the device.
    private let device: UInt64
    /// The number of the file on the device.
    private let file: UInt64

    /// The size of the file at a path in bytes; 0 when there is none.
    static func size(path: String) -> Int64 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return 0 }
        return Int64(status.st_size)
    }

    /// Looks at a path; nil when nothing is there.
    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: status.st_dev)
        file = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// Makes an empty file that only its owner can read, unless there is something already.
    ///
    /// - Parameter path: The path.
    /// - Returns: Whether the file was made.
    /// - Throws: ``TemplateStoreError`` with the code `unavailable`.
    static func makeFile(at path: String) throws(TemplateStoreError) -> Bool {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            _ = close(descriptor)
            return true
        }
        let code = errno
        if code == EEXIST { return false }
        let reason = unsafe String(cString: strerror(code))
        throw TemplateStoreError(
            .unavailable,
            "The file '\(path)' cannot be made (\(reason)): check that its folder exists and that "
                + "this user may write there.")
    }
}
