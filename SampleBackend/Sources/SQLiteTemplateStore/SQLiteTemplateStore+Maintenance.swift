import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Returns warnings about the files of a database, one sentence each.
    ///
    /// - Parameter path: The path of the database.
    /// - Returns: The sentences; empty when there are none.
    public static func warnings(at path: String) -> [String] {
        let files = ["", "-wal", "-shm"].map { path + $0 }.filter { file in
            (try? SQLiteFileStatus.status(ofFileAt: file))?.isOpenToOthers ?? false
        }
        guard let first = files.first else { return [] }
        return [
            "Other users of this machine can read or write '\(first)', with its webhook secrets "
                + "and token hashes: restrict its permissions with \"chmod 600 "
                + "\(files.joined(separator: " "))\"."
        ]
    }

    /// Checks the whole file, which can take a while, and the consistency of its content.
    ///
    /// - Returns: The findings, one sentence each; empty when there are none.
    /// - Throws: ``TemplateStoreError`` when the database cannot be read at all.
    public func checkIntegrity() async throws(TemplateStoreError) -> [String] {
        try await read { db in
            var findings = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                .filter { $0 != "ok" }
            if try Row.fetchOne(db, sql: "PRAGMA foreign_key_check") != nil {
                findings.append("A record belongs to a project that does not exist.")
            }
            for (sentence, query) in Self.invariants {
                let broken = try String.fetchAll(db, sql: query)
                findings += broken.map { "\(sentence) Found: \($0)." }
            }
            return findings
        }
    }

    /// The value of a pragma on the writing connection, for tests.
    package func setting(_ name: String) async throws(TemplateStoreError) -> String? {
        try await useWriter { db in try String.fetchOne(db, sql: "PRAGMA \(name)") }
    }

    /// Invariants, each with a query for the rows that violate it.
    private static var invariants: [(sentence: String, query: String)] {
        [
            (
                "The current version of each project is stored and is its newest.",
                """
                SELECT 'version ' || current_version || ' of ' || CAST(name AS TEXT) FROM projects
                WHERE current_version IS NOT coalesce(
                    (SELECT max(number) FROM versions WHERE project = projects.id),
                    (SELECT version FROM created_projects WHERE project = projects.id)
                )
                """
            ),
            (
                "The stored versions have no gap, except where their numbers were raised.",
                """
                SELECT 'version ' || number || ' without its predecessor' FROM versions AS later
                WHERE number > (SELECT min(number) FROM versions WHERE project = later.project)
                    AND NOT EXISTS (
                        SELECT 1 FROM versions
                        WHERE project = later.project AND number = later.number - 1
                    )
                    AND number NOT IN (
                        SELECT CAST(CAST(subject AS TEXT) AS INTEGER) FROM audit
                        WHERE action = 'RAISE_VERSIONS'
                    )
                """
            ),
            (
                "At most \(TemplateStoreLimits.keptVersions) versions of a project are stored.",
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
                "Each creation of a project is in the audit trail.",
                """
                SELECT 'revision ' || revision FROM created_projects
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
