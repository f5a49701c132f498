import Foundation
import GRDB
public import TemplateStore
import Templates

extension SQLiteTemplateStore {
    /// Publishes a template as the next version if the current version is the expected one.
    public func publish(
        _ submission: TemplateSubmission
    ) async throws(TemplateStoreError) -> StoredTemplate {
        let template = try await write(size: submission.content.count) { [options] db in
            let name = SQLiteBytes(submission.project)
            let project = try Row.fetchOne(
                db, sql: "SELECT id, current_version FROM projects WHERE name = CAST(? AS BLOB)",
                arguments: [name])
            let known = try project?.decode(Int.self, atIndex: 1)
            try db.checkIsNotArchived(submission.project)
            let isPublished = try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM versions WHERE project = ?)",
                arguments: [try project?.decode(Int64.self, atIndex: 0)])
            try submission.checkExpectation(
                current: known ?? 0, isPublished: isPublished ?? false)
            let deletedVersion = try db.deletedVersion(ofProject: submission.project)
            let number = VersionFloor.nextVersion(
                after: known, deleted: deletedVersion, floor: try db.versionFloor())
            let request = try db.gate(for: submission).check(publishing: number)
            let revision = try db.recordChange(
                .template(project: submission.project, version: number),
                keeping: options.keptChanges)
            let template = submission.stored(
                asVersion: number, revision: revision, deletedVersion: deletedVersion)
            let id: Int64
            if let project {
                id = try project.decode(Int64.self, atIndex: 0)
                try db.execute(
                    sql: "UPDATE projects SET current_version = ? WHERE id = ?",
                    arguments: [number, id])
            } else {
                id = try db.insertProject(submission.project, currentVersion: number)
            }
            try db.insert(template, intoProject: id)
            try db.execute(
                sql: """
                    DELETE FROM versions WHERE project = ?1 AND number <= (
                        SELECT number FROM versions WHERE project = ?1
                        ORDER BY number DESC LIMIT 1 OFFSET \(TemplateStoreLimits.keptVersions)
                    )
                    """, arguments: [id])
            try db.record(AuditEntry(of: template))
            if let request { try db.upsert(request) }
            try db.enqueueDeliveries(
                of: WebhookEvent.events(
                    of: template.version, publishing: request, over: known),
                date: template.version.updateTime, inProject: id)
            return template
        }
        // After the commit: whoever is woken reads the change from the database.
        signal.advance(to: template.revision)
        return template
    }

    /// A version of a project's template.
    public func template(
        version: Int?, inProject project: String
    ) async throws(TemplateStoreError) -> StoredTemplate? {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT versions.*, projects.name FROM projects
                    JOIN versions ON versions.project = projects.id
                        AND versions.number = ifnull(?, projects.current_version)
                    WHERE projects.name = CAST(? AS BLOB)
                    """, arguments: [version, SQLiteBytes(project)])
            var template =
                try row.map(StoredTemplate.init(row:))
                ?? db.createdTemplate(version: version, inProject: project)
            template?.deletedVersion = try db.deletedVersion(ofProject: project)
            return template
        }
    }

    /// The versions of a project, newest first.
    public func versions(
        inProject project: String, matching query: VersionQuery
    ) async throws(TemplateStoreError) -> VersionPage {
        let limit = min(max(query.limit, 1), TemplateStoreLimits.keptVersions)
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT number, update_time, user_name, user_email, user_image_url, description,
                        origin, update_type, rollback_source
                    FROM versions
                    WHERE project = (SELECT id FROM projects WHERE name = CAST(? AS BLOB))
                        AND number <= ? AND update_time >= ? AND update_time < ?
                    ORDER BY number DESC LIMIT ?
                    """,
                arguments: [
                    SQLiteBytes(project), query.endVersion ?? .max,
                    query.startTime?.millisecondsSince1970 ?? .min,
                    query.endTime?.millisecondsSince1970 ?? .max, limit + 1,
                ])
            let found = try rows.map(TemplateVersion.init(row:))
            return VersionPage(
                versions: Array(found.prefix(limit)),
                nextVersion: found.count > limit ? found.last?.number : nil)
        }
    }
}

extension Database {
    /// What decides whether a template may be published.
    fileprivate func gate(for submission: TemplateSubmission) throws -> PublishGate {
        let project = submission.project
        let deleted = try deletedVersion(ofProject: project)
        let protection = try projectDetails(ofProject: project)?.details.protection
        return PublishGate(
            submission: submission,
            protection: protection,
            request: try submission.approval.changeRequest.flatMap { reference in
                try changeRequest(id: reference.id, inProject: project, withContents: false)?
                    .seen(at: submission.date, deletedVersion: deleted)
            }, tokens: protection == nil ? [] : try tokens(),
            sourceContent: try submission.sourceVersion.flatMap { number in
                try Data.fetchOne(
                    self,
                    sql: """
                        SELECT content FROM versions
                        WHERE project = (SELECT id FROM projects WHERE name = CAST(? AS BLOB))
                            AND number = ?
                        """, arguments: [SQLiteBytes(project), number])
            })
    }

    func insert(_ template: StoredTemplate, intoProject project: Int64) throws {
        let version = template.version
        try execute(
            sql: """
                INSERT INTO versions (
                    project, number, revision, update_time, user_name, user_email, user_image_url,
                    description, origin, update_type, rollback_source, content
                ) VALUES (
                    ?, ?, ?, ?, CAST(? AS BLOB), CAST(? AS BLOB), CAST(? AS BLOB),
                    CAST(? AS BLOB), ?, ?, ?, CAST(? AS BLOB)
                )
                """,
            arguments: [
                project, version.number, template.revision.number,
                version.updateTime.millisecondsSince1970,
                version.updateUser.name.map { SQLiteBytes($0) },
                version.updateUser.email.map { SQLiteBytes($0) },
                version.updateUser.imageURL.map { SQLiteBytes($0) },
                version.description.map { SQLiteBytes($0) },
                version.updateOrigin.rawValue, version.updateType.rawValue, version.sourceVersion,
                SQLiteBytes(template.content),
            ])
    }
}

extension StoredTemplate {
    /// Reads a template from a row of `versions` that includes the name of its project.
    init(row: Row) throws {
        self.init(
            project: try row.decode(SQLiteBytes.self, forColumn: "name").text,
            version: try TemplateVersion(row: row),
            content: try row.decode(Data.self, forColumn: "content"),
            revision: StoreRevision(try row.decode(Int64.self, forColumn: "revision")))
    }
}

extension TemplateVersion {
    /// Reads the metadata of a version from its row.
    fileprivate init(row: Row) throws {
        let origin = try row.decode(String.self, forColumn: "origin")
        let updateType = try row.decode(String.self, forColumn: "update_type")
        self.init(
            number: try row.decode(Int.self, forColumn: "number"),
            updateTime: Date(
                millisecondsSince1970: try row.decode(Int64.self, forColumn: "update_time")),
            updateUser: User(
                name: try row.decode(SQLiteBytes?.self, forColumn: "user_name")?.text,
                email: try row.decode(SQLiteBytes?.self, forColumn: "user_email")?.text,
                imageURL: try row.decode(SQLiteBytes?.self, forColumn: "user_image_url")?.text),
            description: try row.decode(SQLiteBytes?.self, forColumn: "description")?.text,
            updateOrigin: Origin(rawValue: origin) ?? .unspecified,
            updateType: UpdateType(rawValue: updateType) ?? .unspecified,
            sourceVersion: try row.decode(Int?.self, forColumn: "rollback_source"))
    }
}
