import GRDB
import TemplateStore

/// Detects that the files of an open database were removed, moved or replaced.
///
/// SQLite keeps using a file that was removed or moved, and loses what it stores there. If the file
/// was overwritten, it mixes the new content with its page cache. A fault persists until the store
/// is opened again.
///
/// Another file at the same path has another identity. An overwritten file keeps its identity, but
/// is still noticed: only checkpoints change the database file, and the index of the log contains
/// their position.
final class SQLiteFileGuard: Sendable {
    /// A file of the database, by the suffix of its path.
    private enum Part: String, CaseIterable {
        case database = ""
        case log = "-wal"
        /// The index of the log, in shared memory.
        case index = "-shm"
    }

    /// The last observed status of the database.
    fileprivate struct Sight {
        let size: Int64
        let modification: SQLiteFileStatus.Modification
        /// The last observed checkpoint position of the log.
        let checkpoint: SQLiteLogIndex.Checkpoint
    }

    private struct Fault {
        let error: TemplateStoreError
        /// True while the connections still have the whole content, so that it can be saved.
        let keepsContent: Bool
    }

    private struct State {
        var sight: Sight?
        var fault: Fault?
    }

    /// Attempts to read the files while another process writes them.
    private static let attempts = 100

    private let path: String
    private let identities: [Part: SQLiteFileStatus.Identity]
    private let state = Locked(State())

    /// Records the identities of a database's files.
    ///
    /// `db` is a connection that has read.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `unavailable` when a file is missing.
    init(path: String, _ db: Database) throws(TemplateStoreError) {
        self.path = path
        var identities: [Part: SQLiteFileStatus.Identity] = [:]
        for part in Part.allCases {
            let file = path + part.rawValue
            guard let status = try SQLiteFileStatus.status(ofFileAt: file) else {
                throw TemplateStoreError(
                    .unavailable, "The file '\(file)' was removed while it was opened: try again.")
            }
            identities[part] = status.identity
        }
        self.identities = identities
        try check(db)
    }

    /// True when an overwritten file must not be touched.
    var isContentForeign: Bool { state.withLock { $0.fault.map { !$0.keepsContent } ?? false } }

    /// The known fault, or a fault that the identities of the files show now.
    ///
    /// Without its log, another connection cannot even open the database.
    func currentFault() -> TemplateStoreError? {
        state.withLock { state in
            if state.fault == nil { state.fault = try? replacement() }
            return state.fault?.error
        }
    }

    /// - Throws: ``TemplateStoreError`` with the code `filesReplaced` unless the files are the
    ///   opened
    ///   ones and only SQLite has written them; `unavailable` when this cannot be determined now,
    ///   which
    ///   is not a fault.
    func check(_ db: Database) throws(TemplateStoreError) {
        // Reads under the lock, so that no thread compares with an older observation.
        try state.withLock { (state: inout State) throws(TemplateStoreError) in
            if let fault = state.fault { throw fault.error }
            state.fault = try replacement()
            if state.fault == nil { state.fault = try overwriting(db, &state) }
            if let fault = state.fault { throw fault.error }
        }
    }

    /// Checks the files after a commit.
    ///
    /// The commit cannot be undone, so it counts unless the files are known to be others.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `filesReplaced`.
    func checkAfterCommit(_ db: Database) throws(TemplateStoreError) {
        do throws(TemplateStoreError) {
            try check(db)
        } catch {
            if error.code == .filesReplaced { throw error }
        }
    }

    /// Writes the log into the database if the connections still have both.
    func save(_ db: Database) {
        let keepsContent = state.withLock { $0.fault?.keepsContent ?? false }
        guard keepsContent else { return }
        // An empty log also cannot be mistaken for that of another database.
        _ = try? db.checkpoint(.truncate)
    }

    /// The fault when a file is not the opened one; nil when all files are.
    private func replacement() throws(TemplateStoreError) -> Fault? {
        for part in Part.allCases {
            let file = path + part.rawValue
            if try SQLiteFileStatus.status(ofFileAt: file)?.identity == identities[part] {
                continue
            }
            // Without the shared index, other processes do not see this process's writes.
            return fault("The file '\(file)' was removed, moved or replaced", part != .index)
        }
        return nil
    }

    /// The fault when something other than SQLite has overwritten a file, if any.
    private func overwriting(
        _ db: Database, _ state: inout State
    ) throws(TemplateStoreError) -> Fault? {
        let log = path + Part.log.rawValue
        for _ in 0..<Self.attempts {
            guard let index = SQLiteLogIndex(db) else { continue }
            guard let databaseStatus = try SQLiteFileStatus.status(ofFileAt: path),
                let logStatus = try SQLiteFileStatus.status(ofFileAt: log),
                let head = try SQLiteFileStatus.head(ofLogAt: log, count: 32)
            else { return try replacement() }
            // The observations are consistent if nothing was written in between.
            guard SQLiteLogIndex(db) == index else { continue }
            guard logStatus.size >= index.logSize, index.isHead(head) else {
                return fault("The file '\(log)' was replaced by other content", false)
            }
            let sight = Sight(
                size: databaseStatus.size, modification: databaseStatus.modification,
                checkpoint: index.checkpoint)
            if let last = state.sight, !sight.isExplained(after: last) {
                return fault("The file '\(path)' was replaced by other content", false)
            }
            state.sight = sight
            return nil
        }
        // Other processes write continuously; the next check follows soon.
        return nil
    }

    /// A fault whose error includes advice.
    private func fault(_ sentence: String, _ keepsContent: Bool) -> Fault {
        let advice =
            keepsContent
            ? "stop every program that uses the database, check that its files are the right ones, "
                + "and start this one again."
            : "stop every program that uses the database, and run \"sample-backend doctor --store "
                + "sqlite:PATH\". If the database is whole, start this one again; else restore a "
                + "backup."
        return Fault(
            error: TemplateStoreError(
                .filesReplaced,
                "\(sentence) while the database was open, so nothing is stored any more: \(advice)"),
            keepsContent: keepsContent)
    }
}

extension SQLiteFileGuard.Sight {
    /// True when the database is unchanged, or changed only by a checkpoint.
    fileprivate func isExplained(after last: Self) -> Bool {
        size == last.size && modification == last.modification
            || checkpoint != last.checkpoint || last.checkpoint.isUnderway
    }
}
