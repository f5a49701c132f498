import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Opens a database or a backup for reading, and leaves it and its folder unchanged.
    ///
    /// Reads a temporary copy, which is gone when the process ends. A database that a process uses is
    /// opened in its place instead.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: The store.
    /// - Throws: ``TemplateStoreError`` with the code `damaged` when the file is empty or damaged,
    ///   or not what `backup` wrote; otherwise as when a database is opened.
    public static func reading(
        path: String
    ) async throws(TemplateStoreError) -> SQLiteTemplateStore {
        let path = SQLiteFileStatus.target(ofLinkAt: path)
        if SQLiteUseLock.isHeld(path: path) { return try await SQLiteTemplateStore(path: path) }
        let options = SQLiteStoreOptions()
        let copy = Result { () throws(TemplateStoreError) in
            try SQLitePrivateCopy.make(of: path, SQLiteOpening.configuration(options))
        }
        // A process that started during the copy may have changed the file between its parts.
        if SQLiteUseLock.isHeld(path: path) { return try await SQLiteTemplateStore(path: path) }
        return SQLiteTemplateStore(
            try copy.get(), files: nil, useLock: nil, path: path, options: options)
    }

    /// True for a backup that no server and no command has begun to use as a store; false for other
    /// files, and for those that cannot be read.
    ///
    /// - Parameter path: The path of the file.
    /// - Returns: True for such a backup.
    public static func isBackup(at path: String) -> Bool {
        let path = SQLiteFileStatus.target(ofLinkAt: path)
        // The database of a running process is none.
        guard let status = try? SQLiteFileStatus.status(ofFileAt: path), status.isFile,
            !SQLiteUseLock.isHeld(path: path)
        else { return false }
        var configuration = Configuration()
        configuration.readonly = true
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else {
            return false
        }
        defer { try? queue.close() }
        return (try? queue.read { try SQLiteBackupChecksum.isPresent(in: $0) }) ?? false
    }

    /// Copies the database to a new file without unused pages; the database can be in use.
    ///
    /// - Parameter target: The path of the copy, at which no file must exist.
    /// - Throws: ``TemplateStoreError`` with the code `outOfSpace` or `unavailable`; an incomplete
    ///   copy is removed.
    public func backup(to target: String) async throws(TemplateStoreError) {
        guard try SQLiteFileStatus.makeFile(at: target) else {
            throw TemplateStoreError(
                .unavailable, "The path '\(target)' exists already: give another one.")
        }
        let file = try SQLiteFileStatus.status(ofFileAt: target)?.identity
        func isThere() throws(TemplateStoreError) -> Bool {
            try SQLiteFileStatus.status(ofFileAt: target)?.identity == file
        }
        do {
            try await copy(to: target)
            guard try isThere() else {
                throw TemplateStoreError(
                    .unavailable,
                    "The file '\(target)' was removed, moved or replaced while the backup was "
                        + "written: create another one.")
            }
        } catch {
            // A file that replaced the copy is not ours to remove.
            if (try? isThere()) ?? false { try? FileManager.default.removeItem(atPath: target) }
            throw TemplateStoreError(error, at: target)
        }
    }

    /// Adds to a finished backup the checksum that ``reading(path:)`` compares with its content.
    ///
    /// A store that opens the file to change it removes the checksum.
    ///
    /// - Parameter path: The path of the backup.
    /// - Throws: ``TemplateStoreError`` when it cannot be read or written.
    public static func addChecksum(toBackupAt path: String) throws(TemplateStoreError) {
        do {
            let queue = try DatabaseQueue(path: path)
            try queue.write { try SQLiteBackupChecksum.add(to: $0) }
            // The database file then contains everything.
            try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
            try queue.close()
        } catch {
            throw TemplateStoreError(error, at: path)
        }
    }
}
