import Foundation
import GRDB
public import TemplateStore

/// Number of changes that are read at a time.
private let changesPerRead = 256

extension SQLiteTemplateStore {
    /// The data that a server needs to answer clients, read at one revision.
    public func snapshot() async throws(TemplateStoreError) -> TemplateStoreSnapshot {
        try await read { db in
            let templates = try Row.fetchAll(
                db,
                sql: """
                    SELECT versions.*, projects.name FROM projects
                    JOIN versions ON versions.project = projects.id
                        AND versions.number = projects.current_version
                    ORDER BY projects.name
                    """
            ).map(StoredTemplate.init(row:))
            let empty = try db.emptyTemplates()
            var overrides: [String: [Data: Data]] = [:]  // names: names of projects are ASCII
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT projects.name, user_id, content FROM overrides
                    JOIN projects ON projects.id = overrides.project
                    """)
            while let row = try rows.next() {
                let project = try row.decode(SQLiteBytes.self, atIndex: 0).text
                let user = try row.decode(Data.self, atIndex: 1)
                overrides[project, default: [:]][user] = try row.decode(Data.self, atIndex: 2)
            }
            let deletedVersions = try db.deletedVersions()
            var snapshot = TemplateStoreSnapshot(
                templates: (templates + empty).sorted { $0.project < $1.project }.map { template in
                    var template = template
                    template.deletedVersion = deletedVersions[template.project]
                    return template
                }, overrides: overrides,
                projectDetails: try db.allProjectDetails(), revision: try db.latestRevision())
            snapshot.deletedVersions = deletedVersions
            snapshot.versionFloor = try db.versionFloor()
            return snapshot
        }
    }

    /// The changes after a revision, by any process, in order.
    public func changes(since revision: StoreRevision) -> StoreChanges {
        StoreChanges(
            after: revision, signal: signal,
            whenWaiting: { [self] in
                poller.start { [self] () throws(TemplateStoreError) in
                    try await read { db in try db.latestRevision() }
                }
            },
            read: { [self] position throws(TemplateStoreError) in
                try await read { db in try db.changes(after: position) }
            })
    }
}

extension SQLiteTemplateStore: SharedStoring {
    /// The revision of the last change.
    public func newestRevision() async throws(TemplateStoreError) -> StoreRevision {
        try await read { db in try db.latestRevision() }
    }
}

extension Database {
    /// The revision of the last change.
    func latestRevision() throws -> StoreRevision {
        StoreRevision(try Int64.fetchOne(self, sql: "SELECT max(revision) FROM changes") ?? 0)
    }

    /// A page of the changes after a revision, in order.
    fileprivate func changes(after position: StoreRevision) throws -> [StoreChange] {
        let latest = try latestRevision()
        let oldest =
            try Int64.fetchOne(self, sql: "SELECT min(revision) FROM changes") ?? latest.number + 1
        guard position.number >= oldest - 1, position <= latest else {
            throw TemplateStoreError.watchLost(after: position, latest: latest)
        }
        return try Row.fetchAll(
            self, sql: "SELECT * FROM changes WHERE revision > ? ORDER BY revision LIMIT ?",
            arguments: [position.number, changesPerRead]
        ).map(StoreChange.init(row:))
    }

    /// Records a change with a revision, by default the next one, drops all but the newest `kept`
    /// changes, and returns the revision.
    @discardableResult
    func recordChange(
        _ subject: StoreChange.Subject, keeping kept: Int, at revision: StoreRevision? = nil
    ) throws -> StoreRevision {
        let columns: StatementArguments =
            switch subject {
            case .template(let project, let version):
                ["template", SQLiteBytes(project), version, nil]
            case .overrides(let project, let userID):
                ["overrides", SQLiteBytes(project), nil, SQLiteBytes(userID)]
            case .tokens: ["tokens", nil, nil, nil]
            case .session(let id): ["session", nil, nil, SQLiteBytes(id)]
            case .webhooks(let project): ["webhooks", SQLiteBytes(project), nil, nil]
            case .projectDetails(let project):
                ["projectDetails", SQLiteBytes(project), nil, nil]
            case .changeRequest(let project, let id):
                ["changeRequest", SQLiteBytes(project), nil, SQLiteBytes(id)]
            case .project(let project): ["project", SQLiteBytes(project), nil, nil]
            }
        try execute(
            sql: """
                INSERT INTO changes (revision, kind, project, version, user_id)
                VALUES (?, ?, CAST(? AS BLOB), ?, CAST(? AS BLOB))
                """, arguments: [revision?.number] + columns)
        let revision = StoreRevision(lastInsertedRowID)
        try execute(
            sql: "DELETE FROM changes WHERE revision <= ?",
            arguments: [revision.number - Int64(kept)])
        return revision
    }
}

extension StoreChange {
    fileprivate init(row: Row) throws {
        let kind = try row.decode(String.self, forColumn: "kind")
        let subject: Subject
        switch kind {
        case "template":
            subject = .template(
                project: try row.decode(SQLiteBytes.self, forColumn: "project").text,
                version: try row.decode(Int.self, forColumn: "version"))
        case "overrides":
            subject = .overrides(
                project: try row.decode(SQLiteBytes.self, forColumn: "project").text,
                userID: try row.decode(SQLiteBytes.self, forColumn: "user_id").text)
        case "tokens": subject = .tokens
        case "session":
            subject = .session(id: try row.decode(SQLiteBytes.self, forColumn: "user_id").text)
        case "webhooks":
            subject = .webhooks(
                project: try row.decode(SQLiteBytes.self, forColumn: "project").text)
        case "projectDetails":
            subject = .projectDetails(
                project: try row.decode(SQLiteBytes.self, forColumn: "project").text)
        case "changeRequest":
            subject = .changeRequest(
                project: try row.decode(SQLiteBytes.self, forColumn: "project").text,
                id: try row.decode(SQLiteBytes.self, forColumn: "user_id").text)
        case "project":
            subject = .project(try row.decode(SQLiteBytes.self, forColumn: "project").text)
        default:
            throw TemplateStoreError(
                .damaged,
                "The log of changes has an entry of the unknown kind '\(kind)': put a backup in "
                    + "the place of the database.")
        }
        self.init(
            subject, revision: StoreRevision(try row.decode(Int64.self, forColumn: "revision")))
    }
}
