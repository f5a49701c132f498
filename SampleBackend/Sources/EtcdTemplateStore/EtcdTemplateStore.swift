import Foundation
public import TemplateStore

/// A store in an etcd cluster, for any number of processes at once.
///
/// Consensus, replication and durability are etcd's. A change is one transaction: it stores the
/// content, the audit entry with the next number, and the last change, whose history is the change feed.
/// It is made only if no other change was made since it read, else it reads and decides again. Contents
/// beyond etcd's limit for a request are stored in parts before.
///
/// A write whose answer does not come may have been made, or may yet be. The same transaction is sent
/// again until it succeeds, or fails because its number is taken; the entry with the number then tells
/// whose it is. When that takes too long, the call throws ``TemplateStoreError`` with the code
/// `outcomeUnknown`, and the transaction goes on being sent until it is settled.
public final class EtcdTemplateStore: TemplateStore {
    /// The time for which a write is settled after its call has thrown `outcomeUnknown`.
    private static let settlingTime: Duration = .seconds(600)

    /// Identifies the store, found or created when it was opened.
    struct Identity: Sendable {
        let record: StoreRecord
        /// The revision of the key, which is written once.
        let revision: Int64
    }

    let keys: EtcdKeys
    let gateway: EtcdGateway
    let owner: EtcdOwner
    /// For announcements.
    let replica: EtcdOwner
    /// Nil until a call has found it.
    let foundIdentity: Locked<Identity?>
    /// What the store has to be a continuation of; nil for any store.
    let expectedMark = Locked<StoreMark?>(nil)
    private let createsStore: Bool
    private let turnstile = EtcdTurnstile()
    private let isClosedFlag = Locked(false)

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - location: The members and the prefix.
    ///   - creating: True creates the store if the prefix has none.
    /// - Throws: ``TemplateStoreError``: `unavailable` when no majority of the cluster answers, files
    ///   of the location cannot be used, or there is no store and none is created; `newerSchema`;
    ///   `damaged`; `incompleteCopy`.
    public convenience init(
        _ location: EtcdLocation, creating: Bool = true
    ) async throws(TemplateStoreError) {
        try await self.init(location, creating: creating, limits: EtcdGateway.TimeLimits())
    }

    convenience init(
        _ location: EtcdLocation, creating: Bool = true, limits: EtcdGateway.TimeLimits
    ) async throws(TemplateStoreError) {
        try self.init(unopened: location, creating: creating, limits: limits)
        do {
            _ = try await identity()
        } catch {
            await gateway.close()
            throw error
        }
    }

    /// Creates a store that the first call opens; until that succeeds, each call tries, and throws what
    /// opening throws.
    ///
    /// - Parameter location: The members and the prefix.
    /// - Throws: ``TemplateStoreError`` when files of the location cannot be used.
    public convenience init(unopened location: EtcdLocation) throws(TemplateStoreError) {
        try self.init(unopened: location, creating: true, limits: EtcdGateway.TimeLimits())
    }

    private init(
        unopened location: EtcdLocation, creating: Bool, limits: EtcdGateway.TimeLimits
    ) throws(TemplateStoreError) {
        keys = EtcdKeys(prefix: location.prefix)
        gateway = try EtcdGateway(location, limits: limits)
        owner = EtcdOwner(gateway: gateway, timeToLive: 15) { [keys] in keys.owner($0) }
        replica = EtcdOwner(gateway: gateway, timeToLive: 30) { [keys] in keys.replica($0) }
        foundIdentity = Locked(nil)
        createsStore = creating
    }

    /// The identity of the store, which is found or created by the first call.
    func identity() async throws(TemplateStoreError) -> Identity {
        try checkIsOpen()
        if let known = foundIdentity.withLock({ $0 }) { return known }
        let mark = expectedMark.withLock { $0 }
        if let mark { try await checkStore(continues: mark) }
        let found = try await Self.identity(
            of: keys, at: gateway, creating: createsStore && mark == nil)
        foundIdentity.withLock { $0 = found }
        return found
    }

    /// Takes over an identity that this process has given the store.
    func adopt(_ identity: Identity) { foundIdentity.withLock { $0 = identity } }

    /// Returns when a majority of the cluster answers and there is room for writes.
    public func checkReadiness() async throws(TemplateStoreError) {
        let found = try await read(EtcdRange(keys: .key(keys.store), part: .keys))
        guard found.keyValues.first?.modRevision == (try await identity()).revision else {
            throw TemplateStoreError(keysReplaced)
        }
        if try await hasNoSpaceAlarm() { throw .etcdIsFull(nil) }
    }

    /// Gives back claimed deliveries, ends every sequence of changes, and closes the connections.
    public func close() async {
        let isFirst = isClosedFlag.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        async let ownerHasResigned: Void = owner.resign()
        await replica.resign()
        await ownerHasResigned
        await gateway.close()
    }

    var isClosed: Bool { isClosedFlag.withLock { $0 } }

    private func checkIsOpen() throws(TemplateStoreError) { if isClosed { throw .closed } }
}

// Reading.
extension EtcdTemplateStore {
    /// Reads one range.
    func read(_ range: EtcdRange) async throws(TemplateStoreError) -> EtcdRangeAnswer {
        _ = try await identity()
        do throws(EtcdFailure) {
            return try await gateway.call("/v3/kv/range", range)
        } catch {
            try checkIsOpen()
            throw TemplateStoreError(error)
        }
    }

    /// Reads ranges and the last change at one revision.
    ///
    /// - Throws: ``TemplateStoreError``, with the code `filesReplaced` when the keys of the store were
    ///   removed or replaced: what is read then is not the store.
    func read(_ ranges: [EtcdRange]) async throws(TemplateStoreError) -> EtcdReading {
        let identity = try await identity()
        let own = [
            EtcdRange(keys: .key(keys.change)), EtcdRange(keys: .key(keys.store), part: .keys),
        ]
        let transaction = EtcdTransaction(success: (own + ranges).map { .range($0) })
        let answer: EtcdTransactionAnswer
        do throws(EtcdFailure) {
            answer = try await gateway.call("/v3/kv/txn", transaction)
        } catch {
            try checkIsOpen()
            throw TemplateStoreError(error)
        }
        guard answer.keyValues(1).first?.modRevision == identity.revision else {
            throw TemplateStoreError(keysReplaced)
        }
        return try EtcdReading(
            change: answer.keyValues(0).first, revision: answer.header?.revision ?? 0,
            ranges: Array(answer.ranges.dropFirst(own.count)))
    }

    /// Reads all keys of a span in pages, at one revision.
    ///
    /// - Throws: The failure, which is `compacted` when the revision went away meanwhile.
    func readAll(
        _ keys: EtcdKeySpan, part: EtcdRange.Part = .keysAndValues, at revision: Int64? = nil,
        pageSize: Int = 500
    ) async throws(EtcdFailure) -> [EtcdKeyValue] {
        var found: [EtcdKeyValue] = []
        var range = EtcdRange(keys: keys, part: part, limit: pageSize, revision: revision)
        while true {
            let page: EtcdRangeAnswer = try await gateway.call("/v3/kv/range", range)
            found += page.keyValues
            guard page.hasMore, let last = page.keyValues.last else { return found }
            range.keys = EtcdKeySpan(start: last.key + Data([0]), end: keys.end)
            range.revision = range.revision ?? page.header?.revision
        }
    }

    /// True when the cluster refuses writes because its quota is used up.
    func hasNoSpaceAlarm() async throws(TemplateStoreError) -> Bool {
        do throws(EtcdFailure) {
            let alarms: EtcdAlarms = try await gateway.call(
                "/v3/maintenance/alarm", ["action": "GET"])
            return alarms.alarms.contains { $0.alarm == "NOSPACE" }
        } catch {
            // The user may have no permission to ask.
            if error.kind == .refused { return false }
            throw TemplateStoreError(error)
        }
    }
}

// Writing.
extension EtcdTemplateStore {
    /// Reads ranges, decides, and writes, again and again while other writes interfere.
    ///
    /// - Parameters:
    ///   - ranges: The ranges that the decision needs, read at one revision.
    ///   - decide: Decides on a reading, without side effects.
    /// - Returns: The result of the decision that was carried out.
    /// - Throws: ``TemplateStoreError``, that of the decision or of the engine.
    func write<Result: Sendable>(
        reading ranges: [EtcdRange],
        _ decide: @Sendable (EtcdReading) throws(TemplateStoreError) -> EtcdDecision<Result>
    ) async throws(TemplateStoreError) -> Result {
        let end = ContinuousClock.now + gateway.limits.write
        await turnstile.enter()
        defer { turnstile.leave() }
        while true {
            let reading = try await read(ranges)
            let write: EtcdWrite<Result>
            switch try decide(reading) {
            case .done(let result): return result
            case .write(let decided): write = decided
            }
            if let revision = try await make(write, after: reading, until: end) {
                return write.result(revision)
            }
            guard ContinuousClock.now < end else {
                throw TemplateStoreError(
                    .unavailable,
                    "Others write to the store without a pause, so nothing was stored: try again.")
            }
            try? await Task.sleep(for: .milliseconds(Double.random(in: 0...10)))
        }
    }

    /// Makes a write unless something that it read has changed since.
    ///
    /// - Returns: The revision of the write; nil when another one was made first.
    private func make<Result>(
        _ write: EtcdWrite<Result>, after reading: EtcdReading,
        until end: ContinuousClock.Instant
    ) async throws(TemplateStoreError) -> StoreRevision? {
        let id = UUID().uuidString
        let identity = try await identity()
        var transaction = EtcdTransaction(
            compare: [.modified(keys.store, at: identity.revision)] + write.guards,
            success: write.operations)
        let witness: EtcdWrite<Result>.Witness
        if let change = write.change {
            let number = (reading.change?.number ?? 0) + 1
            transaction.compare += [
                .modified(keys.change, at: reading.changeRevision),
                // Never rewritten, even if the key of the last change is lost.
                .modified(keys.audit(number), at: 0),
            ]
            transaction.success += [
                .put(keys.change, try ChangeRecord(change.subject, number: number).encoded()),
                .put(
                    keys.audit(number), try AuditRecord(change.entry, writeID: id).encoded()),
            ]
            witness = .init(key: keys.audit(number)) { found in
                found.flatMap { try? AuditRecord(decoding: $0) }?.writeID == id
            }
        } else if let own = write.witness {
            witness = own
        } else {
            witness = .init(key: keys.store) { _ in false }
        }
        transaction.failure = [
            .range(EtcdRange(keys: .key(witness.key))), .range(EtcdRange(keys: .key(keys.store))),
        ]
        do {
            return try await settle(
                transaction, of: identity, witness: witness.isOurs, until: end)
        } catch let failure {
            guard failure.mayBeMade else {
                if isClosed { throw .closed }
                throw TemplateStoreError(failure.cause)
            }
            let (transaction, isOurs) = (transaction, witness.isOurs)
            Task { [self] in
                _ = try? await settle(
                    transaction, of: identity, witness: isOurs, until: .now + Self.settlingTime)
            }
            throw .outcomeUnknown(failure.cause)
        }
    }

    private var keysReplaced: EtcdFailure {
        EtcdFailure(
            .otherCluster,
            "The keys of the store \(gateway.location) were removed or replaced while it was in use: "
                + "restore them, and start this server again")
    }

    /// The reason why a write is not settled.
    private struct Unsettled: Error {
        let cause: EtcdFailure
        /// False when it was certainly not made, and never will be.
        let mayBeMade: Bool
    }

    /// Sends a transaction until it is certain whether it was made.
    private func settle(
        _ transaction: EtcdTransaction, of identity: Identity,
        witness isOurs: @Sendable (EtcdKeyValue?) -> Bool, until end: ContinuousClock.Instant
    ) async throws(Unsettled) -> StoreRevision? {
        var mayBeMade = false
        var attempts = Attempts(members: gateway.location.members.count)
        let body: Data
        do throws(EtcdFailure) {
            body = try EtcdGateway.encoded(transaction)
        } catch {
            throw Unsettled(cause: error, mayBeMade: false)
        }
        while true {
            do throws(EtcdFailure) {
                let answer: EtcdTransactionAnswer = try await gateway.attempt("/v3/kv/txn", body)
                if answer.succeeded {
                    return StoreRevision(answer.header?.revision ?? 0)
                }
                let found = answer.keyValues(0).first
                if isOurs(found) { return StoreRevision(found?.modRevision ?? 0) }
                if answer.keyValues(1).first?.modRevision != identity.revision {
                    throw keysReplaced
                }
                return nil
            } catch {
                mayBeMade = mayBeMade || error.kind == .unknown
                if error.kind == .outOfSpace, !mayBeMade {
                    return try await settleWithoutSpace(
                        transaction, witness: isOurs, cause: error)
                }
                guard error.isWorthRepeating, ContinuousClock.now < end, !isClosed,
                    await attempts.pause()
                else { throw Unsettled(cause: error, mayBeMade: mayBeMade) }
            }
        }
    }

    /// Finds out whether a write was made that was answered with "no space".
    ///
    /// The one that uses up the quota is made in spite of that answer; it is over then, so that a read
    /// tells.
    private func settleWithoutSpace(
        _ transaction: EtcdTransaction, witness isOurs: @Sendable (EtcdKeyValue?) -> Bool,
        cause: EtcdFailure
    ) async throws(Unsettled) -> StoreRevision? {
        let read = EtcdTransaction(success: transaction.failure)
        do throws(EtcdFailure) {
            let answer: EtcdTransactionAnswer = try await gateway.call("/v3/kv/txn", read)
            let found = answer.keyValues(0).first
            if isOurs(found) { return StoreRevision(found?.modRevision ?? 0) }
            throw EtcdFailure(.outOfSpace, cause.reason)
        } catch {
            throw Unsettled(cause: error, mayBeMade: error.kind != .outOfSpace)
        }
    }

    /// Finds the identity of a store, or creates it.
    private static func identity(
        of keys: EtcdKeys, at gateway: EtcdGateway, creating: Bool
    ) async throws(TemplateStoreError) -> Identity {
        let record = StoreRecord(
            schema: StoreRecord.currentSchema, id: UUID().uuidString.lowercased())
        let creation: [EtcdOperation] = creating ? [.put(keys.store, try record.encoded())] : []
        let transaction = EtcdTransaction(
            compare: [.modified(keys.store, at: 0)],
            success: creation + [.range(EtcdRange(keys: .key(keys.store)))],
            failure: [.range(EtcdRange(keys: .key(keys.store)))])
        let found: EtcdKeyValue?
        do throws(EtcdFailure) {
            // Read first: a full cluster refuses any transaction that could store something.
            let read: EtcdRangeAnswer = try await gateway.call(
                "/v3/kv/range", EtcdRange(keys: .key(keys.store)))
            if let known = read.keyValues.first {
                found = known
            } else {
                // Repeating it finds what an earlier attempt has created.
                let answer: EtcdTransactionAnswer = try await gateway.call(
                    "/v3/kv/txn", transaction)
                found = answer.keyValues(answer.succeeded ? creation.count : 0).first
            }
        } catch {
            throw TemplateStoreError(error)
        }
        guard let found else {
            throw TemplateStoreError(
                .unavailable,
                "There is no store below '\(keys.prefix)' at \(gateway.location): check the members "
                    + "and the prefix.")
        }
        let stored = try StoreRecord(decoding: found)
        guard stored.schema <= StoreRecord.currentSchema else {
            throw TemplateStoreError(
                .newerSchema,
                "The store below '\(keys.prefix)' in etcd has the schema \(stored.schema), and this "
                    + "program knows schemas up to \(StoreRecord.currentSchema); it was not touched: "
                    + "use the newer program that wrote it.")
        }
        if stored.isIncomplete == true { throw .incompleteEtcdCopy(gateway.location) }
        return Identity(record: stored, revision: found.modRevision)
    }
}
