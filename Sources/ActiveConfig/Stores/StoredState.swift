import Foundation

/// A value of the client that is kept across launches, besides the configurations.
///
/// It is read from the store at first use. While the store fails, or keeps no records, it lives in
/// memory.
///
/// A store may call the framework while it reads or writes the record. So a read of the value waits
/// for nothing, a change applies in memory before it is written, and within a store's call
/// (``ThreadMark/storeCall``) a write is left to another thread.
package final class StoredState<Value: Codable & Sendable & Equatable>: Sendable {
    /// In bytes; larger records are treated as damaged.
    private static var maximumSize: Int { 16 << 20 }

    private typealias Change = @Sendable (inout Value) -> Void

    private struct State {
        /// With the changes; nil: not read yet.
        var value: Value?
        /// The value last read or written.
        var stored: Value?
        /// The bytes from which it was read or to which it was written.
        var data: Data?
        /// False when the store could not keep it: it is then newer than the stored one.
        var isStored = true
        /// The changes that are not written yet, in order.
        var changes: [Change] = []

        /// Takes over what was read, or written with the first `count` changes.
        mutating func take(_ value: Value, _ data: Data?, changeCount count: Int = 0) {
            (stored, self.data) = (value, data)
            changes.removeFirst(count)
            var value = value
            for change in changes { change(&value) }
            self.value = value
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
            let before = state.withLock { $0 }
            guard before.isStored, let data = try? store.clientState(named: name),
                data != before.data
            else { return nil }
            var problem: String?
            let value = decode(data, problem: &problem)
            state.withLock { $0.take(value, data) }
            return problem
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
    package func write() {
        guard ThreadMark.storeCall.isSet else { return logged(writeChanges) }
        laterWrites.async(in: BlockingCalls.Lane(of: self, .writes)) { self.write() }
    }

    /// Runs on ``writer``.
    ///
    /// - Returns: The problem to log.
    private func writeChanges() -> String? {
        let before = state.withLock { $0 }
        let count = before.changes.count
        if count == 0 { return nil }
        var (problem, isApplied) = (String?.none, false)
        var failure: (any Error)?
        func changed(_ value: Value) -> Value {
            var value = value
            for change in before.changes { change(&value) }
            return value
        }
        func take(_ value: Value, _ data: Data?) {
            // A store may call `apply` again, although it must not.
            state.withLock { $0.take(value, data, changeCount: isApplied ? 0 : count) }
            isApplied = true
        }
        func apply(to data: Data?) -> Data? {
            let stored = before.isStored ? data.map { decode($0, problem: &problem) } : nil
            let value = changed(stored ?? before.stored ?? initial)
            var new = data
            if value != initial || data != nil {
                do { new = try encode(value) } catch { failure = error }
            }
            // Before the store writes: whoever it calls then reads what it writes.
            take(value, new)
            return new
        }
        do {
            try store?.updateClientState(named: name, apply)
        } catch {
            failure = error
        }
        if !isApplied { take(changed(before.stored ?? initial), before.data) }
        let isStored = failure == nil
        state.withLock { $0.isStored = isStored }
        guard let failure else { return problem }
        return "The record \(name) could not be stored and is lost with this launch: "
            + failure.logDescription
    }

    /// Runs `body` on ``writer``, and logs the problem afterwards: the log may call the framework.
    private func logged(_ body: () -> String?) {
        if let problem = writer.sync(execute: body) { log(.warning, problem) }
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
