import Foundation
public import TemplateStore

extension EtcdTemplateStore: StoreMarking {
    /// The mark of the store as it is now.
    public func mark() async throws(TemplateStoreError) -> StoreMark {
        let change = try await read([]).change.map(MarkedChange.init)
        return StoreMark(
            storeID: try await identity().record.id, place: keys.prefix, change: change?.text)
    }

    /// Refuses every call until this is found to be the store of a mark, with its change.
    public func expect(_ mark: StoreMark) throws(TemplateStoreError) {
        guard mark.place == keys.prefix else {
            throw TemplateStoreError(
                .otherStore,
                "The prefix of the store is '\(keys.prefix)', where '\(mark.place)' was expected.")
        }
        expectedMark.withLock { $0 = mark }
        foundIdentity.withLock { $0 = nil }
    }

    /// - Throws: ``TemplateStoreError``, with the codes `otherStore` and `changesLost` when the store is
    ///   not a continuation of the marked one.
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
            throw TemplateStoreError(.changesLost, "There is no store \(place) any more.")
        }
        let storeID = try StoreRecord(decoding: found).id
        guard storeID == mark.storeID else {
            throw TemplateStoreError(
                .otherStore,
                "The store \(place) is \(storeID), where \(mark.storeID) was expected.")
        }
        guard let change else { return }
        try check(change, by: answer.keyValues(1).first)
        note(change)
    }

    /// Takes note of a change, which each later state of the store has to have.
    func note(_ change: MarkedChange) {
        knownChange.withLock { known in
            guard known.map({ $0.number < change.number }) ?? true else { return }
            known = change
        }
    }

    /// Looks for a change in the audit entry that has its number.
    ///
    /// - Throws: ``TemplateStoreError`` with the code `changesLost` when the entry is not there, or is that
    ///   of another change.
    func check(
        _ change: MarkedChange, by entry: EtcdKeyValue?
    ) throws(TemplateStoreError) {
        let found = try entry.map(AuditRecord.init(decoding:))
        guard found?.writeID != change.writeID else { return }
        throw TemplateStoreError(
            .changesLost,
            "The store below '\(keys.prefix)' at \(gateway.location) does not have the change "
                + "\(change.number) that it had: it was restored from an earlier backup.")
    }
}

/// A change, by which a store that has it is told from one that does not.
struct MarkedChange: Sendable {
    let number: Int
    /// Identifies the transaction that made it.
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
