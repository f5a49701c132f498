public import Foundation
import GRDB
public import TemplateStore

extension SQLiteTemplateStore {
    /// The latest deliveries of a webhook, newest first, without those that cannot be read.
    public func deliveries(
        ofWebhook id: String, inProject project: String, limit: Int
    ) async throws(TemplateStoreError) -> [WebhookDelivery] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT deliveries.*, webhooks.id AS webhook_id FROM deliveries
                    JOIN webhooks ON webhooks.position = deliveries.webhook
                    JOIN projects ON projects.id = webhooks.project
                    WHERE webhooks.id = CAST(? AS BLOB) AND projects.name = CAST(? AS BLOB)
                    ORDER BY deliveries.position DESC LIMIT ?
                    """, arguments: [SQLiteBytes(id), SQLiteBytes(project), max(limit, 0)]
            ).compactMap { row in
                do {
                    return try WebhookDelivery(row: row)
                } catch let error as TemplateStoreError where error.code == .damaged {
                    return nil
                }
            }
        }
    }

    /// Claims due deliveries, so that no other process sends them.
    public func claimDeliveries(
        date: Date, until end: Date, limit: Int
    ) async throws(TemplateStoreError) -> [ClaimedDelivery] {
        let time = date.millisecondsSince1970
        // Another process is often faster, and a read does not block writers.
        if try await read({ db in try db.dueDeliveries(at: time, limit: 1).isEmpty }) { return [] }
        return try await write { db in
            var damage: TemplateStoreError?
            let claimed: [ClaimedDelivery] = try db.dueDeliveries(at: time, limit: limit)
                .compactMap { place in
                    do {
                        _ = try db.claimedDelivery(at: place)
                    } catch let error as TemplateStoreError where error.code == .damaged {
                        damage = error
                        return nil
                    }
                    try db.execute(
                        sql: """
                            UPDATE deliveries
                            SET is_claimed = 1, attempts = attempts + 1, next_attempt_time = ?
                            WHERE position = ?
                            """, arguments: [end.millisecondsSince1970, place.delivery])
                    try db.supersedeDeliveries(ofWebhook: place.webhook, time: time)
                    return try db.claimedDelivery(at: place)
                }
            if claimed.isEmpty, let damage { throw damage }
            return claimed
        }
    }

    /// True while a delivery has the claim with which it was returned.
    public func holdsClaim(
        of claimed: ClaimedDelivery, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try await read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM deliveries
                        WHERE id = CAST(? AS BLOB) AND state = 'PENDING' AND is_claimed
                            AND attempts = ? AND next_attempt_time > ?
                    )
                    """,
                arguments: [
                    SQLiteBytes(claimed.delivery.id), claimed.delivery.attempts,
                    date.millisecondsSince1970,
                ]) ?? false
        }
    }

    /// The earliest time at which a delivery can be claimed.
    public func nextDeliveryDate() async throws(TemplateStoreError) -> Date? {
        try await read { db in
            try Int64.fetchOne(
                db,
                sql: """
                    SELECT min(max(ifnull(due, claim_end), ifnull(claim_end, due))) FROM (
                        SELECT min(CASE WHEN \(Database.isHead) THEN next_attempt_time END) AS due,
                            max(CASE WHEN is_claimed THEN next_attempt_time END) AS claim_end
                        FROM deliveries WHERE state = 'PENDING' GROUP BY webhook
                    )
                    """
            ).map(Date.init(millisecondsSince1970:))
        }
    }

    /// Stores the result of an attempt at a claimed delivery.
    public func finish(_ attempt: DeliveryAttempt) async throws(TemplateStoreError) {
        let time = attempt.date.millisecondsSince1970
        let (state, retryTime): (WebhookDelivery.State, Int64?) =
            switch attempt.outcome {
            case .delivered: (.delivered, nil)
            case .failed: (.failed, nil)
            case .retry(let date): (.pending, date.millisecondsSince1970)
            }
        try await write { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    UPDATE deliveries
                    SET state = ?, status_code = ?, error = CAST(? AS BLOB),
                        next_attempt_time = ?, is_claimed = 0, finish_time = ?
                    WHERE id = CAST(? AS BLOB) AND state = 'PENDING' AND attempts = ?
                    RETURNING webhook, event
                    """,
                arguments: [
                    state.rawValue, attempt.statusCode, attempt.error.map { SQLiteBytes($0) },
                    retryTime, state == .pending ? nil : time, SQLiteBytes(attempt.deliveryID),
                    attempt.number,
                ])
            guard let row else { return }
            let webhook = try row.decode(Int64.self, atIndex: 0)
            let event = try WebhookEvent(record: try row.decode(Data.self, atIndex: 1))
            if state == .delivered, let version = event.version {
                try db.execute(
                    sql: """
                        UPDATE webhooks SET known_version = max(known_version, ?)
                        WHERE position = ?
                        """, arguments: [version, webhook])
            }
            try db.supersedeDeliveries(ofWebhook: webhook, time: time)
        }
    }
}

extension Database {
    /// The positions of a delivery and its webhook in their tables.
    fileprivate typealias DeliveryPlace = (delivery: Int64, webhook: Int64)

    /// True for a delivery that its webhook may get next: that of the last version, and the first
    /// pending one of the other events.
    fileprivate static let isHead = """
        (topic = 'publish' AND position = (
            SELECT max(position) FROM deliveries AS latest
            WHERE latest.webhook = deliveries.webhook AND latest.topic = 'publish'
        ) OR topic <> 'publish' AND position = (
            SELECT min(position) FROM deliveries AS first
            WHERE first.webhook = deliveries.webhook AND first.topic <> 'publish'
                AND first.state = 'PENDING'
        ))
        """

    /// Adds deliveries for events of a project to the webhooks that want them.
    func enqueueDeliveries(
        of events: [WebhookEvent], date: Date, inProject project: Int64
    ) throws {
        guard !events.isEmpty else { return }
        let time = date.millisecondsSince1970
        let webhooks = try Row.fetchAll(
            self, sql: "SELECT position, topics FROM webhooks WHERE project = ? ORDER BY position",
            arguments: [project])
        for row in webhooks {
            let webhook = try row.decode(Int64.self, atIndex: 0)
            let topics = StoredWebhook.topics(inList: try row.decode(String.self, atIndex: 1))
            let wanted = events.filter { topics.contains($0.topic) }
            for event in wanted {
                try execute(
                    sql: """
                        INSERT INTO deliveries (
                            webhook, id, topic, event, creation_time, state, attempts,
                            next_attempt_time, is_claimed
                        ) VALUES (
                            ?1, CAST(?2 AS BLOB), ?3, CAST(?4 AS BLOB), ?5, 'PENDING', 0, ?5, 0
                        )
                        """,
                    arguments: [
                        webhook, SQLiteBytes(WebhookDelivery.newID()), event.topic.rawValue,
                        SQLiteBytes(event.record), time,
                    ])
            }
            if !wanted.isEmpty { try supersedeDeliveries(ofWebhook: webhook, time: time) }
        }
    }

    /// Ends all claims, for a store with exclusive access: the claiming processes have ended.
    func releaseClaims() throws {
        let isClaimed = try Bool.fetchOne(
            self, sql: "SELECT EXISTS (SELECT 1 FROM deliveries WHERE is_claimed)")
        // A needless write would require a lock and space.
        guard isClaimed == true else { return }
        try execute(
            sql: """
                UPDATE deliveries SET is_claimed = 0, next_attempt_time = creation_time
                WHERE is_claimed
                """)
    }

    /// The delivery of each webhook that is to be sent next, if it is due and no delivery of the
    /// webhook is claimed; oldest first.
    fileprivate func dueDeliveries(at time: Int64, limit: Int) throws -> [DeliveryPlace] {
        try Row.fetchAll(
            self,
            sql: """
                SELECT position, webhook FROM deliveries WHERE position IN (
                    SELECT min(position) FROM deliveries
                    WHERE state = 'PENDING' AND next_attempt_time <= ?1 AND \(Self.isHead)
                        AND NOT EXISTS (
                            SELECT 1 FROM deliveries AS taken
                            WHERE taken.webhook = deliveries.webhook AND taken.state = 'PENDING'
                                AND taken.is_claimed AND taken.next_attempt_time > ?1
                        )
                    GROUP BY webhook
                )
                ORDER BY next_attempt_time, position LIMIT ?2
                """, arguments: [time, max(limit, 0)]
        ).map { row in
            (
                delivery: try row.decode(Int64.self, atIndex: 0),
                webhook: try row.decode(Int64.self, atIndex: 1)
            )
        }
    }

    /// Supersedes pending, unclaimed deliveries of versions before the last and the oldest of too
    /// many others, and drops the oldest finished ones.
    fileprivate func supersedeDeliveries(ofWebhook webhook: Int64, time: Int64) throws {
        try execute(
            sql: """
                UPDATE deliveries
                SET state = 'SUPERSEDED', finish_time = ?2, next_attempt_time = NULL, is_claimed = 0
                WHERE webhook = ?1 AND state = 'PENDING'
                    AND NOT (is_claimed AND next_attempt_time > ?2)
                    AND (
                        topic = 'publish' AND position < (
                            SELECT max(position) FROM deliveries
                            WHERE webhook = ?1 AND topic = 'publish'
                        )
                        OR topic <> 'publish' AND position <= (
                            SELECT position FROM deliveries
                            WHERE webhook = ?1 AND state = 'PENDING' AND topic <> 'publish'
                            ORDER BY position DESC LIMIT 1 OFFSET ?3
                        )
                    )
                """, arguments: [webhook, time, TemplateStoreLimits.waitingEvents])
        try execute(
            sql: """
                DELETE FROM deliveries
                WHERE webhook = ?1 AND state <> 'PENDING' AND position <= (
                    SELECT position FROM deliveries WHERE webhook = ?1 AND state <> 'PENDING'
                    ORDER BY position DESC LIMIT 1 OFFSET ?2
                )
                """, arguments: [webhook, TemplateStoreLimits.finishedDeliveries])
    }

    fileprivate func claimedDelivery(at place: DeliveryPlace) throws -> ClaimedDelivery? {
        let webhook = try Row.fetchOne(
            self,
            sql: """
                SELECT webhooks.*, projects.name FROM webhooks
                JOIN projects ON projects.id = webhooks.project WHERE position = ?
                """, arguments: [place.webhook])
        let delivery = try Row.fetchOne(
            self,
            sql: """
                SELECT deliveries.*, webhooks.id AS webhook_id FROM deliveries
                JOIN webhooks ON webhooks.position = deliveries.webhook
                WHERE deliveries.position = ?
                """, arguments: [place.delivery])
        guard let webhook, let delivery else { return nil }
        return ClaimedDelivery(
            delivery: try WebhookDelivery(row: delivery), webhook: try StoredWebhook(row: webhook),
            knownVersion: try webhook.decode(Int.self, forColumn: "known_version"))
    }
}

extension WebhookDelivery {
    /// Reads a delivery from a row that includes its webhook's identifier.
    init(row: Row) throws {
        let name = try row.decode(String.self, forColumn: "state")
        guard let state = State(rawValue: name) else {
            throw TemplateStoreError(
                .damaged,
                "A delivery has the unknown state '\(name)': put a backup in the place of the "
                    + "database.")
        }
        func date(_ column: String) throws -> Date? {
            try row.decode(Int64?.self, forColumn: column).map(Date.init(millisecondsSince1970:))
        }
        self.init(
            id: try row.decode(SQLiteBytes.self, forColumn: "id").text,
            webhookID: try row.decode(SQLiteBytes.self, forColumn: "webhook_id").text,
            event: try WebhookEvent(record: try row.decode(Data.self, forColumn: "event")),
            creationDate: Date(
                millisecondsSince1970: try row.decode(Int64.self, forColumn: "creation_time")))
        self.state = state
        attempts = try row.decode(Int.self, forColumn: "attempts")
        statusCode = try row.decode(Int?.self, forColumn: "status_code")
        error = try row.decode(SQLiteBytes?.self, forColumn: "error")?.text
        nextAttemptDate = try date("next_attempt_time")
        finishDate = try date("finish_time")
    }
}
