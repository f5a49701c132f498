import Foundation
import TemplateStore

extension EtcdTemplateStore {
    /// How long a write is retried for settlement after its call has thrown `outcomeUnknown`.
    private static let settlingTime: Duration = .seconds(600)

    /// Reads ranges, decides and writes; repeats while other writes interfere.
    ///
    /// - Parameters:
    ///   - ranges: The ranges for the decision, read at one revision.
    ///   - decide: Decides on a reading, without side effects.
    /// - Returns: The result of the executed decision.
    /// - Throws: ``TemplateStoreError``, from the decision or the engine.
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
                    "Other writes keep interfering, so nothing was stored: try again.")
            }
            try? await Task.sleep(for: .milliseconds(Double.random(in: 0...10)))
        }
    }

    /// Executes a write unless something that it read has changed since.
    ///
    /// - Returns: The revision of the write; nil if another write came first.
    private func make<Result>(
        _ write: EtcdWrite<Result>, after reading: EtcdReading,
        until end: ContinuousClock.Instant
    ) async throws(TemplateStoreError) -> StoreRevision? {
        let id = UUID().uuidString
        let identity = try await identity()
        var transaction = EtcdTransaction(
            compare: [
                .modified(keys.store, at: identity.revision), .value(keys.store, identity.value),
            ] + write.guards,
            success: write.operations)
        let witness: EtcdWrite<Result>.Witness
        let change = write.change.map {
            ChangeRecord($0.subject, number: (reading.change?.number ?? 0) + 1, writeID: id)
        }
        if let change, let entry = write.change?.entry {
            let auditKey = keys.audit(change.number)
            transaction.compare += [
                .modified(keys.change, at: reading.changeRevision),
                // Fails if the entry exists, even if the key of the last change is lost.
                .modified(auditKey, at: 0),
            ]
            transaction.success += [
                .put(keys.change, try change.encoded()),
                .put(auditKey, try AuditRecord(entry, writeID: id).encoded()),
            ]
            witness = .init(key: auditKey) { found in
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
            let revision = try await settle(
                transaction, of: identity, witness: witness, until: end)
            if revision != nil, let change { note(MarkedChange(change)) }
            return revision
        } catch let failure {
            guard failure.mayBeMade else {
                if isClosed { throw .closed }
                throw TemplateStoreError(failure.cause)
            }
            let (transaction, lastWitness) = (transaction, witness)
            Task { [self] in
                _ = try? await settle(
                    transaction, of: identity, witness: lastWitness,
                    until: .now + Self.settlingTime)
            }
            throw .outcomeUnknown(failure.cause)
        }
    }

    /// The reason why a write is not settled.
    private struct Unsettled: Error {
        let cause: EtcdFailure
        /// False if the write definitely was not made, and never will be.
        let mayBeMade: Bool
    }

    /// Sends a transaction until its outcome is certain.
    private func settle<Result>(
        _ transaction: EtcdTransaction, of identity: Identity,
        witness: EtcdWrite<Result>.Witness, until end: ContinuousClock.Instant
    ) async throws(Unsettled) -> StoreRevision? {
        var mayBeMade = false
        var attempts = EtcdAttempts(members: gateway.location.members.count)
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
                if witness.isOurs(found), mayBeMade || !witness.isAmbiguous {
                    return StoreRevision(found?.modRevision ?? 0)
                }
                guard identity.isStored(answer.keyValues(1).first) else { throw keysReplaced }
                return nil
            } catch {
                mayBeMade = mayBeMade || error.kind == .unknown
                if error.kind == .outOfSpace, !mayBeMade {
                    return try await settleWithoutSpace(
                        transaction, witness: witness, cause: error)
                }
                guard error.isWorthRepeating, ContinuousClock.now < end, !isClosed,
                    await attempts.pause()
                else { throw Unsettled(cause: error, mayBeMade: mayBeMade) }
            }
        }
    }

    /// Determines whether a write was made that etcd answered with "no space".
    ///
    /// etcd makes the write that exhausts the quota in spite of that answer, and before it, so a
    /// read determines the outcome.
    private func settleWithoutSpace<Result>(
        _ transaction: EtcdTransaction, witness: EtcdWrite<Result>.Witness, cause: EtcdFailure
    ) async throws(Unsettled) -> StoreRevision? {
        let read = EtcdTransaction(success: transaction.failure)
        do throws(EtcdFailure) {
            let answer: EtcdTransactionAnswer = try await gateway.call("/v3/kv/txn", read)
            let found = answer.keyValues(0).first
            if witness.isOurs(found) { return StoreRevision(found?.modRevision ?? 0) }
            throw EtcdFailure(.outOfSpace, cause.reason)
        } catch {
            throw Unsettled(cause: error, mayBeMade: error.kind != .outOfSpace)
        }
    }
}
