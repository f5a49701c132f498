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

/// A folder of files that are written once, synchronized, and then only renamed, so that a name
/// always stands for a whole file, whenever the process or the power ends.
///
/// Files are for the owner alone (0600), the folder too (0700).
struct DurableFolder: Sendable {
    /// The folder's path, without a slash at its end.
    let path: String
    let system: any FileSystem
    private let protection: FileDefaultsStore.FileProtection
    let isExcludedFromBackup: Bool

    /// Makes what stands for a folder, which need not exist.
    init(
        _ url: URL, system: any FileSystem, protection: FileDefaultsStore.FileProtection,
        isExcludedFromBackup: Bool
    ) {
        let path = url.path(percentEncoded: false)
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.system = system
        self.protection = protection
        self.isExcludedFromBackup = isExcludedFromBackup
    }

    /// The path of a file in the folder.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// The content of a file, or its first bytes; nil when there is no such file.
    func read(_ name: String, upTo count: Int = .max) throws(StoreError) -> Data? {
        let path = path(of: name)
        do throws(SystemCallError) {
            let file = try system.openFile(at: path, for: .reading)
            defer { system.closeFile(file) }
            return try read(file, upTo: count)
        } catch {
            if error.saysAbsent { return nil }
            throw StoreError(.cannotRead, path: path, error)
        }
    }

    /// Whether a file is there.
    ///
    /// - Throws: when that cannot be told.
    func contains(_ name: String) throws(StoreError) -> Bool {
        let path = path(of: name)
        do throws(SystemCallError) {
            return try system.fileExists(at: path)
        } catch {
            throw StoreError(.cannotRead, path: path, error)
        }
    }

    /// Writes a new file, to the medium, in place of one that an earlier process left; when it fails
    /// there is none.
    func write(_ data: Data, as name: String) throws(StoreError) {
        // Not over the old file's content: that file may have another name on the medium.
        try remove(name)
        let path = path(of: name)
        do throws(SystemCallError) {
            let file = try system.openFile(at: path, for: .creating)
            defer { system.closeFile(file) }
            // Before there is anything to protect.
            try system.setProtection(protection, ofFileAt: path)
            try writeAll(data, to: file)
            try uninterrupted { () throws(SystemCallError) in try system.synchronizeFile(file) }
        } catch {
            try? remove(name)
            throw StoreError(.cannotWrite, path: path, error)
        }
    }

    /// Makes an empty file, unless it is there.
    ///
    /// - Returns: Whether it was made now.
    func make(_ name: String) throws(StoreError) -> Bool {
        let path = path(of: name)
        do throws(SystemCallError) {
            system.closeFile(try system.openFile(at: path, for: .creating))
            return true
        } catch {
            if error.number == EEXIST { return false }
            throw StoreError(.cannotWrite, path: path, error)
        }
    }

    /// Gives a file another name, in place of any file that has it.
    func rename(_ name: String, to newName: String) throws(StoreError) {
        do throws(SystemCallError) {
            try system.renameFile(at: path(of: name), to: path(of: newName))
        } catch {
            throw StoreError(.cannotWrite, path: path(of: newName), error)
        }
    }

    /// Gives a file a second name, in place of any file that has it; where the file system has no
    /// second names, a copy gets it.
    func link(_ name: String, as secondName: String) throws(StoreError) {
        try remove(secondName)
        do throws(SystemCallError) {
            try system.linkFile(at: path(of: name), as: path(of: secondName))
        } catch {
            guard let data = try read(name) else {
                throw StoreError(.cannotWrite, path: path(of: secondName), error)
            }
            try write(data, as: secondName)
        }
    }

    /// Removes a file, if it is there.
    func remove(_ name: String) throws(StoreError) {
        do throws(SystemCallError) {
            try system.unlinkFile(at: path(of: name))
        } catch {
            if error.saysAbsent { return }
            throw StoreError(.cannotRemove, path: path(of: name), error)
        }
    }

    /// Brings the folder's list of names to the medium.
    func synchronize() throws(StoreError) {
        do throws(SystemCallError) {
            try synchronizeFolder(at: path)
        } catch {
            throw StoreError(.cannotWrite, path: path, error)
        }
    }

    /// Synchronizes a folder.
    func synchronizeFolder(at path: String) throws(SystemCallError) {
        let folder = try system.openFile(at: path, for: .synchronizing)
        defer { system.closeFile(folder) }
        do throws(SystemCallError) {
            try uninterrupted { () throws(SystemCallError) in try system.synchronizeFile(folder) }
        } catch {
            // Some file systems cannot do this for a folder; there is nothing more to be done then.
            if error.number != EINVAL, error.number != ENOTSUP { throw error }
        }
    }

    private func read(_ file: Int32, upTo count: Int) throws(SystemCallError) -> Data {
        var data = Data(count: min(try system.size(ofFile: file), count))
        let result = unsafe data.withUnsafeMutableBytes { bytes in
            Result { () throws(SystemCallError) in
                var offset = 0
                while offset < bytes.count {
                    let count = try uninterrupted { () throws(SystemCallError) in
                        unsafe try system.readFile(
                            file, into: UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
                    }
                    if count == 0 { break }
                    offset += count
                }
                return offset
            }
        }
        return data.prefix(try result.get())
    }

    /// Writes all bytes of `data`, however many the system takes at a time.
    private func writeAll(_ data: Data, to file: Int32) throws(SystemCallError) {
        let result = unsafe data.withUnsafeBytes { bytes in
            Result { () throws(SystemCallError) in
                var offset = 0
                while offset < bytes.count {
                    offset += try uninterrupted { () throws(SystemCallError) in
                        unsafe try system.writeFile(
                            file, UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                    }
                }
            }
        }
        try result.get()
    }

    /// Makes a system call again as long as a signal interrupts it.
    func uninterrupted<Result>(
        _ call: () throws(SystemCallError) -> Result
    ) throws(SystemCallError) -> Result {
        while true {
            do throws(SystemCallError) {
                return try call()
            } catch {
                if error.number != EINTR { throw error }
            }
        }
    }
}

extension SystemCallError {
    /// Whether it says that there is no such file.
    fileprivate var saysAbsent: Bool { number == ENOENT || number == ENOTDIR }
}

extension StoreError {
    /// The error of a system call.
    init(_ code: Code, path: String, _ error: SystemCallError) {
        let message = unsafe String(cString: strerror(error.number))
        self.init(code, path: path, systemError: error.number, systemMessage: message)
    }
}
