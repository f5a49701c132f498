import Foundation
public import TemplateStore

/// A store in an etcd cluster, for any number of concurrent processes.
///
/// etcd provides consensus, replication and durability. A change is one transaction: it stores the
/// content, the audit entry with the next number, and the last change, whose history is the change
/// feed. The transaction succeeds only if no other change was made since the read; otherwise the
/// store reads and decides again. Contents beyond etcd's request limit are stored in parts
/// beforehand.
///
/// A write without a response may have been made, or may still be made. The store sends the same
/// transaction again until it succeeds, or fails because its number is taken; the entry with the
/// number then identifies the writer. If that takes too long, the call throws
/// ``TemplateStoreError`` with the code `outcomeUnknown`, and the store keeps sending the
/// transaction until it is settled.
public final class EtcdTemplateStore: TemplateStore {
    /// Identifies the store, which was found or created when it was opened.
    struct Identity: Sendable {
        let record: StoreRecord
        /// The revision of the key, which is written only once.
        let revision: Int64
        /// The value of the key, which distinguishes a store created at the same revision.
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
    /// The mark that the store must continue; nil accepts any store.
    let expectedMark = Locked<StoreMark?>(nil)
    /// The last change known to this process, which all later states of the store contain.
    let knownChange = Locked<MarkedChange?>(nil)
    private let createsStore: Bool
    let turnstile = EtcdTurnstile()
    private let isClosedFlag = Locked(false)

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - location: The members and the prefix.
    ///   - creating: True creates the store if there is none under the prefix.
    /// - Throws: ``TemplateStoreError``: `unavailable` when no quorum of the cluster responds,
    ///   files of
    ///   the location cannot be used, or there is no store and none is created; `otherSchema`;
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

    /// Creates a store that the first call opens.
    ///
    /// Until that succeeds, each call tries to open it, and throws the error of opening.
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

    /// The identity of the store; the first call finds or creates it.
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

    /// Adopts an identity that this process has given to the store.
    func adopt(_ identity: Identity) { foundIdentity.withLock { $0 = identity } }

    /// Returns if a quorum of the cluster responds and there is space for writes.
    public func checkReadiness() async throws(TemplateStoreError) {
        _ = try await read([])
        if try await hasNoSpaceAlarm() { throw .etcdIsFull(nil) }
    }

    /// Releases claimed deliveries, ends all sequences of changes, and closes the connections.
    public func close() async {
        let isFirst = isClosedFlag.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        // The leases end by themselves if the cluster does not respond.
        _ = await result(within: .milliseconds(500)) { [owner, replica] in
            async let ownerHasResigned: Void = owner.resign()
            await replica.resign()
            await ownerHasResigned
        }
        await gateway.close()
    }

    var isClosed: Bool { isClosedFlag.withLock { $0 } }

    func checkIsOpen() throws(TemplateStoreError) { if isClosed { throw .closed } }

    /// The failure that ends all writing when the store's identity has changed.
    var keysReplaced: EtcdFailure {
        EtcdFailure(
            .otherCluster,
            "The keys of the store \(gateway.location) were removed or replaced while it was in use: "
                + "restore them, and start this server again")
    }
}

// The identity of the store.
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
                // A repeated attempt finds what an earlier one has created.
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
                    + "and the prefix, or let \"sample-backend serve\" create one.")
        }
        let stored = try StoreRecord(decoding: found)
        guard stored.schema == StoreRecord.currentSchema else {
            throw TemplateStoreError(
                .otherSchema,
                "The store below '\(keys.prefix)' in etcd has the schema \(stored.schema), and this "
                    + "program reads only the schema \(StoreRecord.currentSchema); it is unchanged: "
                    + "use the program that wrote it, or another prefix.",
                clientMessage:
                    "Another version of the server uses the store in etcd, so this one stores "
                    + "nothing more: stop this server.")
        }
        if stored.isIncomplete == true { throw .incompleteEtcdCopy(gateway.location) }
        return Identity(record: stored, revision: found.modRevision, value: found.value)
    }
}
