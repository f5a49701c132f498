public import Foundation
public import TemplateStore

// Tokens and sessions.
extension EtcdTemplateStore {
    /// Stores a new access token as its hash.
    public func addToken(
        _ token: StoredToken, actor: String
    ) async throws(TemplateStoreError) {
        try await write(reading: [EtcdRange(keys: keys.tokens)]) {
            [keys] reading throws(TemplateStoreError) in
            let tokens = try reading.records(0, as: TokenRecord.self).compactMap {
                $0.token(lastUse: nil)
            }
            try token.checkIsNew(among: tokens)
            var write = EtcdWrite<Void> { _ in }
            write.operations = [
                .put(
                    keys.token(token.id), try TokenRecord(token.roundedToMilliseconds).encoded())
            ]
            write.change = .init(
                subject: .tokens, entry: AuditEntry(ofNew: token, actor: actor, revision: .zero))
            return .write(write)
        }
    }

    /// All tokens, oldest first.
    public func tokens() async throws(TemplateStoreError) -> [StoredToken] {
        let reading = try await read([
            EtcdRange(keys: keys.tokens), EtcdRange(keys: .key(keys.uses)),
        ])
        let uses = try reading.records(1, as: UsesRecord.self).first?.dates ?? [:]
        var tokens: [StoredToken] = []
        for found in reading.keyValues(0).sorted(by: { $0.createRevision < $1.createRevision }) {
            let record = try TokenRecord(decoding: found)
            if let token = record.token(lastUse: uses[record.id]) { tokens.append(token) }
        }
        return tokens
    }

    /// Revokes a token permanently; false when no token has this identifier.
    public func revokeToken(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        let key = keys.token(id)
        return try await write(reading: [EtcdRange(keys: .key(key))]) {
            [keys] reading throws(TemplateStoreError) in
            let record = try reading.records(0, as: TokenRecord.self).first
            guard var token = record?.token(lastUse: nil) else { return .done(false) }
            guard token.revocationDate == nil else { return .done(true) }
            token.revocationDate = date.roundedToMilliseconds
            var write = EtcdWrite { _ in true }
            write.operations = [
                .put(key, try TokenRecord(token).encoded()),
                .delete(keys.sessions(ofToken: id)),
            ]
            write.change = .init(
                subject: .tokens,
                entry: AuditEntry(
                    ofRevoked: token.name, actor: actor, date: date, revision: .zero))
            return .write(write)
        }
    }

    /// Records the last uses of tokens.
    public func recordUses(_ dates: [String: Date]) async throws(TemplateStoreError) {
        try await write(
            reading: [
                EtcdRange(keys: .key(keys.uses)), EtcdRange(keys: keys.tokens, part: .keys),
            ]
        ) { [keys] reading throws(TemplateStoreError) in
            let known = Set(reading.keyValues(1).map(\.key))  // names: keys of our own
            var uses = try reading.records(0, as: UsesRecord.self).first ?? UsesRecord()
            let before = uses.dates
            let pause = Int64(TemplateStoreLimits.secondsBetweenRecordedUses) * 1_000
            for (id, date) in dates where known.contains(keys.token(id)) {
                let date = RecordDate(date)
                guard uses.dates[id].map({ date.milliseconds - $0.milliseconds >= pause }) ?? true
                else { continue }
                uses.dates[id] = date
            }
            if uses.dates == before { return .done(()) }
            var write = EtcdWrite<Void> { _ in }
            write.guards = [
                .modified(keys.uses, at: reading.keyValues(0).first?.modRevision ?? 0)
            ]
            write.operations = [.put(keys.uses, try uses.encoded())]
            return .write(write)
        }
    }
}

extension EtcdTemplateStore {
    /// Maximum number of expired sessions that one write removes; a transaction can have 128
    /// operations.
    private static let mostPruned = 60

    /// Stores a new session, and removes sessions that have expired by its creation.
    public func addSession(
        _ session: StoredSession, actor: String
    ) async throws(TemplateStoreError) {
        try await write(reading: [EtcdRange(keys: keys.sessions)]) {
            [keys] reading throws(TemplateStoreError) in
            var write = EtcdWrite<Void> { _ in }
            for found in reading.keyValues(0) {
                guard let known = try SessionRecord(decoding: found).session else { continue }
                if known.expirationDate <= session.creationDate {
                    guard write.operations.count < Self.mostPruned else { continue }
                    write.operations.append(.delete(.key(found.key)))
                } else if known.id == session.id || known.hash == session.hash {
                    throw .tokenExists(id: session.id)
                }
            }
            let key = keys.session(session.id, ofToken: session.tokenID)
            // A transaction can write a key only once.
            write.operations.removeAll { operation in
                if case .delete(let span) = operation { span == .key(key) } else { false }
            }
            write.operations.append(.put(key, try SessionRecord(session).encoded()))
            write.change = .init(
                subject: .session(id: session.id),
                entry: AuditEntry(ofNew: session, actor: actor, revision: .zero))
            return .write(write)
        }
    }

    /// The sessions that expire after a date.
    public func sessions(
        lastingAt date: Date
    ) async throws(TemplateStoreError) -> [StoredSession] {
        try await read([EtcdRange(keys: keys.sessions)])
            .records(0, as: SessionRecord.self).compactMap(\.session)
            .filter { $0.expirationDate > date }
    }

    /// A session; nil when none has this identifier.
    public func session(id: String) async throws(TemplateStoreError) -> StoredSession? {
        try await read([EtcdRange(keys: keys.sessions)])
            .records(0, as: SessionRecord.self).compactMap(\.session)
            .first { $0.id.utf8.elementsEqual(id.utf8) }
    }

    /// Ends and removes a session; false when none has this identifier.
    public func removeSession(
        id: String, actor: String, date: Date
    ) async throws(TemplateStoreError) -> Bool {
        try await write(reading: [EtcdRange(keys: keys.sessions)]) {
            [keys] reading throws(TemplateStoreError) in
            let sessions = try reading.records(0, as: SessionRecord.self).compactMap(\.session)
            guard let session = sessions.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
                return .done(false)
            }
            var write = EtcdWrite { _ in true }
            write.operations = [
                .delete(.key(keys.session(session.id, ofToken: session.tokenID)))
            ]
            write.change = .init(
                subject: .session(id: id),
                entry: AuditEntry(
                    ofRevoked: session.name, actor: actor, date: date, revision: .zero))
            return .write(write)
        }
    }

    /// Adds an entry for failed attempts to sign in to the audit trail.
    public func recordFailedSignIns(_ failed: FailedSignIns) async throws(TemplateStoreError) {
        try await write(reading: []) { _ throws(TemplateStoreError) in
            var write = EtcdWrite<Void> { _ in }
            write.change = .init(
                subject: .failedSignIns, entry: AuditEntry(of: failed, revision: .zero))
            return .write(write)
        }
    }
}
