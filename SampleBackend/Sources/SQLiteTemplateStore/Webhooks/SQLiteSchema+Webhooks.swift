extension SQLiteSchema {
    /// The tables of webhooks and their deliveries.
    ///
    /// A delivery that somebody has taken is due again when the claim ends.
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
