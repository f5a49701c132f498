import Foundation
package import GRDB
import TemplateStore

/// The tables of a store's database, and the migrations from older ones.
///
/// Text is stored as its UTF-8 bytes, so that it compares byte by byte and can contain any
/// character. Times are milliseconds since 1970.
package enum SQLiteSchema {
    /// The application ID that marks a database as this program's, `ACFG` in ASCII.
    static let applicationID: Int32 = 0x4143_4647

    /// The application ID of an incomplete copy, `ACFI` in ASCII.
    ///
    /// Older programs take the copy for another program's database.
    static let incompleteApplicationID: Int32 = 0x4143_4649

    /// Migrations from each schema version to the next; the first starts from an empty database.
    ///
    /// Append only: released migrations never change.
    private static let migrations = [
        version1, version2, version3, version4, version5, version6, version7,
        version8,
    ]

    package static var currentVersion: Int { migrations.count }

    private static let version1 = """
        CREATE TABLE projects (
            id INTEGER PRIMARY KEY,
            name BLOB NOT NULL UNIQUE,
            current_version INTEGER NOT NULL CHECK (current_version > 0)
        ) STRICT;

        CREATE TABLE versions (
            project INTEGER NOT NULL REFERENCES projects (id),
            number INTEGER NOT NULL CHECK (number > 0),
            revision INTEGER NOT NULL UNIQUE,
            update_time INTEGER NOT NULL,
            user_name BLOB,
            user_email BLOB,
            user_image_url BLOB,
            description BLOB,
            origin TEXT NOT NULL,
            update_type TEXT NOT NULL,
            rollback_source INTEGER,
            content BLOB NOT NULL,
            PRIMARY KEY (project, number)
        ) STRICT;

        CREATE TABLE overrides (
            project INTEGER NOT NULL REFERENCES projects (id),
            user_id BLOB NOT NULL,
            content BLOB NOT NULL,
            PRIMARY KEY (project, user_id)
        ) STRICT;

        CREATE TABLE tokens (
            position INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            name BLOB NOT NULL,
            role TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            creation_time INTEGER NOT NULL,
            expiration_time INTEGER,
            last_use_time INTEGER,
            revocation_time INTEGER
        ) STRICT;

        CREATE TABLE audit (
            revision INTEGER PRIMARY KEY,
            project BLOB,
            time INTEGER NOT NULL,
            actor BLOB NOT NULL,
            action TEXT NOT NULL,
            subject BLOB NOT NULL,
            detail BLOB
        ) STRICT;
        CREATE INDEX audit_by_project ON audit (project, revision);
        CREATE TRIGGER audit_keeps_its_entries BEFORE UPDATE ON audit BEGIN
            SELECT RAISE(ABORT, 'the audit trail is never rewritten');
        END;
        CREATE TRIGGER audit_loses_no_entry BEFORE DELETE ON audit BEGIN
            SELECT RAISE(ABORT, 'the audit trail is never shortened');
        END;
        CREATE TRIGGER audit_grows_at_its_end BEFORE INSERT ON audit
        WHEN NEW.revision <= (SELECT max(revision) FROM audit) BEGIN
            SELECT RAISE(ABORT, 'the audit trail grows at its end only');
        END;

        CREATE TABLE changes (
            revision INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            project BLOB,
            version INTEGER,
            user_id BLOB
        ) STRICT;
        """

    /// The version of a database's schema; 0 when it is empty.
    ///
    /// `path` is for error messages.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `newerSchema`, or `damaged` when the database
    ///   belongs to another program; a `DatabaseError`.
    static func version(of db: Database, at path: String) throws -> Int {
        // In one statement, since another process may migrate the database between two.
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT (SELECT user_version FROM pragma_user_version),
                    (SELECT application_id FROM pragma_application_id),
                    (SELECT count(*) FROM sqlite_schema)
                """)
        let version: Int = row?[0] ?? 0
        let owner: Int32 = row?[1] ?? 0
        let tables: Int = row?[2] ?? 0
        if owner == 0, version == 0, tables == 0 { return 0 }
        if owner == incompleteApplicationID {
            throw TemplateStoreError.incompleteCopy(
                "'\(path)'", advice: "remove the file, its -wal and its -shm")
        }
        guard owner == applicationID, version > 0 else {
            throw TemplateStoreError(
                .damaged,
                "The file '\(path)' is the database of another program; it "
                    + "is unchanged: give the path of a new file or of a template store.")
        }
        guard version <= currentVersion else {
            throw TemplateStoreError(
                .newerSchema,
                "The database '\(path)' has the schema \(version), and "
                    + "this program knows schemas up to \(currentVersion); it is unchanged: use "
                    + "the newer program that wrote it, or a backup made before.")
        }
        return version
    }

    /// Migrates a database to the current schema in one transaction; `path` is for error messages.
    package static func migrate(_ db: Database, at path: String) throws {
        if try version(of: db, at: path) == currentVersion { return }
        try db.inTransaction(.immediate) {
            // Another process may have migrated the database first.
            for migration in migrations.dropFirst(try version(of: db, at: path)) {
                try db.execute(sql: migration)
            }
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: "PRAGMA user_version = \(currentVersion)")
            return .commit
        }
    }
}

extension SQLiteSchema {
    /// The tables for webhooks and their deliveries.
    ///
    /// A claimed delivery is due again when its claim ends.
    static let version2 = """
        CREATE TABLE webhooks (
            position INTEGER PRIMARY KEY,
            project INTEGER NOT NULL REFERENCES projects (id),
            id BLOB NOT NULL UNIQUE,
            url BLOB NOT NULL,
            secret BLOB NOT NULL,
            creation_time INTEGER NOT NULL,
            creator BLOB NOT NULL,
            known_version INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX webhooks_by_project ON webhooks (project, position);

        CREATE TABLE deliveries (
            position INTEGER PRIMARY KEY,
            webhook INTEGER NOT NULL REFERENCES webhooks (position) ON DELETE CASCADE,
            id BLOB NOT NULL UNIQUE,
            version INTEGER NOT NULL,
            update_type TEXT NOT NULL,
            creation_time INTEGER NOT NULL,
            state TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            status_code INTEGER,
            error BLOB,
            next_attempt_time INTEGER CHECK ((next_attempt_time IS NULL) = (state <> 'PENDING')),
            is_claimed INTEGER NOT NULL,
            finish_time INTEGER
        ) STRICT;
        CREATE INDEX deliveries_by_webhook ON deliveries (webhook, position);
        CREATE INDEX deliveries_by_time ON deliveries (next_attempt_time) WHERE state = 'PENDING';
        """
}

extension SQLiteSchema {
    /// The table for drafts; a draft can belong to a project that does not exist yet.
    fileprivate static let version3 = """
        CREATE TABLE drafts (
            owner BLOB NOT NULL,
            project BLOB NOT NULL,
            base_version INTEGER NOT NULL CHECK (base_version >= 0),
            tag BLOB NOT NULL,
            update_time INTEGER NOT NULL,
            content BLOB NOT NULL,
            PRIMARY KEY (owner, project)
        ) STRICT;
        CREATE INDEX drafts_by_time ON drafts (update_time);
        """
}

extension SQLiteSchema {
    /// The table for project details, with the revision of their last change.
    fileprivate static let version4 = """
        CREATE TABLE project_details (
            project INTEGER PRIMARY KEY REFERENCES projects (id),
            display_name BLOB,
            color TEXT,
            environment TEXT,
            revision INTEGER NOT NULL
        ) STRICT;
        """
}

extension SQLiteSchema {
    /// The table for the console's sessions, which earlier versions stored as tokens and kept after
    /// their end.
    fileprivate static let version5 = """
        CREATE TABLE sessions (
            id BLOB NOT NULL PRIMARY KEY,
            token BLOB NOT NULL,
            name BLOB NOT NULL,
            role TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            creation_time INTEGER NOT NULL,
            expiration_time INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX sessions_by_time ON sessions (expiration_time);
        INSERT INTO sessions
        SELECT id, substr(id, 9, length(id) - 21), name, role, hash, creation_time, expiration_time
        FROM tokens
        WHERE substr(id, 1, 8) = CAST('session.' AS BLOB) AND revocation_time IS NULL
            AND expiration_time > CAST(strftime('%s', 'now') AS INTEGER) * 1000;
        DELETE FROM tokens WHERE substr(id, 1, 8) = CAST('session.' AS BLOB);
        """
}

extension SQLiteSchema {
    /// The time at which a draft was marked as expired.
    fileprivate static let version6 = """
        ALTER TABLE drafts ADD COLUMN expiry_notice_time INTEGER;
        """
}

extension SQLiteSchema {
    /// Created, archived and deleted projects, and tokens for some projects only.
    ///
    /// A project that was created empty has no version: its column loses the check that it is
    /// positive, which dropping the column does without rewriting a table that refers to it.
    fileprivate static let version7 = """
        ALTER TABLE projects ADD COLUMN version INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0);
        UPDATE projects SET version = current_version;
        ALTER TABLE projects DROP COLUMN current_version;
        ALTER TABLE projects RENAME COLUMN version TO current_version;

        CREATE TABLE created_projects (
            project INTEGER PRIMARY KEY REFERENCES projects (id),
            version INTEGER NOT NULL CHECK (version >= 0),
            revision INTEGER NOT NULL UNIQUE,
            time INTEGER NOT NULL,
            actor BLOB NOT NULL
        ) STRICT;

        CREATE TABLE deleted_projects (
            name BLOB NOT NULL PRIMARY KEY,
            version INTEGER NOT NULL CHECK (version >= 0)
        ) STRICT;

        ALTER TABLE project_details ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE tokens ADD COLUMN projects BLOB;
        """
}

extension SQLiteSchema {
    /// The version floor is the last one of the audit trail.
    fileprivate static let version8 = """
        CREATE INDEX audit_of_version_floors ON audit (revision) WHERE action = 'RAISE_VERSIONS';
        """
}
