import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Adds a batch to the usage of a project.
    public func recordUsage(
        _ batch: UsageBatch, inProject project: String
    ) async throws(TemplateStoreError) {
        try await write { db in
            guard let id = try db.projectID(project),
                let usage = try db.usage(ofProject: id).adding(
                    batch, deletedVersion: try db.deletedVersion(ofProject: project))
            else { return }
            try db.execute(
                sql: """
                    INSERT INTO usage (project, record) VALUES (?1, CAST(?2 AS BLOB))
                    ON CONFLICT (project) DO UPDATE SET record = excluded.record
                    """, arguments: [id, SQLiteBytes(usage.record)])
        }
    }

    /// The usage of a project.
    public func usage(inProject project: String) async throws(TemplateStoreError) -> ProjectUsage {
        try await read { db in
            try db.projectID(project).map { try db.usage(ofProject: $0) } ?? ProjectUsage()
        }
    }
}

extension Database {
    fileprivate func usage(ofProject id: Int64) throws -> ProjectUsage {
        let record = try Data.fetchOne(
            self, sql: "SELECT record FROM usage WHERE project = ?", arguments: [id])
        return record.map { ProjectUsage(record: $0) } ?? ProjectUsage()
    }
}
