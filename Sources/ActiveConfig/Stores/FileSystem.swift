import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// System calls of ``FileDefaultsStore``.
///
/// Tests make a call fail, be the last before the process ends, or be undone by a power loss.
package protocol FileSystem: Sendable {
    func openFile(at path: String, for purpose: FilePurpose) throws(SystemCallError) -> Int32
    func closeFile(_ file: Int32)
    /// In bytes.
    func size(ofFile file: Int32) throws(SystemCallError) -> Int
    /// Continues where the last read ended; 0 at the end of the file.
    func readFile(
        _ file: Int32, into bytes: UnsafeMutableRawBufferPointer
    ) throws(SystemCallError) -> Int
    /// Appends at least one of `bytes` and returns how many.
    func writeFile(
        _ file: Int32, _ bytes: UnsafeRawBufferPointer
    ) throws(SystemCallError) -> Int
    /// Makes a file's content, or a folder's list of names, durable.
    func synchronizeFile(_ file: Int32) throws(SystemCallError)
    /// Takes the exclusive lock; throws if it is taken, unless `mayWait`.
    func lockFile(_ file: Int32, mayWait: Bool) throws(SystemCallError)
    func unlockFile(_ file: Int32)
    /// Replaces any file of the new name.
    func renameFile(at path: String, to newPath: String) throws(SystemCallError)
    /// Hard link; the second name must be free.
    func linkFile(at path: String, as secondPath: String) throws(SystemCallError)
    func unlinkFile(at path: String) throws(SystemCallError)
    /// Only the owner can read it.
    func makeFolder(at path: String) throws(SystemCallError)
    /// Does not need permission to read it.
    func fileExists(at path: String) throws(SystemCallError) -> Bool
    func setProtection(
        _ protection: FileDefaultsStore.FileProtection, ofFileAt path: String
    ) throws(SystemCallError)
    func excludeFromBackup(folderAt path: String) throws(SystemCallError)
}

package enum FilePurpose: Sendable {
    /// Reading an existing file without ever blocking.
    case reading
    /// Writing a file that does not exist yet, which only its owner can read.
    case creating
    /// Locking an existing file.
    case locking
    /// Synchronizing a folder.
    case synchronizing
}

/// The `errno` of a failed system call.
package struct SystemCallError: Error, Hashable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }
}

package struct LocalFileSystem: FileSystem {
    package init() {}

    package func openFile(
        at path: String, for purpose: FilePurpose
    ) throws(SystemCallError) -> Int32 {
        let flags =
            switch purpose {
            // Without O_NONBLOCK, opening a pipe would block.
            case .reading: O_RDONLY | O_NONBLOCK
            case .creating: O_WRONLY | O_CREAT | O_EXCL
            case .locking: O_RDWR | O_NOFOLLOW
            case .synchronizing: O_RDONLY
            }
        return try check(unsafe open(path, flags | O_CLOEXEC, 0o600))
    }

    package func closeFile(_ file: Int32) { close(file) }

    package func size(ofFile file: Int32) throws(SystemCallError) -> Int {
        var status = stat()
        try check(unsafe fstat(file, &status))
        return Int(status.st_size)
    }

    package func readFile(
        _ file: Int32, into bytes: UnsafeMutableRawBufferPointer
    ) throws(SystemCallError) -> Int {
        try check(unsafe read(file, bytes.baseAddress, bytes.count))
    }

    package func writeFile(
        _ file: Int32, _ bytes: UnsafeRawBufferPointer
    ) throws(SystemCallError) -> Int {
        try check(unsafe write(file, bytes.baseAddress, bytes.count))
    }

    package func synchronizeFile(_ file: Int32) throws(SystemCallError) {
        #if canImport(Darwin)
            // Apple's `fsync` stops at the drive's cache; not every file system supports more.
            if fcntl(file, F_FULLFSYNC) == 0 { return }
        #endif
        try check(fsync(file))
    }

    package func lockFile(_ file: Int32, mayWait: Bool) throws(SystemCallError) {
        try check(flock(file, mayWait ? LOCK_EX : LOCK_EX | LOCK_NB))
    }

    package func unlockFile(_ file: Int32) { flock(file, LOCK_UN) }

    package func renameFile(at path: String, to newPath: String) throws(SystemCallError) {
        try check(unsafe rename(path, newPath))
    }

    package func linkFile(at path: String, as secondPath: String) throws(SystemCallError) {
        try check(unsafe link(path, secondPath))
    }

    package func unlinkFile(at path: String) throws(SystemCallError) {
        try check(unsafe unlink(path))
    }

    package func makeFolder(at path: String) throws(SystemCallError) {
        try check(unsafe mkdir(path, 0o700))
    }

    package func fileExists(at path: String) throws(SystemCallError) -> Bool {
        do throws(SystemCallError) {
            try check(unsafe access(path, F_OK))
            return true
        } catch {
            if error.number == ENOENT || error.number == ENOTDIR { return false }
            throw error
        }
    }

    package func setProtection(
        _ protection: FileDefaultsStore.FileProtection, ofFileAt path: String
    ) throws(SystemCallError) {
        #if canImport(Darwin) && !os(macOS)
            do {
                try FileManager.default.setAttributes(
                    [.protectionKey: protection.fileProtectionType], ofItemAtPath: path)
            } catch {
                throw SystemCallError(error)
            }
        #endif
    }

    package func excludeFromBackup(folderAt path: String) throws(SystemCallError) {
        #if canImport(Darwin)
            do {
                var url = URL(filePath: path, directoryHint: .isDirectory)
                let found = try url.resourceValues(forKeys: [.isExcludedFromBackupKey])
                if found.isExcludedFromBackup == true { return }
                var values = URLResourceValues()
                values.isExcludedFromBackup = true
                try url.setResourceValues(values)
            } catch {
                throw SystemCallError(error)
            }
        #endif
    }

    @discardableResult
    private func check<Result: SignedInteger>(_ result: Result) throws(SystemCallError) -> Result {
        if result < 0 { throw SystemCallError(errno) }
        return result
    }
}

#if canImport(Darwin)
    extension SystemCallError {
        /// The system call's error within an error of Foundation.
        fileprivate init(_ error: any Error) {
            let error = error as NSError
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
            self.init(cause.domain == NSPOSIXErrorDomain ? Int32(clamping: cause.code) : EIO)
        }
    }
#endif
