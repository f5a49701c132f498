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

/// A folder of files that survive a crash: each is there as it was, or as it was to become, never
/// in between.
///
/// Files are for the owner alone (0600), the folder too (0700).
struct DurableFolder: Sendable {
    /// The folder's path, without a slash at its end.
    let path: String

    /// Makes what stands for a folder, which need not exist.
    init(_ url: URL) {
        let path = url.path(percentEncoded: false)
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The path of a file in the folder.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// The content of a file; nil when there is none.
    ///
    /// - Throws: when it cannot be read.
    func read(_ name: String) throws -> Data? {
        do {
            return try Data(contentsOf: URL(filePath: path(of: name)))
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
    }

    /// Writes a file under a temporary name, to the medium.
    ///
    /// It becomes visible by `rename`. A file that has that name, and no other, is written over: to
    /// free a file's blocks can take as long as to synchronize it.
    func writeTemporary(_ data: Data, as name: String) throws(StoreError) {
        let path = path(of: name)
        var file = openForWriting(path)
        if file >= 0, isShared(file) {
            close(file)
            unsafe unlink(path)
            file = openForWriting(path)
        }
        guard file >= 0 else { throw failure(.cannotWrite, path) }
        var error: StoreError?
        if fchmod(file, 0o600) != 0 || !writeAll(data, to: file)
            || ftruncate(file, off_t(data.count)) != 0 || !synchronize(file)
        {
            error = failure(.cannotWrite, path)
        }
        close(file)
        if let error {
            unsafe unlink(path)
            throw error
        }
    }

    /// Opens a file for writing, as it is.
    private func openForWriting(_ path: String) -> Int32 {
        unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// Whether a file that is open has a second name, and must not be written over.
    private func isShared(_ file: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(file, &status) != 0 || status.st_nlink != 1
    }

    /// Gives a file another name, in place of any file that has it.
    func rename(_ name: String, to newName: String) throws(StoreError) {
        guard systemRename(path(of: name), path(of: newName)) == 0 else {
            throw failure(.cannotWrite, path(of: newName))
        }
    }

    /// Gives a file a second name, in place of any file that has it; where the file system has no
    /// second names, the file only has the new one then.
    func link(_ name: String, as secondName: String) throws(StoreError) {
        unsafe unlink(path(of: secondName))
        if systemLink(path(of: name), path(of: secondName)) != 0 {
            try rename(name, to: secondName)
        }
    }

    /// Removes a file, if it is there.
    func remove(_ name: String) throws(StoreError) {
        guard unsafe unlink(path(of: name)) == 0 || errno == ENOENT else {
            throw failure(.cannotRemove, path(of: name))
        }
    }

    /// Whether a file is there.
    func contains(_ name: String) -> Bool { unsafe access(path(of: name), F_OK) == 0 }

    /// Brings the folder's list of names to the medium.
    func synchronize() throws(StoreError) {
        let folder = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw failure(.cannotWrite, path) }
        // Some file systems refuse this for a folder; there is nothing more to be done then.
        _ = fsync(folder)
        close(folder)
    }

    /// Makes the folder, if it is not there.
    func create() throws(StoreError) {
        if unsafe access(path, F_OK) == 0 { return }
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw StoreError(
                .cannotWrite, path: path, systemError: errno, systemMessage: "\(error)")
        }
    }

    /// Runs `body` while no other process and no other thread does so in this folder.
    func withLock<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        let lockPath = path(of: ".lock")
        let file = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(.cannotLock, lockPath) }
        // The lock goes with the descriptor, also when the process is killed.
        defer { close(file) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(.cannotLock, lockPath) }
        }
        return try body()
    }

    /// Writes all bytes of `data`, however many the system takes at a time.
    private func writeAll(_ data: Data, to file: Int32) -> Bool {
        unsafe data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = unsafe write(
                    file, bytes.baseAddress.map { unsafe $0 + offset }, bytes.count - offset)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                offset += count
            }
            return true
        }
    }

    /// Brings a file's content to the medium; Apple's `fsync` stops at the drive's cache.
    private func synchronize(_ file: Int32) -> Bool {
        #if canImport(Darwin)
            return fcntl(file, F_FULLFSYNC) == 0 || fsync(file) == 0
        #else
            return fsync(file) == 0
        #endif
    }

    /// The error of the system call that just failed.
    private func failure(_ code: StoreError.Code, _ path: String) -> StoreError {
        let number = errno
        let message = unsafe String(cString: strerror(number))
        return StoreError(code, path: path, systemError: number, systemMessage: message)
    }
}

/// The system's `rename`, which the method of that name hides.
private func systemRename(_ old: String, _ new: String) -> Int32 { unsafe rename(old, new) }

/// The system's `link`, which the method of that name hides.
private func systemLink(_ old: String, _ new: String) -> Int32 { unsafe link(old, new) }
