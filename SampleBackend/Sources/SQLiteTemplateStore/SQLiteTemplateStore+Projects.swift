import Foundation
import GRDB
public import TemplateStore
import Templates

// Projects that are created empty, archived and deleted.
extension SQLiteTemplateStore {
    /// Creates a project with an empty template.
    public func createProject(
        _ creation: ProjectCreation
    ) async throws(TemplateStoreError) -> StoredTemplate {
        let template = try await write { [options] db in
            if try db.projectID(creation.project) != nil {
                throw TemplateStoreError.projectExists(creation.project)
            }
            let revision = try db.recordChange(
                .project(creation.project), keeping: options.keptChanges)
            let entry = AuditEntry(of: creation, revision: revision)
            try db.record(entry)
            guard let template = try db.createProject(of: entry),
                let id = try db.projectID(creation.project)
            else { throw TemplateStoreError.projectMissing(creation.project) }
            try db.upsert(
                StoredProjectDetails(creation.details, revision: revision), ofProject: id)
            return template
        }
        signal.advance(to: template.revision)
        return template
    }

    /// Deletes an archived project with all of its content, in one transaction.
    @discardableResult
    public func deleteProject(
        _ deletion: ProjectDeletion
    ) async throws(TemplateStoreError) -> Int {
        let (revision, lastVersion) = try await write { [options] db in
            guard let details = try db.projectDetails(ofProject: deletion.project),
                let lastVersion = try db.currentVersion(ofProject: deletion.project)
            else { throw TemplateStoreError.projectMissing(deletion.project) }
            try deletion.check(details)
            let revision = try db.recordChange(
                .project(deletion.project), keeping: options.keptChanges)
            let deleted = try db.deletedVersion(ofProject: deletion.project)
            // A damaged one keeps no project from its deletion.
            let headers = try? db.changeRequestHeaders(inProject: deletion.project)
            let requests = (headers ?? [])
                .map { $0.seen(at: deletion.date, deletedVersion: deleted) }
            let entry = AuditEntry(
                of: deletion, lastVersion: lastVersion, requests: requests, revision: revision)
            try db.record(entry)
            try db.deleteProject(of: entry)
            return (revision, lastVersion)
        }
        signal.advance(to: revision)
        return lastVersion
    }

    /// The last version of a deleted project.
    public func deletedVersion(
        ofProject project: String
    ) async throws(TemplateStoreError) -> Int? {
        try await read { db in try db.deletedVersion(ofProject: project) }
    }
}

extension Database {
    func projectID(_ name: String) throws -> Int64? {
        try Int64.fetchOne(
            self, sql: "SELECT id FROM projects WHERE name = CAST(? AS BLOB)",
            arguments: [SQLiteBytes(name)])
    }

    fileprivate func currentVersion(ofProject name: String) throws -> Int? {
        try Int.fetchOne(
            self, sql: "SELECT current_version FROM projects WHERE name = CAST(? AS BLOB)",
            arguments: [SQLiteBytes(name)])
    }

    /// The last version of a deleted project; nil when no project of this name was deleted.
    func deletedVersion(ofProject name: String) throws -> Int? {
        try Int.fetchOne(
            self, sql: "SELECT version FROM deleted_projects WHERE name = CAST(? AS BLOB)",
            arguments: [SQLiteBytes(name)])
    }

    /// The last versions of deleted projects by name.
    func deletedVersions() throws -> [String: Int] {
        var versions: [String: Int] = [:]  // names: names of projects are ASCII
        for row in try Row.fetchAll(self, sql: "SELECT name, version FROM deleted_projects") {
            versions[try row.decode(SQLiteBytes.self, forColumn: "name").text] =
                try row.decode(Int.self, forColumn: "version")
        }
        return versions
    }

    func checkIsNotArchived(_ project: String) throws {
        if try projectDetails(ofProject: project)?.details.isArchived == true {
            throw TemplateStoreError.projectArchived(project)
        }
    }

    /// Adds a project and returns its number in the table.
    func insertProject(_ name: String, currentVersion: Int) throws -> Int64 {
        try execute(
            sql: "INSERT INTO projects (name, current_version) VALUES (CAST(? AS BLOB), ?)",
            arguments: [SQLiteBytes(name), currentVersion])
        return lastInsertedRowID
    }

    /// Creates the project of an audit entry; nil for other entries.
    func createProject(of entry: AuditEntry) throws -> StoredTemplate? {
        let deletedVersion = try deletedVersion(ofProject: entry.project ?? "")
        guard
            let template = entry.createdTemplate(
                after: deletedVersion, floor: try versionFloor())
        else { return nil }
        let version = template.version
        let id = try insertProject(template.project, currentVersion: version.number)
        try execute(
            sql: """
                INSERT INTO created_projects (project, version, revision, time, actor)
                VALUES (?, ?, ?, ?, CAST(? AS BLOB))
                """,
            arguments: [
                id, version.number, template.revision.number,
                version.updateTime.millisecondsSince1970, SQLiteBytes(entry.actor),
            ])
        return template
    }

    /// Deletes the project of an audit entry; other entries have no effect.
    func deleteProject(of entry: AuditEntry) throws {
        guard let version = entry.deletedVersion, let name = entry.project else { return }
        if let id = try projectID(name) {
            // Deliveries are deleted with their webhooks.
            for table in [
                "webhooks", "overrides", "usage", "project_details", "created_projects", "versions",
            ] {
                try execute(sql: "DELETE FROM \(table) WHERE project = ?", arguments: [id])
            }
            try execute(sql: "DELETE FROM projects WHERE id = ?", arguments: [id])
        }
        try execute(
            sql: "DELETE FROM drafts WHERE project = CAST(? AS BLOB)",
            arguments: [SQLiteBytes(name)])
        try execute(
            sql: """
                INSERT INTO deleted_projects (name, version) VALUES (CAST(?1 AS BLOB), ?2)
                ON CONFLICT (name) DO UPDATE SET version = ?2
                """, arguments: [SQLiteBytes(name), version])
    }

    /// The empty template with which a project was created, if it has this version; nil means the
    /// current one.
    func createdTemplate(version: Int?, inProject project: String) throws -> StoredTemplate? {
        try Row.fetchOne(
            self,
            sql: """
                SELECT created_projects.*, projects.name FROM projects
                JOIN created_projects ON created_projects.project = projects.id
                    AND created_projects.version = ifnull(?, projects.current_version)
                WHERE projects.name = CAST(? AS BLOB)
                """, arguments: [version, SQLiteBytes(project)]
        ).map(StoredTemplate.init(created:))
    }

    /// The templates of the projects in which nothing was published since they were created.
    func emptyTemplates() throws -> [StoredTemplate] {
        try Row.fetchAll(
            self,
            sql: """
                SELECT created_projects.*, projects.name FROM projects
                JOIN created_projects ON created_projects.project = projects.id
                    AND created_projects.version = projects.current_version
                """
        ).map(StoredTemplate.init(created:))
    }
}

extension StoredTemplate {
    /// Reads the empty template from a row of `created_projects` with the name of its project.
    fileprivate init(created row: Row) throws {
        let actor = try row.decode(SQLiteBytes.self, forColumn: "actor").text
        self.init(
            project: try row.decode(SQLiteBytes.self, forColumn: "name").text,
            version: .creation(
                number: try row.decode(Int.self, forColumn: "version"),
                time: Date(
                    millisecondsSince1970: try row.decode(Int64.self, forColumn: "time")),
                actor: actor),
            content: Data("{}".utf8),
            revision: StoreRevision(try row.decode(Int64.self, forColumn: "revision")))
    }
}
