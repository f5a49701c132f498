import Foundation
import TemplateStore

/// Ranges of a store at one revision, which a write reads before it decides.
struct EtcdReading: Sendable {
    /// The last change of the store; nil before the first.
    let change: ChangeRecord?
    /// The revision of the last change; 0 before the first.
    let changeRevision: Int64
    /// The revision of the read.
    let revision: Int64
    private let ranges: [EtcdRangeAnswer?]

    init(
        change: EtcdKeyValue?, revision: Int64, ranges: [EtcdRangeAnswer?]
    ) throws(TemplateStoreError) {
        if let change {
            self.change = try ChangeRecord(decoding: change)
        } else {
            self.change = nil
        }
        self.revision = revision
        changeRevision = change?.modRevision ?? 0
        self.ranges = ranges
    }

    /// The keys of a range, by its index in the request.
    func keyValues(_ place: Int) -> [EtcdKeyValue] {
        ranges.indices.contains(place) ? ranges[place]?.keyValues ?? [] : []
    }

    /// The number of all keys in a range.
    func count(_ place: Int) -> Int {
        ranges.indices.contains(place) ? ranges[place]?.count ?? 0 : 0
    }

    /// The records of a range.
    func records<Record: EtcdRecord>(
        _ place: Int, as record: Record.Type = Record.self
    ) throws(TemplateStoreError) -> [Record] {
        var records: [Record] = []
        for keyValue in keyValues(place) { records.append(try .init(decoding: keyValue)) }
        return records
    }
}

/// A guarded transaction, which is executed completely or not at all.
struct EtcdWrite<Result: Sendable>: Sendable {
    /// A numbered and audited change of the store, which the change feed reports.
    struct Change: Sendable {
        let subject: StoreChange.Subject
        let entry: AuditEntry
    }

    /// Determines whether a write was made when there was no response.
    struct Witness: Sendable {
        let key: Data
        /// True if another process's write leaves the same trace, so that it proves nothing unless
        /// an attempt may have been made.
        var isAmbiguous = false
        let isOurs: @Sendable (EtcdKeyValue?) -> Bool
    }

    /// Conditions that must still hold.
    var guards: [EtcdComparison] = []
    var operations: [EtcdOperation] = []
    /// Nil for a write outside the change feed, which has its own witness.
    var change: Change?
    var witness: Witness?
    /// The result, given the revision of the write.
    let result: @Sendable (StoreRevision) -> Result
}

/// The decision of a write on its reading.
enum EtcdDecision<Result: Sendable>: Sendable {
    /// Nothing needs to be stored.
    case done(Result)
    case write(EtcdWrite<Result>)
}

/// Admits one task at a time, in the order of their calls.
final class EtcdTurnstile: Sendable {
    private struct State {
        var isTaken = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiters.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiters.isEmpty {
                state.isTaken = false
                return nil
            }
            return state.waiters.removeFirst()
        }
        next?.resume()
    }
}
