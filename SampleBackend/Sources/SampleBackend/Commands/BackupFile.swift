import Foundation

/// The file of a backup, which has its name only once it is complete.
struct BackupFile: Sendable {
    let path: String

    /// The path until then, at which nobody else has a file.
    let partialPath: String

    /// - Throws: A ``CommandFailure`` when there is a file at the path.
    init(path: String) throws {
        self.path = path
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFailure(
                "The file \(path) exists: choose another one, or move it away.", code: Exit.failure)
        }
        partialPath = "\(path).partial-\(UUID().uuidString.prefix(8).lowercased())"
    }

    /// Gives the complete file its name.
    ///
    /// - Throws: A ``CommandFailure``; the file is removed then.
    func complete() throws {
        do {
            try FileManager.default.moveItem(atPath: partialPath, toPath: path)
            // Empty, since the file has everything.
            removePartialFiles()
        } catch {
            removePartialFiles()
            throw CommandFailure(
                "The backup \(path) cannot be given its name: \(error.localizedDescription)",
                code: Exit.failure)
        }
    }

    /// Removes an incomplete file, with the files that SQLite has beside it.
    func removePartialFiles() {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: partialPath + suffix)
        }
    }
}
