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
    /// Identifies the store, found or created when it was opened.
    struct Identity: Sendable {
        let record: StoreRecord
        /// The revision of the key, which is written once.
        let revision: Int64
        /// The value of the key, by which another store is told that was created at the same revision.
        let value: Data

        func isStored(_ found: EtcdKeyValue?) -> Bool {
            found?.modRevision == revision && found?.value == value
        }
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
    /// The last change that this process knows of, which every later state of the store has too.
    let knownChange = Locked<MarkedChange?>(nil)
    private let createsStore: Bool
    let turnstile = EtcdTurnstile()
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
        _ = try await read([])
        if try await hasNoSpaceAlarm() { throw .etcdIsFull(nil) }
    }

    /// Gives back claimed deliveries, ends every sequence of changes, and closes the connections.
    public func close() async {
        let isFirst = isClosedFlag.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        // The leases end by themselves if the cluster does not answer.
        _ = await result(within: .milliseconds(500)) { [owner, replica] in
            async let ownerHasResigned: Void = owner.resign()
            await replica.resign()
            await ownerHasResigned
        }
        await gateway.close()
    }

    var isClosed: Bool { isClosedFlag.withLock { $0 } }

    func checkIsOpen() throws(TemplateStoreError) { if isClosed { throw .closed } }

    /// The failure that ends all writing when the identity of the store is another one.
    var keysReplaced: EtcdFailure {
        EtcdFailure(
            .otherCluster,
            "The keys of the store \(gateway.location) were removed or replaced while it was in use: "
                + "restore them, and start this server again")
    }
}

// Its identity.
extension EtcdTemplateStore {
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
                    + "and the prefix, or let \"sample-backend serve\" make one.")
        }
        let stored = try StoreRecord(decoding: found)
        guard stored.schema <= StoreRecord.currentSchema else {
            throw TemplateStoreError(
                .newerSchema,
                "The store below '\(keys.prefix)' in etcd has the schema \(stored.schema), and this "
                    + "program knows schemas up to \(StoreRecord.currentSchema); it was not touched: "
                    + "use the newer program that wrote it.",
                clientMessage:
                    "A newer version of the server has migrated the store in etcd, so this "
                    + "one stores nothing more: whoever runs it has to stop it.")
        }
        if stored.isIncomplete == true { throw .incompleteEtcdCopy(gateway.location) }
        return Identity(record: stored, revision: found.modRevision, value: found.value)
    }
}
