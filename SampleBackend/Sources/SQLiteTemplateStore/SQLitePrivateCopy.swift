import Foundation
import GRDB
import TemplateStore

/// A copy of a database in a temporary folder of this process.
///
/// SQLite writes beside a database that it reads, and needs its folder for that. Reading the copy
/// leaves a backup unchanged, and works where this user may only read.
struct SQLitePrivateCopy: Sendable {
    /// The path of the original, for error messages.
    private let original: String
    private let folder: URL

    /// The path of the copy.
    var path: String { folder.appending(component: "copy.sqlite").path }

    /// Copies a database that no process uses, with the log that a killed process left.
    ///
    /// - Throws: ``TemplateStoreError`` when it cannot be copied.
    init(of original: String) throws(TemplateStoreError) {
        if let status = try SQLiteFileStatus.status(ofFileAt: original), !status.isFile {
            throw .notAFile(original)
        }
        self.original = original
        folder = FileManager.default.temporaryDirectory
            .appending(component: "sample-backend-\(UUID().uuidString)")
        let files = FileManager.default
        do {
            try files.createDirectory(
                at: folder, withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
            for suffix in ["", "-wal"]
            where suffix.isEmpty || files.fileExists(atPath: original + suffix) {
                try files.copyItem(atPath: original + suffix, toPath: path + suffix)
                // The original can be read-only.
                try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path + suffix)
            }
        } catch {
            remove()
            throw TemplateStoreError(
                .unavailable,
                "The file '\(original)' cannot be copied to the temporary folder "
                    + "'\(files.temporaryDirectory.path)': check that this user may read it and that "
                    + "the folder has space for it, or name another one with TMPDIR.",
                underlyingError: error)
        }
    }

    /// Removes the copy.
    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Checks the whole content.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `damaged` when it is empty, damaged, or
    ///   belongs to another program; `newerSchema` or `incompleteCopy`.
    func check() throws(TemplateStoreError) {
        do {
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            try queue.read { db in
                guard try SQLiteSchema.version(of: db, at: original) > 0 else {
                    throw TemplateStoreError(
                        .damaged,
                        "The file '\(original)' is empty, so there is nothing to read or restore: "
                            + "give the path of a backup.")
                }
                let faults = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                if let fault = faults.first, fault != "ok" { throw damaged(fault) }
                guard try SQLiteBackupChecksum.isKept(in: db) else {
                    throw damaged("its content does not match its checksum")
                }
            }
        } catch {
            throw TemplateStoreError(error, at: original)
        }
    }

    private func damaged(_ fault: String) -> TemplateStoreError {
        TemplateStoreError(
            .damaged,
            "The file '\(original)' is damaged (\(fault)); it is unchanged: use another backup.")
    }
}
