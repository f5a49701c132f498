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

    /// Runs `body` while no other process and no other thread does so in this folder, which is made
    /// if it is not there.
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

    /// The same in a folder that is there, at once: it throws while somebody else has the lock.
    func withLockIfFree<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let file = try open(Self.lockFile, for: .locking)
        defer { system.closeFile(file) }
        try lock(file, mayWait: false)
        defer { system.unlockFile(file) }
        return try body()
    }

    /// Opens the file that is locked.
    ///
    /// Whoever makes it has synchronized the folders above before, so that its presence says that
    /// this was done.
    private func openLock() throws(StoreError) -> Int32 {
        if let file = try? open(Self.lockFile, for: .locking) { return file }
        do throws(SystemCallError) {
            try makeFolders()
        } catch {
            throw StoreError(.cannotWrite, path: path, error)
        }
        if let file = try? open(Self.lockFile, for: .creating) { return file }
        // Another process was faster, or this gives the error.
        return try open(Self.lockFile, for: .locking)
    }

    private func open(_ name: String, for purpose: FilePurpose) throws(StoreError) -> Int32 {
        do throws(SystemCallError) {
            return try system.openFile(at: path(of: name), for: purpose)
        } catch {
            throw StoreError(.cannotLock, path: path(of: name), error)
        }
    }

    /// Takes the lock.
    ///
    /// It goes with the process when that is killed. To close the file is not enough: a process that
    /// was started meanwhile has it open as well, until it is on its way.
    private func lock(_ file: Int32, mayWait: Bool) throws(StoreError) {
        do throws(SystemCallError) {
            try uninterrupted { () throws(SystemCallError) in
                try system.lockFile(file, mayWait: mayWait)
            }
        } catch {
            throw StoreError(.cannotLock, path: path(of: Self.lockFile), error)
        }
    }

    /// Makes the folder and those above it, each synchronized in the one above before the next is
    /// made, so that only the last one that is there can be unknown to the medium: one that somebody
    /// made who died.
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

    /// Synchronizes a folder above, unless it belongs to somebody who does not let us.
    private func synchronizeAncestor(at path: String) throws(SystemCallError) {
        do throws(SystemCallError) {
            try synchronizeFolder(at: path)
        } catch {
            if error.number != EACCES, error.number != EPERM { throw error }
        }
    }
}
