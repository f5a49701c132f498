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

/// The system calls of ``FileDefaultsStore``, in place of which a test puts its own: each can fail,
/// be the last one, or be lost with the power.
package protocol FileSystem: Sendable {
    /// Opens a file or a folder.
    func openFile(at path: String, for purpose: FilePurpose) throws(SystemCallError) -> Int32
    /// Closes it.
    func closeFile(_ file: Int32)
    /// Its size in bytes.
    func size(ofFile file: Int32) throws(SystemCallError) -> Int
    /// Reads into `bytes`, from where the last read ended.
    ///
    /// - Returns: How many bytes were read; 0 at the end.
    func readFile(
        _ file: Int32, into bytes: UnsafeMutableRawBufferPointer
    ) throws(SystemCallError) -> Int
    /// Writes some of `bytes`, behind what was written before.
    ///
    /// - Returns: How many bytes were written, at least one.
    func writeFile(
        _ file: Int32, _ bytes: UnsafeRawBufferPointer
    ) throws(SystemCallError) -> Int
    /// Brings a file's content, or a folder's list of names, to the medium.
    func synchronizeFile(_ file: Int32) throws(SystemCallError)
    /// Takes the only lock on a file: at once, or not at all, unless it may wait.
    func lockFile(_ file: Int32, mayWait: Bool) throws(SystemCallError)
    /// Gives the lock back.
    func unlockFile(_ file: Int32)
    /// Gives a file another name, in place of any file that has it.
    func renameFile(at path: String, to newPath: String) throws(SystemCallError)
    /// Gives a file a second name, which must be free.
    func linkFile(at path: String, as secondPath: String) throws(SystemCallError)
    /// Removes a name of a file.
    func unlinkFile(at path: String) throws(SystemCallError)
    /// Makes a folder for its owner alone.
    func makeFolder(at path: String) throws(SystemCallError)
    /// Whether something has a name. This needs no right to read it.
    func fileExists(at path: String) throws(SystemCallError) -> Bool
    /// Sets a file's class of protection.
    func setProtection(
        _ protection: FileDefaultsStore.FileProtection, ofFileAt path: String
    ) throws(SystemCallError)
    /// Leaves a folder out of backups.
    func excludeFromBackup(folderAt path: String) throws(SystemCallError)
}

/// What a file is opened for.
package enum FilePurpose: Sendable {
    /// Reading what is there, without ever waiting for it.
    case reading
    /// Writing a file that is not there yet, for its owner alone.
    case creating
    /// Locking a file that is there.
    case locking
    /// Synchronizing a folder.
    case synchronizing
}

/// The number, as in `errno`, of a system call that failed.
package struct SystemCallError: Error, Hashable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }
}

/// The system calls themselves.
package struct LocalFileSystem: FileSystem {
    package init() {}

    package func openFile(
        at path: String, for purpose: FilePurpose
    ) throws(SystemCallError) -> Int32 {
        let flags =
            switch purpose {
            // A pipe in place of a file would else hold up who opens it.
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
            // Apple's `fsync` stops at the drive's cache; not every file system goes further.
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

    /// Throws when a system call's result is negative, and else gives the result.
    @discardableResult
    private func check<Result: SignedInteger>(_ result: Result) throws(SystemCallError) -> Result {
        if result < 0 { throw SystemCallError(errno) }
        return result
    }
}

#if canImport(Darwin)
    extension SystemCallError {
        /// The system call's error in one of Foundation's.
        fileprivate init(_ error: any Error) {
            let error = error as NSError
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
            self.init(cause.domain == NSPOSIXErrorDomain ? Int32(clamping: cause.code) : EIO)
        }
    }
#endif
