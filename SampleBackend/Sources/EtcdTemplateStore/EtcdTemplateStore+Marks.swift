import Foundation
public import TemplateStore

extension EtcdTemplateStore: StoreMarking {
    /// The mark of the last change that this process knows.
    public var knownMark: StoreMark? {
        guard let identity = foundIdentity.withLock({ $0 }) else { return nil }
        return StoreMark(
            storeID: identity.record.id, place: keys.prefix,
            change: knownChange.withLock { $0 }?.text)
    }

    /// Refuses all calls until this proves to be the marked store, with the marked change.
    public func expect(_ mark: StoreMark) throws(TemplateStoreError) {
        guard mark.place == keys.prefix else {
            throw TemplateStoreError(
                .otherStore,
                "The prefix of the store is '\(keys.prefix)', but '\(mark.place)' was expected.")
        }
        expectedMark.withLock { $0 = mark }
        foundIdentity.withLock { $0 = nil }
    }

    /// - Throws: ``TemplateStoreError``, with the codes `otherStore` and `changesLost` if the store
    ///   is not a
    ///   continuation of the marked one.
    func checkStore(continues mark: StoreMark) async throws(TemplateStoreError) {
        let change = mark.change.flatMap(MarkedChange.init)
        let ranges = [keys.store] + (change.map { [keys.audit($0.number)] } ?? [])
        let answer: EtcdTransactionAnswer
        do throws(EtcdFailure) {
            answer = try await gateway.call(
                "/v3/kv/txn",
                EtcdTransaction(success: ranges.map { .range(EtcdRange(keys: .key($0))) }))
        } catch {
            throw TemplateStoreError(error)
        }
        let place = "below '\(keys.prefix)' at \(gateway.location)"
        guard let found = answer.keyValues(0).first else {
            throw TemplateStoreError(.changesLost, "The store \(place) no longer exists.")
        }
        let storeID = try StoreRecord(decoding: found).id
        guard storeID == mark.storeID else {
            throw TemplateStoreError(
                .otherStore,
                "The store \(place) is \(storeID), but \(mark.storeID) was expected.")
        }
        guard let change else { return }
        try check(change, by: answer.keyValues(1).first)
        note(change)
    }

    /// Records a change, which all later states of the store must contain.
    func note(_ change: MarkedChange) {
        knownChange.withLock { known in
            guard known.map({ $0.number < change.number }) ?? true else { return }
            known = change
        }
    }

    /// Looks up a change in the audit entry with its number.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `changesLost` if the entry is missing or
    ///   belongs to
    ///   another change.
    func check(
        _ change: MarkedChange, by entry: EtcdKeyValue?
    ) throws(TemplateStoreError) {
        let found = try entry.map(AuditRecord.init(decoding:))
        guard found?.writeID != change.writeID else { return }
        throw TemplateStoreError(
            .changesLost,
            "The store below '\(keys.prefix)' at \(gateway.location) does not have the change "
                + "\(change.number) that it had: the store was restored from an earlier backup.")
    }
}

/// A change that distinguishes a store that contains it from one that does not.
struct MarkedChange: Sendable {
    let number: Int
    /// Identifies the transaction that made the change.
    let writeID: String

    var text: String { "\(number)/\(writeID)" }
}

extension MarkedChange {
    init(_ record: ChangeRecord) { self.init(number: record.number, writeID: record.writeID) }

    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0]) else { return nil }
        self.init(number: number, writeID: String(parts[1]))
    }
}
