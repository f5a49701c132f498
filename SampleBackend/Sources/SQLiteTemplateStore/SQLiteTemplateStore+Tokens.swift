public import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// Stores a new access token as its hash.
    public func addToken(
        _ token: StoredToken, actor: String
    ) async throws(TemplateStoreError) {
        let revision = try await write { [options] db in
            try token.checkIsNew(among: db.tokens())
            try db.insert(token)
            let revision = try db.recordChange(.tokens, keeping: options.keptChanges)
            try db.record(AuditEntry(ofNew: token, actor: actor, revision: revision))
            return revision
        }
        signal.advance(to: revision)
    }

    /// All tokens, oldest first, including revoked and expired ones.
    public func tokens() async throws(TemplateStoreError) -> [StoredToken] {
        try await read { db in try db.tokens() }
    }

    /// Revokes a token permanently; false when no token has this identifier.
    public func revokeToken(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        let (isFound, revision): (Bool, StoreRevision?) = try await write { [options] db in
            let token = try Row.fetchOne(
                db, sql: "SELECT name, revocation_time FROM tokens WHERE id = CAST(? AS BLOB)",
                arguments: [SQLiteBytes(id)])
            guard let token else { return (false, nil) }
            if try token.decode(Int64?.self, atIndex: 1) != nil { return (true, nil) }
            try db.execute(
                sql: "UPDATE tokens SET revocation_time = ? WHERE id = CAST(? AS BLOB)",
                arguments: [date.millisecondsSince1970, SQLiteBytes(id)])
            try db.execute(
                sql: "DELETE FROM sessions WHERE token = CAST(? AS BLOB)",
                arguments: [SQLiteBytes(id)])
            let revision = try db.recordChange(.tokens, keeping: options.keptChanges)
            let name = try token.decode(SQLiteBytes.self, atIndex: 0).text
            try db.record(
                AuditEntry(ofRevoked: name, actor: actor, date: date, revision: revision))
            return (true, revision)
        }
        if let revision { signal.advance(to: revision) }
        return isFound
    }

    /// Records the last uses of tokens, to the minute, in one transaction.
    public func recordUses(_ dates: [String: Date]) async throws(TemplateStoreError) {
        let pause = Int64(TemplateStoreLimits.secondsBetweenRecordedUses) * 1_000
        let times = recordedUses.withLock { recorded in
            dates.mapValues(\.millisecondsSince1970).filter { id, time in
                recorded[id].map { time >= $0 + pause } ?? true
            }
        }
        guard !times.isEmpty else { return }
        let recorded = try await write { db in
            var recorded: [String: Int64] = [:]  // names: IDs of tokens are made here
            for (id, time) in times {
                try db.execute(
                    sql: """
                        UPDATE tokens SET last_use_time = ?1
                        WHERE id = CAST(?2 AS BLOB)
                            AND (last_use_time IS NULL OR last_use_time <= ?1 - ?3)
                        """, arguments: [time, SQLiteBytes(id), pause])
                recorded[id] = try Int64.fetchOne(
                    db, sql: "SELECT last_use_time FROM tokens WHERE id = CAST(? AS BLOB)",
                    arguments: [SQLiteBytes(id)])
            }
            return recorded
        }
        recordedUses.withLock { $0.merge(recorded) { $1 } }
    }
}

extension Database {
    func tokens() throws -> [StoredToken] {
        try Row.fetchAll(self, sql: "SELECT * FROM tokens ORDER BY position")
            .map(StoredToken.init(row:))
    }

    func insert(_ token: StoredToken) throws {
        try execute(
            sql: """
                INSERT INTO tokens (
                    id, name, role, projects, owner, creator, identity, may_bypass, hash,
                    creation_time, expiration_time, last_use_time, revocation_time
                ) VALUES (
                    CAST(? AS BLOB), CAST(? AS BLOB), ?, CAST(? AS BLOB), CAST(? AS BLOB),
                    CAST(? AS BLOB), CAST(? AS BLOB), ?, CAST(? AS BLOB), ?, ?, ?, ?
                )
                """,
            arguments: [
                SQLiteBytes(token.id), SQLiteBytes(token.name), token.role.rawValue,
                token.projectsText.map { SQLiteBytes($0) }, token.owner.map { SQLiteBytes($0) },
                token.creator.map { SQLiteBytes($0) }, token.identity.map { SQLiteBytes($0) },
                token.mayBypass, SQLiteBytes(token.hash),
                token.creationDate.millisecondsSince1970,
                token.expirationDate?.millisecondsSince1970,
                token.lastUseDate?.millisecondsSince1970,
                token.revocationDate?.millisecondsSince1970,
            ])
    }
}

extension StoredToken.Role {
    /// Reads the role of a token or a session from its row.
    init(row: Row) throws {
        let name = try row.decode(String.self, forColumn: "role")
        guard let role = Self(rawValue: name) else {
            throw TemplateStoreError(
                .damaged,
                "A token has the unknown role '\(name)': put a backup in the place of the "
                    + "database.")
        }
        self = role
    }
}

extension StoredToken {
    init(row: Row) throws {
        func date(_ column: String) throws -> Date? {
            try row.decode(Int64?.self, forColumn: column).map(Date.init(millisecondsSince1970:))
        }
        self.init(
            id: try row.decode(SQLiteBytes.self, forColumn: "id").text,
            name: try row.decode(SQLiteBytes.self, forColumn: "name").text,
            role: try Role(row: row),
            projects: Self.projects(
                inText: try row.decode(SQLiteBytes?.self, forColumn: "projects")?.text),
            owner: try row.decode(SQLiteBytes?.self, forColumn: "owner")?.text,
            creator: try row.decode(SQLiteBytes?.self, forColumn: "creator")?.text,
            identity: try row.decode(SQLiteBytes?.self, forColumn: "identity")?.text,
            mayBypass: try row.decode(Bool.self, forColumn: "may_bypass"),
            hash: try row.decode(Data.self, forColumn: "hash"),
            creationDate: Date(
                millisecondsSince1970: try row.decode(Int64.self, forColumn: "creation_time")),
            expirationDate: try date("expiration_time"), lastUseDate: try date("last_use_time"),
            revocationDate: try date("revocation_time"))
    }
}
