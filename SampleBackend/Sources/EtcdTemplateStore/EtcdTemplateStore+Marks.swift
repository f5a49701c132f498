import Foundation
public import TemplateStore

extension EtcdTemplateStore: StoreMarking {
    /// The mark of the store as it is now.
    public func mark() async throws(TemplateStoreError) -> StoreMark {
        let storeID = try await identity().record.id
        guard let number = try await read([]).change?.number else {
            return StoreMark(storeID: storeID, place: keys.prefix, change: nil)
        }
        // Never rewritten, so that it need not be read at the same revision.
        let key = keys.audit(number)
        guard let entry = try await read(EtcdRange(keys: .key(key))).keyValues.first else {
            throw .damagedRecord(key)
        }
        let change = MarkedChange(number: number, writeID: try AuditRecord(decoding: entry).writeID)
        return StoreMark(storeID: storeID, place: keys.prefix, change: change.text)
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
        let entry = try answer.keyValues(1).first.map(AuditRecord.init(decoding:))
        guard entry?.writeID == change.writeID else {
            throw TemplateStoreError(
                .changesLost,
                "The store \(place) does not have the change \(change.number) that it had: it was "
                    + "restored from an earlier backup.")
        }
    }
}

/// The change of a mark.
private struct MarkedChange {
    let number: Int
    /// Identifies the transaction that made it.
    let writeID: String

    var text: String { "\(number)/\(writeID)" }
}

extension MarkedChange {
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[0]) else { return nil }
        self.init(number: number, writeID: String(parts[1]))
    }
}
