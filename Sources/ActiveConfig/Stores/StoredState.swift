import Foundation

/// A value of the client that is kept across launches, besides the configurations.
///
/// It is read from the store at first use. Without a store, or with one that keeps no records, it
/// lives in memory. While the store fails, its changes are kept, and the next write applies them to
/// what another process has stored since.
///
/// A store may call the framework while it reads or writes the record. So a read of the value waits
/// for nothing, a change applies in memory before it is written, and within a store's call
/// (``ThreadMark/storeCall``) a write is left to another thread.
package final class StoredState<Value: Codable & Sendable & Equatable>: Sendable {
    /// In bytes; larger records are treated as damaged.
    private static var maximumSize: Int { 16 << 20 }
    /// Number of changes that are kept while the store fails.
    private static var maximumUnstoredCount: Int { 100 }

    private typealias Change = @Sendable (inout Value) -> Void
    /// The problem to log, and why a write has failed.
    private typealias Outcome = (problem: String?, failure: (any Error)?)

    private struct State {
        /// `base` with all changes; nil: not read yet.
        var value: Value?
        /// The value last read or written.
        var base: Value?
        /// The bytes from which it was read or to which it was written.
        var data: Data?
        /// The changes that are not stored yet, in order.
        var changes: [Change] = []
        /// The bytes of a failed write with the first `count` changes: it may be stored even so.
        var failed: (data: Data, count: Int)?

        /// Takes over what the store has, and applies the changes to it.
        mutating func take(_ read: Value, _ data: Data?) {
            if let failed, failed.data == data { changes.removeFirst(failed.count) }
            (base, self.data, failed) = (read, data, nil)
            var value = read
            for change in changes { change(&value) }
            self.value = value
        }

        /// The first `count` changes are stored, or there is nowhere to store them.
        mutating func settle(_ count: Int, _ initial: Value, _ data: Data?) {
            var value = base ?? initial
            for change in changes.prefix(count) { change(&value) }
            changes.removeFirst(count)
            (base, self.data, failed) = (value, data, nil)
        }

        /// Keeps the changes for the next write; beyond `maximum`, it replaces what is stored then.
        mutating func fail(_ failed: (data: Data, count: Int)?, maximum: Int) {
            self.failed = failed
            guard let value, changes.count > maximum else { return }
            (changes, self.failed) = ([{ $0 = value }], nil)
        }
    }

    private let name: String
    private let initial: Value
    private let store: MarkedStore?
    private let log: ActiveConfigLog
    private let state = Locked(State())
    /// Orders the writes; never waited for within a store's call, so it may be held during one.
    private let writer = DispatchQueue(label: "ActiveConfig.StoredState")
    /// Writes that were asked for within a store's call.
    private let laterWrites = BlockingCalls()

    /// - Parameters:
    ///   - name: The record's name; see ``StoreRecord/clientState(named:)``.
    ///   - initial: The value while nothing is stored.
    ///   - store: Any store, even one that keeps no records.
    ///   - log: Receives a warning when the record cannot be read or kept.
    package init(
        _ name: String, initial: Value, store: (any ActiveConfigStore)?, log: ActiveConfigLog
    ) {
        self.name = name
        self.initial = initial
        self.store = store.map { MarkedStore($0) }
        self.log = log
    }

    /// The value; the first use reads the store.
    package var value: Value {
        if let known = state.withLock({ $0.value }) { return known }
        var (read, data, problem) = (initial, Data?.none, String?.none)
        do {
            data = try store?.clientState(named: name)
            read = decode(data, problem: &problem)
        } catch {
            problem = "The record \(name) of the store cannot be read: \(error.logDescription)"
        }
        let (value, isFirst) = state.withLock { [read, data] state in
            if let known = state.value { return (known, false) }
            state.take(read, data)
            return (read, true)
        }
        if isFirst, let problem { log(.warning, problem) }
        return value
    }

    /// Reads what another process has stored; blocks.
    ///
    /// A record that cannot be read, or was removed, has no effect; nor has a call within a store's.
    func refresh() {
        guard let store, !ThreadMark.storeCall.isSet else { return }
        logged {
            guard let data = try? store.clientState(named: name),
                data != state.withLock({ $0.data })
            else { return (nil, nil) }
            var problem: String?
            let value = decode(data, problem: &problem)
            state.withLock { $0.take(value, data) }
            return (problem, nil)
        }
    }

    /// Changes the value; durable when this returns, except within a store's call, which is written
    /// soon afterwards.
    ///
    /// `change` is applied to the value in memory and to the stored one, which another process may
    /// have changed; it can be called more often, and must not call the store. The last result
    /// counts. Must not be called on a cooperative thread.
    @discardableResult
    package func update<Result: Sendable>(
        _ change: @escaping @Sendable (inout Value) -> Result
    ) -> Result {
        _ = value
        let result = note(change)
        write()
        return result.withLock { $0 }
    }

    /// Changes the value in memory, which must have been read before; `write()` stores it.
    ///
    /// Calls no store, so it may be called under a lock, which then orders the changes.
    ///
    /// - Returns: The result, which `write()` replaces by that for the stored value.
    @discardableResult
    package func note<Result: Sendable>(
        _ change: @escaping @Sendable (inout Value) -> Result
    ) -> Locked<Result> {
        state.withLock { state in
            var value = state.value ?? initial
            let result = Locked(change(&value))
            state.value = value
            state.changes.append { value in
                let new = change(&value)
                result.withLock { $0 = new }
            }
            return result
        }
    }

    /// Returns when all changes so far are durable, or could not be stored; within a store's call
    /// at once.
    ///
    /// - Returns: Why they could not be stored.
    @discardableResult
    package func write() -> (any Error)? {
        guard ThreadMark.storeCall.isSet else { return logged(writeChanges) }
        laterWrites.async(in: BlockingCalls.Lane(of: self, .writes)) { self.write() }
        return nil
    }

    /// Runs on ``writer``.
    private func writeChanges() -> Outcome {
        var (count, data) = state.withLock { ($0.changes.count, $0.data) }
        if count == 0 { return (nil, nil) }
        var problem: String?
        var (encoding, failure) = (Result<Data, any Error>?.none, (any Error)?.none)
        // A store may call it again, although it must not.
        func apply(to old: Data?) -> Data? {
            let read = old.map { decode($0, problem: &problem) }
            // In memory before the store writes: code that the store calls then reads what it writes.
            let new: Value
            (new, count) = state.withLock { state in
                // Without a record, the value of this launch is stored.
                let base = read ?? state.base ?? initial
                state.take(base, old)
                return (state.value ?? base, state.changes.count)
            }
            (data, encoding) = (old, nil)
            guard new != initial || old != nil else { return old }
            let result = Result { try encode(new) }
            encoding = result
            data = (try? result.get()) ?? old
            return data
        }
        do {
            try store?.updateClientState(named: name, apply)
            if case .failure(let error) = encoding { failure = error }
        } catch {
            failure = error
        }
        guard let failure else {
            state.withLock { $0.settle(count, initial, data) }
            return (problem, nil)
        }
        let failed = encoding.flatMap { try? $0.get() }.map { (data: $0, count: count) }
        state.withLock { $0.fail(failed, maximum: Self.maximumUnstoredCount) }
        problem =
            "The record \(name) could not be stored; the next change tries again: "
            + failure.logDescription
        return (problem, failure)
    }

    /// Runs `body` on ``writer``, and logs the problem afterwards: the log may call the framework.
    @discardableResult
    private func logged(_ body: () -> Outcome) -> (any Error)? {
        let (problem, failure) = writer.sync(execute: body)
        if let problem { log(.warning, problem) }
        return failure
    }

    private func encode(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }

    private func decode(_ data: Data?, problem: inout String?) -> Value {
        guard let data else { return initial }
        guard data.count <= Self.maximumSize else {
            problem = "The record \(name) of the store is too large and is left out."
            return initial
        }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            problem =
                "The record \(name) of the store is damaged and is left out: "
                + error.logDescription
            return initial
        }
    }
}
