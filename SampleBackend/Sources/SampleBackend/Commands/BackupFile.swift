import Foundation
import SQLiteTemplateStore
import TemplateStore

/// The file of a backup, which gets its name only when it is complete.
struct BackupFile: Sendable {
    let path: String

    /// The unique path of the incomplete file.
    let partialPath: String

    /// - Throws: A ``CommandFailure`` when there is a file at the path.
    init(path: String) throws {
        self.path = path
        guard !FileManager.default.fileExists(atPath: path) else { throw Self.exists(path) }
        partialPath = "\(path).partial-\(UUID().uuidString.prefix(8).lowercased())"
    }

    private static func exists(_ path: String) -> CommandFailure {
        CommandFailure(
            "The file \(path) exists: choose another name, or move it.", code: Exit.failure)
    }

    /// Adds the checksum to the complete file, and renames it to its final name.
    ///
    /// - Throws: A ``CommandFailure``. An incomplete file is removed, and so is a complete one when a
    ///   file has appeared at the path, which stays; if only the name cannot be given, it is kept.
    func complete() throws {
        do {
            try SQLiteTemplateStore.addChecksum(toBackupAt: partialPath)
        } catch {
            removePartialFiles()
            throw failure(error)
        }
        try giveName()
        // Also removes the files that SQLite kept beside it; they are empty.
        removePartialFiles()
    }

    /// Gives the file its final name by link(2), since rename(2) would replace a file that has
    /// appeared at the path; on a file system without hard links by rename(2).
    ///
    /// - Throws: A ``CommandFailure``: there is such a file, or the name cannot be given, and the file
    ///   keeps its partial name.
    func giveName(
        byLink makeLink: (_ from: String, _ to: String) -> Int32 = { unsafe link($0, $1) }
    ) throws {
        if makeLink(partialPath, path) == 0 { return }
        // Which error says that there are no hard links depends on the file system.
        if errno != EEXIST, makeEmptyFile() {
            if unsafe rename(partialPath, path) == 0 { return }
            let code = errno
            unsafe unlink(path)
            errno = code
        }
        let code = errno
        if code == EEXIST {
            removePartialFiles()
            throw Self.exists(path)
        }
        throw CommandFailure(
            "The backup is complete, but \(partialPath) cannot be renamed to \(path): "
                + "\(unsafe String(cString: strerror(code))).",
            code: Exit.failure)
    }

    /// Reserves the name by an empty file, on a file system without hard links; false when there is
    /// a file already.
    private func makeEmptyFile() -> Bool {
        let descriptor = unsafe open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        return descriptor >= 0 && close(descriptor) == 0
    }

    /// The failure of writing the backup, from which ``removePartialFiles()`` has removed the file.
    ///
    /// Reading the original needs no space, so only the backup can lack it.
    func failure(_ error: TemplateStoreError) -> CommandFailure {
        guard error.code == .outOfSpace else { return CommandFailure(error) }
        return CommandFailure(
            "There is no space for the backup \(path), and the incomplete file is removed: free "
                + "space on its disk, or name a file on another one.",
            code: Exit.unavailable)
    }

    /// Removes the incomplete file and the files that SQLite keeps beside it.
    func removePartialFiles() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: partialPath + suffix)
        }
    }
}
