import Foundation
import TemplateStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The status of a file in the file system.
struct SQLiteFileStatus: Equatable {
    /// The identity of a file; a replacement at the same path has a different identity.
    struct Identity: Hashable {
        let device: UInt64
        /// The inode number.
        let file: UInt64
    }

    /// The time of the last change of the content.
    struct Modification: Hashable {
        /// Since 1970.
        let seconds: Int64
        /// Within the second.
        let nanoseconds: Int64
    }

    let identity: Identity
    /// In bytes.
    let size: Int64
    let modification: Modification
    /// False for a folder, a pipe or a device.
    let isFile: Bool
    /// True when others can read or write the file, or the group can write it.
    let isOpenToOthers: Bool

    /// Reads the status; nil when there is no file.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `unavailable` when the system call fails.
    static func status(ofFileAt path: String) throws(TemplateStoreError) -> SQLiteFileStatus? {
        var status = stat()
        if unsafe stat(path, &status) == 0 { return SQLiteFileStatus(status) }
        try checkIsAbsent(path, errno)
        return nil
    }

    /// The path to which a symbolic link leads, beside which SQLite keeps its other files; any other
    /// path as it is.
    static func target(ofLinkAt path: String) -> String {
        let files = FileManager.default
        guard (try? files.destinationOfSymbolicLink(atPath: path)) != nil,
            let target = unsafe realpath(path, nil)
        else { return path }
        defer { unsafe free(target) }
        return unsafe String(cString: target)
    }

    /// - Throws: ``TemplateStoreError`` with the code `unavailable` unless the system call failed
    ///   because
    ///   the file does not exist: the state of the file is then unknown.
    private static func checkIsAbsent(_ path: String, _ code: Int32) throws(TemplateStoreError) {
        if code == ENOENT || code == ENOTDIR { return }
        throw cannotBeLookedAt(path, code)
    }

    private static func cannotBeLookedAt(_ path: String, _ code: Int32) -> TemplateStoreError {
        TemplateStoreError(
            .unavailable,
            "The file '\(path)' cannot be checked now (\(reason(code))), so nothing is stored until "
                + "it can: check its permissions and the limit of open files.")
    }

    private init(_ status: stat) {
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            file: UInt64(truncatingIfNeeded: status.st_ino))
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modification = Modification(
            seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        isFile = status.st_mode & S_IFMT == S_IFREG
        isOpenToOthers = status.st_mode & 0o026 != 0
    }

    /// Creates an empty file that only its owner can read; false when the file exists.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `unavailable`.
    static func makeFile(at path: String) throws(TemplateStoreError) -> Bool {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            _ = close(descriptor)
            return true
        }
        let code = errno
        if code == EEXIST { return false }
        throw TemplateStoreError(
            .unavailable,
            "The file '\(path)' cannot be created (\(reason(code))): check that its folder exists and "
                + "that this user can write there.")
    }

    /// The first bytes of a file; fewer if the file is shorter, nil if it does not exist.
    ///
    /// Use only for the write-ahead log: closing any descriptor of the database or its index
    /// releases the locks that SQLite holds on that file.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `unavailable` when a system call fails.
    static func head(
        ofLogAt path: String, count: Int
    ) throws(TemplateStoreError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            try checkIsAbsent(path, errno)
            return nil
        }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = unsafe pread(descriptor, &bytes, count, 0)
        guard length >= 0 else { throw cannotBeLookedAt(path, errno) }
        return Array(bytes.prefix(length))
    }

    /// The system's message for an error number.
    static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

extension TemplateStoreError {
    /// The path of a database leads to a pipe, a device or a folder.
    static func notAFile(_ path: String) -> TemplateStoreError {
        TemplateStoreError(
            .unavailable, "'\(path)' is not a file: give the path of a database or a backup.")
    }
}
