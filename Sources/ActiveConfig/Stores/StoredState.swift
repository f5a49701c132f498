import Foundation

/// A value of the client that is kept across launches, besides the configurations.
///
/// It is read from the store at first use. While the store fails, or keeps no records, it lives in
/// memory.
package final class StoredState<Value: Codable & Sendable & Equatable>: Sendable {
    /// In bytes; larger records are treated as damaged.
    private static var maximumSize: Int { 16 << 20 }

    private let name: String
    private let initial: Value
    private let store: (any ActiveConfigStore)?
    private let log: ActiveConfigLog
    private struct Known {
        /// The value last read or written; nil: not read yet.
        var value: Value?
        /// The bytes from which it was read or to which it was written.
        var data: Data?
        /// False when the store could not keep it: it is then newer than the stored one.
        var isStored = true
    }

    private let known = Locked(Known())
    /// Serializes changes, which call the store.
    private let changes = DispatchQueue(label: "ActiveConfig.StoredState")

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
        self.store = store
        self.log = log
    }

    /// The value; the first use reads the store.
    package var value: Value {
        if let known = known.withLock({ $0.value }) { return known }
        return serialized { problem in
            if let known = known.withLock({ $0.value }) { return known }
            var (value, data) = (initial, Data?.none)
            do {
                data = try store?.clientState(named: name)
                value = decode(data, problem: &problem)
            } catch {
                problem = "The record \(name) of the store cannot be read: \(error.logDescription)"
            }
            known.withLock { ($0.value, $0.data) = (value, data) }
            return value
        }
    }

    /// Reads what another process has stored meanwhile; blocks.
    ///
    /// A record that cannot be read, or was removed, has no effect.
    func refresh() {
        guard let store else { return }
        serialized { problem in
            let before = known.withLock { $0 }
            guard before.isStored, let data = try? store.clientState(named: name),
                data != before.data
            else { return }
            let value = decode(data, problem: &problem)
            known.withLock { ($0.value, $0.data) = (value, data) }
        }
    }

    /// Changes the value; durable when this returns.
    ///
    /// Starts from the stored value, which another process may have changed. `change` is called
    /// once, and must not call the store. Must not be called on a cooperative thread.
    @discardableResult
    package func update<Result>(_ change: (inout Value) -> Result) -> Result {
        _ = value
        return serialized { problem in
            let before = known.withLock { $0 }
            var value = before.value ?? initial
            var result: Result?
            var (isStored, written) = (true, Data?.none)
            do {
                var failure: (any Error)?
                try store?.updateClientState(named: name) { data in
                    if let data, before.isStored { value = decode(data, problem: &problem) }
                    result = change(&value)
                    if value == initial, data == nil { return nil }
                    do {
                        written = try encode(value)
                        return written
                    } catch {
                        failure = error
                        return data
                    }
                }
                if let failure { throw failure }
            } catch {
                isStored = false
                problem =
                    "The record \(name) could not be stored and is lost with this launch: "
                    + error.logDescription
            }
            let outcome = result ?? change(&value)
            known.withLock { $0 = Known(value: value, data: written, isStored: isStored) }
            return outcome
        }
    }

    /// Logs the problem afterwards: the log may call the framework.
    private func serialized<Result>(_ body: (inout String?) -> Result) -> Result {
        var problem: String?
        let result = changes.sync { body(&problem) }
        if let problem { log(.warning, problem) }
        return result
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
