import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Replaces the details of a project if the stored ones are as expected.
    public func setProjectDetails(
        _ change: ProjectDetailsChange
    ) async throws(TemplateStoreError) -> StoredProjectDetails {
        let stored = try await write { [options] db in
            guard
                let id = try Int64.fetchOne(
                    db, sql: "SELECT id FROM projects WHERE name = CAST(? AS BLOB)",
                    arguments: [SQLiteBytes(change.project)]),
                let current = try db.projectDetails(ofProject: change.project)
            else { throw TemplateStoreError.projectMissing(change.project) }
            try change.checkExpectation(current)
            if change.details == current.details { return current }
            let revision = try db.recordChange(
                .projectDetails(project: change.project), keeping: options.keptChanges)
            let stored = StoredProjectDetails(change.details, revision: revision)
            try db.upsert(stored, ofProject: id)
            try db.record(AuditEntry(of: change, revision: revision))
            return stored
        }
        signal.advance(to: stored.revision)
        return stored
    }

    /// The details of a project; nil when there is no such project.
    public func projectDetails(
        ofProject project: String
    ) async throws(TemplateStoreError) -> StoredProjectDetails? {
        try await read { db in try db.projectDetails(ofProject: project) }
    }
}

extension Database {
    /// The details of the projects whose details were ever set, by name.
    func allProjectDetails() throws -> [String: StoredProjectDetails] {
        let rows = try Row.fetchAll(
            self,
            sql: """
                SELECT project_details.*, projects.name FROM project_details
                JOIN projects ON projects.id = project_details.project
                """)
        var details: [String: StoredProjectDetails] = [:]  // names: names of projects are ASCII
        for row in rows {
            details[try row.decode(SQLiteBytes.self, forColumn: "name").text] =
                try StoredProjectDetails(row: row)
        }
        return details
    }

    /// The details of a project; nil when there is no such project.
    func projectDetails(ofProject project: String) throws -> StoredProjectDetails? {
        let row = try Row.fetchOne(
            self,
            sql: """
                SELECT display_name, color, environment, ifnull(is_archived, 0) AS is_archived,
                    protection, intended_differences, ifnull(revision, 0) AS revision
                FROM projects LEFT JOIN project_details ON project_details.project = projects.id
                WHERE name = CAST(? AS BLOB)
                """, arguments: [SQLiteBytes(project)])
        return try row.map(StoredProjectDetails.init(row:))
    }

    func upsert(_ stored: StoredProjectDetails, ofProject project: Int64) throws {
        try execute(
            sql: """
                INSERT INTO project_details (
                    project, display_name, color, environment, is_archived, protection,
                    intended_differences, revision
                ) VALUES (?, CAST(? AS BLOB), ?, ?, ?, CAST(? AS BLOB), ?, ?)
                ON CONFLICT (project) DO UPDATE SET
                    display_name = excluded.display_name, color = excluded.color,
                    environment = excluded.environment, is_archived = excluded.is_archived,
                    protection = excluded.protection,
                    intended_differences = excluded.intended_differences,
                    revision = excluded.revision
                """,
            arguments: [
                project, stored.details.displayName.map { SQLiteBytes($0) },
                stored.details.color?.rawValue, stored.details.environment?.rawValue,
                stored.details.isArchived, stored.details.protection.map { SQLiteBytes($0.text) },
                stored.details.intendedDifferences.record, stored.revision.number,
            ])
    }
}

extension StoredProjectDetails {
    /// Reads the columns of a row of `project_details`.
    ///
    /// An unknown colour or environment counts as none: only the pages depend on them.
    init(row: Row) throws {
        self.init(
            ProjectDetails(
                displayName: try row.decode(SQLiteBytes?.self, forColumn: "display_name")?.text,
                color: try row.decode(String?.self, forColumn: "color").flatMap {
                    ProjectDetails.Color(rawValue: $0)
                },
                environment: try row.decode(String?.self, forColumn: "environment").flatMap {
                    ProjectDetails.Environment(rawValue: $0)
                },
                isArchived: try row.decode(Bool.self, forColumn: "is_archived"),
                protection: try ProjectProtection.protection(
                    inText: try row.decode(SQLiteBytes?.self, forColumn: "protection")?.text),
                intendedDifferences: [IntendedDifference](
                    record: try row.decode(Data?.self, forColumn: "intended_differences"))),
            revision: StoreRevision(try row.decode(Int64.self, forColumn: "revision")))
    }
}
