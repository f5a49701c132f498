import Crypto
import Foundation
import GRDB
import TemplateStore

/// A checksum of the content of a backup, in a table of the backup itself, which marks the backup.
///
/// It covers the tables and rows as they are stored. SQLite's own check finds damage to the structure of a file only.
enum SQLiteBackupChecksum {
    private static let table = "backup_checksum"

    /// Adds the checksum to a finished copy.
    static func add(to db: Database) throws {
        // A backup of a backup has that of its source.
        try remove(from: db)
        let checksum = try compute(db)
        try db.execute(sql: "CREATE TABLE \(table) (sha256 BLOB NOT NULL) STRICT")
        try db.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [checksum])
    }

    /// True for a backup that no process has opened to change it.
    ///
    /// Not by `tableExists`, which remembers tables that another process has removed since.
    static func isPresent(in db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)",
            arguments: [table]) ?? false
    }

    /// Removes the checksum of a backup that becomes a database in use.
    static func remove(from db: Database) throws {
        try db.execute(sql: "DROP TABLE IF EXISTS \(table)")
    }

    /// False when the content differs from that of the backup; true without a checksum, as in a
    /// database that was in use.
    static func isKept(in db: Database) throws -> Bool {
        guard try isPresent(in: db) else { return true }
        return try Data.fetchOne(db, sql: "SELECT sha256 FROM \(table)") == compute(db)
    }

    private static func compute(_ db: Database) throws -> Data {
        var hash = SHA256()
        let tables = try Row.fetchAll(
            db,
            sql: """
                SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name <> ? ORDER BY name
                """,
            arguments: [table])
        for row in tables {
            hash.add(row.databaseValues)
            let name: String = row[0]
            let rows = try Row.fetchCursor(
                db, sql: "SELECT * FROM \(name.quotedDatabaseIdentifier) ORDER BY rowid")
            while let row = try rows.next() { hash.add(row.databaseValues) }
        }
        return Data(hash.finalize())
    }
}

extension SHA256 {
    /// Adds the values of a row, each with its type and length.
    fileprivate mutating func add(_ values: some Sequence<DatabaseValue>) {
        for value in values {
            switch value.storage {
            case .null: add("null", Data())
            case .int64(let number): add("integer", Data("\(number)".utf8))
            case .double(let number): add("real", Data("\(number)".utf8))
            case .string(let text): add("text", Data(text.utf8))
            case .blob(let bytes): add("blob", bytes)
            }
        }
    }

    private mutating func add(_ type: String, _ bytes: Data) {
        update(data: Data("\(type) \(bytes.count):".utf8))
        update(data: bytes)
    }
}
