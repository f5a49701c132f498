public import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Stores a new session, and removes sessions that have expired by its creation.
    public func addSession(
        _ session: StoredSession, actor: String
    ) async throws(TemplateStoreError) {
        let revision = try await write { [options] db in
            try db.execute(
                sql: "DELETE FROM sessions WHERE expiration_time <= ?",
                arguments: [session.creationDate.millisecondsSince1970])
            let exists = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM sessions
                        WHERE id = CAST(? AS BLOB) OR hash = CAST(? AS BLOB)
                    )
                    """, arguments: [SQLiteBytes(session.id), SQLiteBytes(session.hash)])
            if exists == true { throw TemplateStoreError.tokenExists(id: session.id) }
            try db.insert(session)
            let revision = try db.recordChange(
                .session(id: session.id), keeping: options.keptChanges)
            try db.record(AuditEntry(ofNew: session, actor: actor, revision: revision))
            return revision
        }
        signal.advance(to: revision)
    }

    /// The sessions that expire after a date.
    public func sessions(
        lastingAt date: Date
    ) async throws(TemplateStoreError) -> [StoredSession] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM sessions WHERE expiration_time > ?",
                arguments: [date.millisecondsSince1970]
            ).map(StoredSession.init(row:))
        }
    }

    /// A session; nil when none has this identifier.
    public func session(id: String) async throws(TemplateStoreError) -> StoredSession? {
        try await read { db in try db.session(id: id) }
    }

    /// Ends and removes a session; false when none has this identifier.
    public func removeSession(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        let revision: StoreRevision? = try await write { [options] db in
            guard let session = try db.session(id: id) else { return nil }
            try db.execute(
                sql: "DELETE FROM sessions WHERE id = CAST(? AS BLOB)",
                arguments: [SQLiteBytes(id)])
            let revision = try db.recordChange(.session(id: id), keeping: options.keptChanges)
            try db.record(
                AuditEntry(ofRevoked: session.name, actor: actor, date: date, revision: revision))
            return revision
        }
        guard let revision else { return false }
        signal.advance(to: revision)
        return true
    }

    /// Adds an entry for failed attempts to sign in to the audit trail.
    public func recordFailedSignIns(_ failed: FailedSignIns) async throws(TemplateStoreError) {
        let revision = try await write { [options] db in
            let revision = try db.recordChange(.failedSignIns, keeping: options.keptChanges)
            try db.record(AuditEntry(of: failed, revision: revision))
            return revision
        }
        signal.advance(to: revision)
    }
}

extension Database {
    fileprivate func session(id: String) throws -> StoredSession? {
        try Row.fetchOne(
            self, sql: "SELECT * FROM sessions WHERE id = CAST(? AS BLOB)",
            arguments: [SQLiteBytes(id)]
        ).map(StoredSession.init(row:))
    }

    func insert(_ session: StoredSession) throws {
        try execute(
            sql: """
                INSERT INTO sessions (
                    id, token, name, role, hash, creation_time, expiration_time, person
                ) VALUES (
                    CAST(? AS BLOB), CAST(? AS BLOB), CAST(? AS BLOB), ?, CAST(? AS BLOB), ?, ?,
                    CAST(? AS BLOB)
                )
                """,
            arguments: [
                SQLiteBytes(session.id), SQLiteBytes(session.tokenID), SQLiteBytes(session.name),
                session.role.rawValue, SQLiteBytes(session.hash),
                session.creationDate.millisecondsSince1970,
                session.expirationDate.millisecondsSince1970,
                session.person.map { SQLiteBytes($0.text) },
            ])
    }
}

extension StoredSession {
    init(row: Row) throws {
        self.init(
            id: try row.decode(SQLiteBytes.self, forColumn: "id").text,
            tokenID: try row.decode(SQLiteBytes.self, forColumn: "token").text,
            name: try row.decode(SQLiteBytes.self, forColumn: "name").text,
            role: try StoredToken.Role(row: row),
            person: try row.decode(SQLiteBytes?.self, forColumn: "person")
                .flatMap { SignedInPerson(text: $0.text) },
            hash: try row.decode(Data.self, forColumn: "hash"),
            creationDate: Date(
                millisecondsSince1970: try row.decode(Int64.self, forColumn: "creation_time")),
            expirationDate: Date(
                millisecondsSince1970: try row.decode(Int64.self, forColumn: "expiration_time")))
    }
}
