/// Database of schema 1, in that version's SQL; never change it.
enum SQLiteSchema1 {
    /// The tables with sample rows.
    static let sql = """
        PRAGMA journal_mode = WAL;
        BEGIN;
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
        PRAGMA application_id = 1094927943;
        PRAGMA user_version = 1;

        INSERT INTO changes VALUES (1, 'template', CAST('default' AS BLOB), 1, NULL);
        INSERT INTO changes VALUES (2, 'template', CAST('default' AS BLOB), 2, NULL);
        INSERT INTO changes VALUES (3, 'overrides', CAST('default' AS BLOB), NULL, x'6100');
        INSERT INTO changes VALUES (4, 'tokens', NULL, NULL, NULL);
        INSERT INTO changes VALUES (5, 'tokens', NULL, NULL, NULL);
        INSERT INTO changes VALUES (6, 'template', CAST('default' AS BLOB), 3, NULL);
        INSERT INTO projects VALUES (1, CAST('default' AS BLOB), 3);
        INSERT INTO versions VALUES (
            1, 1, 1, 1700000000123, CAST('root' AS BLOB), NULL, NULL, CAST('the first' AS BLOB),
            'CONSOLE', 'FORCED_UPDATE', NULL, CAST('{}' AS BLOB)
        );
        INSERT INTO versions VALUES (
            1, 2, 2, 1700000010000, NULL, CAST('a@b' AS BLOB), NULL, NULL, 'REST_API',
            'INCREMENTAL_UPDATE', NULL, CAST('{"a":1}' AS BLOB)
        );
        INSERT INTO versions VALUES (
            1, 3, 6, 1700000060000, NULL, NULL, x'', NULL, 'REST_API', 'ROLLBACK', 1,
            CAST('{"a":0}' AS BLOB)
        );
        INSERT INTO overrides VALUES (1, x'6100', CAST('{"b":1}' AS BLOB));
        INSERT INTO tokens VALUES (
            1, CAST('t1' AS BLOB), CAST('laptop' AS BLOB), 'editor', x'00FF', 1700000040000,
            1800000000000, 1700000050000, 1700000060000
        );
        INSERT INTO audit VALUES (
            1, CAST('default' AS BLOB), 1700000000123, CAST('root' AS BLOB), 'PUBLISH',
            CAST('1' AS BLOB), CAST('the first' AS BLOB)
        );
        INSERT INTO audit VALUES (
            2, CAST('default' AS BLOB), 1700000010000, CAST('a@b' AS BLOB), 'PUBLISH',
            CAST('2' AS BLOB), NULL
        );
        INSERT INTO audit VALUES (
            3, CAST('default' AS BLOB), 1700000020000, x'', 'SET_OVERRIDES', x'6100', NULL
        );
        INSERT INTO audit VALUES (
            4, NULL, 1700000040000, x'', 'CREATE_TOKEN', CAST('laptop' AS BLOB), NULL
        );
        INSERT INTO audit VALUES (
            5, NULL, 1700000060000, x'', 'REVOKE_TOKEN', CAST('laptop' AS BLOB), NULL
        );
        INSERT INTO audit VALUES (
            6, CAST('default' AS BLOB), 1700000060000, x'', 'ROLLBACK', CAST('3' AS BLOB), NULL
        );
        COMMIT;
        """
}
