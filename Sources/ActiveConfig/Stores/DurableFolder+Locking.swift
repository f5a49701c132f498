#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

extension DurableFolder {
    private static let lockFile = ".lock"

    /// Runs `body` with exclusive access among all threads and processes; creates the folder if
    /// needed.
    func withLock<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        let file = try openLock()
        defer { system.closeFile(file) }
        try lock(file, mayWait: true)
        defer { system.unlockFile(file) }
        if isExcludedFromBackup {
            do throws(SystemCallError) {
                try system.excludeFromBackup(folderAt: path)
            } catch {
                throw StoreError(.cannotWrite, path: path, error)
            }
        }
        return try body()
    }

    /// As `withLock(_:)` in an existing folder; throws instead of waiting for the lock.
    func withLockIfFree<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let file = try open(Self.lockFile, for: .locking)
        defer { system.closeFile(file) }
        try lock(file, mayWait: false)
        defer { system.unlockFile(file) }
        return try body()
    }

    /// Opens the lock file.
    ///
    /// Its creator synchronized the folders above first, so its presence implies that.
    private func openLock() throws(StoreError) -> Int32 {
        if let file = try? open(Self.lockFile, for: .locking) { return file }
        do throws(SystemCallError) {
            try makeFolders()
        } catch {
            throw StoreError(.cannotWrite, path: path, error)
        }
        if let file = try? open(Self.lockFile, for: .creating) { return file }
        // Another process can have created it since; if not, this throws.
        return try open(Self.lockFile, for: .locking)
    }

    private func open(_ name: String, for purpose: FilePurpose) throws(StoreError) -> Int32 {
        do throws(SystemCallError) {
            return try system.openFile(at: path(of: name), for: purpose)
        } catch {
            throw StoreError(.cannotLock, path: path(of: name), error)
        }
    }

    /// The system releases the lock of a killed process.
    ///
    /// Closing the file does not: a child process has it open as well until it calls `exec`.
    private func lock(_ file: Int32, mayWait: Bool) throws(StoreError) {
        do throws(SystemCallError) {
            try uninterrupted { () throws(SystemCallError) in
                try system.lockFile(file, mayWait: mayWait)
            }
        } catch {
            throw StoreError(.cannotLock, path: path(of: Self.lockFile), error)
        }
    }

    /// Creates the folder and its missing ancestors, each synchronized in its parent before the
    /// next is created.
    ///
    /// So at most the last existing one can be unsynchronized, if its creator died.
    private func makeFolders() throws(SystemCallError) {
        var missing: [String] = []
        var folder = path
        while try !system.fileExists(at: folder) {
            missing.append(folder)
            folder = Self.parent(of: folder)
        }
        try synchronizeAncestor(at: Self.parent(of: folder))
        for folder in missing.reversed() {
            do throws(SystemCallError) {
                try system.makeFolder(at: folder)
            } catch {
                if error.number != EEXIST { throw error }
            }
            try synchronizeAncestor(at: Self.parent(of: folder))
        }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return path == "." ? "/" : "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Ignores ancestors without permission.
    private func synchronizeAncestor(at path: String) throws(SystemCallError) {
        do throws(SystemCallError) {
            try synchronizeFolder(at: path)
        } catch {
            if error.number != EACCES, error.number != EPERM { throw error }
        }
    }
}
