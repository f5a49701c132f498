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

/// A folder of files that are written once, synchronized and then only renamed, so that a name
/// always refers to a complete file, even after a crash or a power loss.
///
/// Only the owner can read the files (0600) and the folder (0700).
struct DurableFolder: Sendable {
    /// Without a trailing slash.
    let path: String
    let system: any FileSystem
    private let protection: FileDefaultsStore.FileProtection
    let isExcludedFromBackup: Bool

    /// The folder need not exist.
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

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Limit of files read and written, in bytes, since a damaged file can claim any size.
    private static let maximumFileSize = 256 << 20

    /// The file's first `count` bytes, up to the size limit; nil when there is no such file.
    func read(_ name: String, upTo count: Int = maximumFileSize) throws(StoreError) -> Data? {
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

    /// - Throws: when it cannot be determined, for example for lack of permission.
    func contains(_ name: String) throws(StoreError) -> Bool {
        let path = path(of: name)
        do throws(SystemCallError) {
            return try system.fileExists(at: path)
        } catch {
            throw StoreError(.cannotRead, path: path, error)
        }
    }

    /// Writes and synchronizes a new file, replacing a leftover of that name; on failure no such
    /// file remains.
    func write(_ data: Data, as name: String) throws(StoreError) {
        let path = path(of: name)
        guard data.count <= Self.maximumFileSize else {
            throw StoreError(.cannotWrite, path: path, SystemCallError(EFBIG))
        }
        // Not overwritten: on the medium the old file can still have another name.
        try remove(name)
        do throws(SystemCallError) {
            let file = try system.openFile(at: path, for: .creating)
            defer { system.closeFile(file) }
            // Set before the file has content to protect.
            try system.setProtection(protection, ofFileAt: path)
            try writeAll(data, to: file)
            try uninterrupted { () throws(SystemCallError) in try system.synchronizeFile(file) }
        } catch {
            try? remove(name)
            throw StoreError(.cannotWrite, path: path, error)
        }
    }

    /// Creates an empty file; false when it exists.
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

    /// Replaces any file of the new name.
    func rename(_ name: String, to newName: String) throws(StoreError) {
        do throws(SystemCallError) {
            try system.renameFile(at: path(of: name), to: path(of: newName))
        } catch {
            throw StoreError(.cannotWrite, path: path(of: newName), error)
        }
    }

    /// Hard link, replacing any file of that name; a copy where the file system has no links.
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

    func remove(_ name: String) throws(StoreError) {
        do throws(SystemCallError) {
            try system.unlinkFile(at: path(of: name))
        } catch {
            if error.saysAbsent { return }
            throw StoreError(.cannotRemove, path: path(of: name), error)
        }
    }

    /// Makes the folder's list of names durable.
    func synchronize() throws(StoreError) {
        do throws(SystemCallError) {
            try synchronizeFolder(at: path)
        } catch {
            throw StoreError(.cannotWrite, path: path, error)
        }
    }

    func synchronizeFolder(at path: String) throws(SystemCallError) {
        let folder = try system.openFile(at: path, for: .synchronizing)
        defer { system.closeFile(folder) }
        do throws(SystemCallError) {
            try uninterrupted { () throws(SystemCallError) in try system.synchronizeFile(folder) }
        } catch {
            // Some file systems cannot synchronize folders.
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

    /// Retries a system call that a signal interrupts.
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
    fileprivate var saysAbsent: Bool { number == ENOENT || number == ENOTDIR }
}

extension StoreError {
    init(_ code: Code, path: String, _ error: SystemCallError) {
        let message = unsafe String(cString: strerror(error.number))
        self.init(
            code, path: path,
            underlyingError: NSError(
                domain: NSPOSIXErrorDomain, code: Int(error.number),
                userInfo: [NSLocalizedDescriptionKey: message]))
    }
}
