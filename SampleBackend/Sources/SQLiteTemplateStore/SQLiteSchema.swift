import Foundation
package import GRDB
import TemplateStore

/// The tables of a store's database.
///
/// Text is stored as its UTF-8 bytes, so that it compares byte by byte and can contain any
/// character. Times are milliseconds since 1970.
package enum SQLiteSchema {
    /// The application ID that marks a database as this program's, `ACFG` in ASCII.
    static let applicationID: Int32 = 0x4143_4647

    /// The application ID of an incomplete copy, `ACFI` in ASCII.
    static let incompleteApplicationID: Int32 = 0x4143_4649

    /// The number of the schema; databases with lower ones were never released.
    package static let number = 14

    /// Throws unless a database is empty or has this schema; returns false when it is empty.
    ///
    /// `path` is for error messages.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `otherSchema`, or `damaged` when the database
    ///   belongs to another program; a `DatabaseError`.
    static func isPresent(in db: Database, at path: String) throws -> Bool {
        // In one statement, since another process may create the tables between two.
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT (SELECT user_version FROM pragma_user_version),
                    (SELECT application_id FROM pragma_application_id),
                    (SELECT count(*) FROM sqlite_schema)
                """)
        let found: Int = row?[0] ?? 0
        let owner: Int32 = row?[1] ?? 0
        let tables: Int = row?[2] ?? 0
        if owner == 0, found == 0, tables == 0 { return false }
        if owner == incompleteApplicationID {
            throw TemplateStoreError.incompleteCopy(
                "'\(path)'", advice: "remove the file, its -wal and its -shm")
        }
        guard owner == applicationID, found > 0 else {
            throw TemplateStoreError(
                .damaged,
                "The file '\(path)' is the database of another program; it "
                    + "is unchanged: give the path of a new file or of a template store.")
        }
        guard found == number else {
            throw TemplateStoreError(
                .otherSchema,
                "The database '\(path)' has the schema \(found), and this program reads only the "
                    + "schema \(number); it is unchanged: use the program that wrote it, or give the "
                    + "path of a new file.")
        }
        return true
    }

    /// Creates the tables in an empty database, in one transaction; `path` is for error messages.
    ///
    /// - Throws: As ``isPresent(in:at:)``.
    package static func createIfNeeded(in db: Database, at path: String) throws {
        if try isPresent(in: db, at: path) { return }
        try db.inTransaction(.immediate) {
            // Another process may have created them first.
            if try isPresent(in: db, at: path) { return .rollback }
            for tables in [projects, access, webhooks, drafts, changeRequests, trail] {
                try db.execute(sql: tables)
            }
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: "PRAGMA user_version = \(number)")
            return .commit
        }
    }
}

extension SQLiteSchema {
    private static let projects = """
        CREATE TABLE projects (
            id INTEGER PRIMARY KEY,
            name BLOB NOT NULL UNIQUE,
            current_version INTEGER NOT NULL DEFAULT 0 CHECK (current_version >= 0)
        ) STRICT;

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

        CREATE TABLE project_details (
            project INTEGER PRIMARY KEY REFERENCES projects (id),
            display_name BLOB,
            color TEXT,
            environment TEXT,
            revision INTEGER NOT NULL,
            is_archived INTEGER NOT NULL DEFAULT 0,
            protection BLOB,
            intended_differences BLOB
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

        CREATE TABLE usage (
            project INTEGER PRIMARY KEY REFERENCES projects (id),
            record BLOB NOT NULL
        ) STRICT;
        """

    /// Tokens, and the console's sessions.
    private static let access = """
        CREATE TABLE tokens (
            position INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            name BLOB NOT NULL,
            role TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            creation_time INTEGER NOT NULL,
            expiration_time INTEGER,
            last_use_time INTEGER,
            revocation_time INTEGER,
            projects BLOB,
            owner BLOB,
            creator BLOB,
            identity BLOB,
            may_bypass INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        CREATE TABLE sessions (
            id BLOB NOT NULL PRIMARY KEY,
            token BLOB NOT NULL,
            name BLOB NOT NULL,
            role TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            creation_time INTEGER NOT NULL,
            expiration_time INTEGER NOT NULL,
            person BLOB
        ) STRICT;
        CREATE INDEX sessions_by_time ON sessions (expiration_time);
        """

    /// Webhooks and their deliveries; a claimed delivery is due again when its claim ends.
    private static let webhooks = """
        CREATE TABLE webhooks (
            position INTEGER PRIMARY KEY,
            project INTEGER NOT NULL REFERENCES projects (id),
            id BLOB NOT NULL UNIQUE,
            url BLOB NOT NULL,
            secret BLOB NOT NULL,
            creation_time INTEGER NOT NULL,
            creator BLOB NOT NULL,
            known_version INTEGER NOT NULL,
            topics TEXT NOT NULL
        ) STRICT;
        CREATE INDEX webhooks_by_project ON webhooks (project, position);

        CREATE TABLE deliveries (
            position INTEGER PRIMARY KEY,
            webhook INTEGER NOT NULL REFERENCES webhooks (position) ON DELETE CASCADE,
            id BLOB NOT NULL UNIQUE,
            topic TEXT NOT NULL,
            event BLOB NOT NULL,
            creation_time INTEGER NOT NULL,
            state TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            status_code INTEGER,
            error BLOB,
            next_attempt_time INTEGER CHECK ((next_attempt_time IS NULL) = (state <> 'PENDING')),
            is_claimed INTEGER NOT NULL,
            finish_time INTEGER
        ) STRICT;
        CREATE INDEX deliveries_by_webhook ON deliveries (webhook, topic, position);
        CREATE INDEX waiting_deliveries ON deliveries (webhook, position)
            WHERE state = 'PENDING' AND topic <> 'publish';
        CREATE INDEX deliveries_by_time ON deliveries (next_attempt_time) WHERE state = 'PENDING';
        """

    /// A draft can belong to a project that does not exist yet.
    private static let drafts = """
        CREATE TABLE drafts (
            owner BLOB NOT NULL,
            project BLOB NOT NULL,
            base_version INTEGER NOT NULL CHECK (base_version >= 0),
            tag BLOB NOT NULL,
            update_time INTEGER NOT NULL,
            content BLOB NOT NULL,
            expiry_notice_time INTEGER,
            PRIMARY KEY (owner, project)
        ) STRICT;
        CREATE INDEX drafts_by_time ON drafts (update_time);
        """

    /// A change request outlives its project.
    ///
    /// Its templates are apart, since SQLite writes a whole row when a vote changes it.
    private static let changeRequests = """
        CREATE TABLE change_requests (
            project BLOB NOT NULL,
            id BLOB NOT NULL,
            state TEXT NOT NULL,
            tag BLOB NOT NULL,
            update_time INTEGER NOT NULL,
            deleted_version INTEGER,
            size INTEGER NOT NULL,
            scheduled_time INTEGER,
            due_time INTEGER,
            expiry_notice_time INTEGER,
            record BLOB NOT NULL,
            PRIMARY KEY (project, id)
        ) STRICT;
        CREATE INDEX due_change_requests ON change_requests (due_time) WHERE due_time IS NOT NULL;

        CREATE TABLE change_request_contents (
            project BLOB NOT NULL,
            id BLOB NOT NULL,
            base BLOB NOT NULL,
            content BLOB NOT NULL,
            PRIMARY KEY (project, id),
            FOREIGN KEY (project, id) REFERENCES change_requests (project, id) ON DELETE CASCADE
        ) STRICT;
        """

    /// The audit trail, whose last RAISE_VERSIONS is the version floor, and the feed of changes.
    private static let trail = """
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
        CREATE INDEX audit_of_version_floors ON audit (revision) WHERE action = 'RAISE_VERSIONS';
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
}
