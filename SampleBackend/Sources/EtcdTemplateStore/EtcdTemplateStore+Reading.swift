import Foundation
import TemplateStore

extension EtcdTemplateStore {
    /// Reads a single range.
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
    /// - Throws: ``TemplateStoreError``, with the code `filesReplaced` if the keys of the store
    ///   were removed
    ///   or replaced, so that the result is not this store's; with `changesLost` if the store lacks
    ///   a
    ///   change that this process knows.
    func read(_ ranges: [EtcdRange]) async throws(TemplateStoreError) -> EtcdReading {
        let identity = try await identity()
        let known = knownChange.withLock { $0 }
        let own = [
            EtcdRange(keys: .key(keys.change)), EtcdRange(keys: .key(keys.store)),
            EtcdRange(keys: .key(keys.audit(known?.number ?? 0))),
        ]
        let transaction = EtcdTransaction(success: (own + ranges).map { .range($0) })
        let answer: EtcdTransactionAnswer
        do throws(EtcdFailure) {
            answer = try await gateway.call("/v3/kv/txn", transaction)
        } catch {
            try checkIsOpen()
            throw TemplateStoreError(error)
        }
        guard identity.isStored(answer.keyValues(1).first) else {
            throw TemplateStoreError(keysReplaced)
        }
        if let known { try check(known, by: answer.keyValues(2).first) }
        let reading = try EtcdReading(
            change: answer.keyValues(0).first, revision: answer.header?.revision ?? 0,
            ranges: Array(answer.ranges.dropFirst(own.count)))
        if let change = reading.change { note(MarkedChange(change)) }
        return reading
    }

    /// Reads all keys of a span in pages, at one revision.
    ///
    /// - Throws: The failure; `compacted` if etcd compacted the revision between two pages.
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

    /// True when the cluster refuses writes because its quota is exhausted.
    func hasNoSpaceAlarm() async throws(TemplateStoreError) -> Bool {
        do throws(EtcdFailure) {
            let alarms: EtcdAlarms = try await gateway.call(
                "/v3/maintenance/alarm", ["action": "GET"])
            return alarms.alarms.contains { $0.alarm == "NOSPACE" }
        } catch {
            // The user may lack the permission for this call.
            if error.kind == .refused { return false }
            throw TemplateStoreError(error)
        }
    }
}
