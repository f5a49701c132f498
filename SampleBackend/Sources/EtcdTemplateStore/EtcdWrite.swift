import Foundation
import TemplateStore

/// Ranges of one store at one revision, as a write reads them before it decides.
struct EtcdReading: Sendable {
    /// The last change of the store; nil before the first.
    let change: ChangeRecord?
    /// The revision of the last change; 0 before the first.
    let changeRevision: Int64
    /// The revision that was read.
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

    /// The keys of a range, by its place among those that were asked for.
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

/// A guarded transaction: all of it is made, or nothing.
struct EtcdWrite<Result: Sendable>: Sendable {
    /// A change of the store, which is numbered, followed and audited.
    struct Change: Sendable {
        let subject: StoreChange.Subject
        let entry: AuditEntry
    }

    /// Tells whether a write was made, after an answer did not come.
    struct Witness: Sendable {
        let key: Data
        let isOurs: @Sendable (EtcdKeyValue?) -> Bool
    }

    /// Conditions that still have to hold.
    var guards: [EtcdComparison] = []
    var operations: [EtcdOperation] = []
    /// Nil for a write that is not part of the change feed; it has a witness of its own.
    var change: Change?
    var witness: Witness?
    /// The result, by the revision of the write.
    let result: @Sendable (StoreRevision) -> Result
}

/// The decision of a write on what it has read.
enum EtcdDecision<Result: Sendable>: Sendable {
    /// Nothing needs to be stored.
    case done(Result)
    case write(EtcdWrite<Result>)
}

/// Lets one task at a time through, in the order of their calls.
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
