import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Returns warnings about the files of a database, a sentence each.
    ///
    /// - Parameter path: The path of the database.
    /// - Returns: The sentences; empty when there are none.
    public static func warnings(at path: String) -> [String] {
        let files = ["", "-wal", "-shm"].map { path + $0 }.filter { file in
            (try? SQLiteFileStatus.status(ofFileAt: file))?.isOpenToOthers ?? false
        }
        guard let first = files.first else { return [] }
        return [
            "Other users of this machine may read or write '\(first)', with its secrets of webhooks "
                + "and hashes of tokens: take that from them with \"chmod 600 "
                + "\(files.joined(separator: " "))\"."
        ]
    }

    /// Copies the database to a new file, even while it is in use.
    ///
    /// - Parameter target: The path of the copy; no file may exist there.
    /// - Throws: ``TemplateStoreError`` with the code `unavailable`; an incomplete copy is removed.
    public func backup(to target: String) async throws(TemplateStoreError) {
        guard try SQLiteFileStatus.makeFile(at: target) else {
            throw TemplateStoreError(
                .unavailable, "There is something at '\(target)' already: give another path.")
        }
        let file = try SQLiteFileStatus.status(ofFileAt: target)?.identity
        func isThere() throws(TemplateStoreError) -> Bool {
            try SQLiteFileStatus.status(ofFileAt: target)?.identity == file
        }
        do {
            let queue = try DatabaseQueue(path: target)
            try await copy(to: queue)
            try queue.close()
            guard try isThere() else {
                throw TemplateStoreError(
                    .unavailable,
                    "The file '\(target)' was removed, moved or replaced while the backup was "
                        + "written: make another one.")
            }
        } catch {
            // A file that replaced the copy belongs to somebody else.
            if (try? isThere()) ?? false { try? FileManager.default.removeItem(atPath: target) }
            throw TemplateStoreError(error, at: target)
        }
    }

    /// Checks the whole file, which takes a while, and the consistency of its content.
    ///
    /// - Returns: The findings, a sentence each; empty when there are none.
    /// - Throws: ``TemplateStoreError`` when the database cannot be read at all.
    public func checkIntegrity() async throws(TemplateStoreError) -> [String] {
        try await read { db in
            var findings = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                .filter { $0 != "ok" }
            if try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") != nil {
                findings.append("Something belongs to a project that is not there.")
            }
            for (sentence, query) in Self.invariants {
                let broken = try String.fetchAll(db, sql: query)
                findings += broken.map { "\(sentence) Found: \($0)." }
            }
            return findings
        }
    }

    /// The value of a pragma of the writing connection, for tests.
    package func setting(_ name: String) async throws(TemplateStoreError) -> String? {
        try await useWriter { db in try String.fetchOne(db, sql: "PRAGMA \(name)") }
    }

    /// Invariants, each with a query for the rows that break it.
    private static var invariants: [(sentence: String, query: String)] {
        [
            (
                "The current version of each project is kept and is its newest.",
                """
                SELECT 'version ' || current_version || ' of ' || CAST(name AS TEXT) FROM projects
                WHERE current_version
                    IS NOT (SELECT max(number) FROM versions WHERE project = projects.id)
                """
            ),
            (
                "The versions that are kept have no gap.",
                """
                SELECT count(*) || ' versions from ' || min(number) || ' to ' || max(number)
                FROM versions GROUP BY project HAVING max(number) - min(number) + 1 <> count(*)
                """
            ),
            (
                "At most \(TemplateStoreLimits.keptVersions) versions of a project are kept.",
                """
                SELECT CAST(count(*) AS TEXT) FROM versions GROUP BY project
                HAVING count(*) > \(TemplateStoreLimits.keptVersions)
                """
            ),
            (
                "Each version is in the audit trail.",
                """
                SELECT 'revision ' || revision FROM versions
                WHERE revision NOT IN (SELECT revision FROM audit)
                """
            ),
            (
                "Each change of a project's details is in the audit trail.",
                """
                SELECT 'revision ' || revision FROM project_details
                WHERE revision NOT IN (SELECT revision FROM audit)
                """
            ),
            (
                "Each change is in the audit trail, and the trail ends with the last change.",
                """
                SELECT 'revision ' || revision FROM changes
                WHERE revision NOT IN (SELECT revision FROM audit)
                UNION ALL
                SELECT 'revision ' || max(revision) FROM audit
                HAVING max(revision) <> (SELECT max(revision) FROM changes)
                """
            ),
        ]
    }
}
