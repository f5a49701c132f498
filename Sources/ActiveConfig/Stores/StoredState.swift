import Foundation

/// A value of the client's own that is kept across launches, beside the configurations.
///
/// It is read from the store at first use. While the store cannot keep it, or is none that does, it
/// lives in memory.
final class StoredState<Value: Codable & Sendable & Equatable>: Sendable {
    private let name: String
    private let initial: Value
    private let store: (any ClientStateStore)?
    private let log: ActiveConfigLog
    /// The value that was read or written last; nil: not read yet.
    private let known = Locked<Value?>(nil)
    /// Serializes changes, which call the store.
    private let changes = DispatchQueue(label: "ActiveConfig.StoredState")

    /// - Parameters:
    ///   - name: The record's name; see ``ClientStateStore/clientState(named:)``.
    ///   - initial: The value as long as nothing is stored.
    ///   - store: Any store; one that is no ``ClientStateStore`` keeps nothing.
    ///   - log: Receives a warning when the record cannot be read or kept.
    init(
        _ name: String, initial: Value, store: (any ActiveConfigStore)?, log: ActiveConfigLog
    ) {
        self.name = name
        self.initial = initial
        self.store = store as? any ClientStateStore
        self.log = log
    }

    /// The value; the first use reads the store.
    var value: Value {
        if let known = known.withLock({ $0 }) { return known }
        return changes.sync {
            if let known = known.withLock({ $0 }) { return known }
            var value = initial
            do {
                value = decode(try store?.clientState(named: name))
            } catch {
                log(.warning, "The record \(name) of the store cannot be read: \(error)")
            }
            known.withLock { $0 = value }
            return value
        }
    }

    /// Changes the value, durably when this returns.
    ///
    /// It starts from what the store has, which another process may have changed. `change` is called
    /// once, and must not call the store. Not to be called on a cooperative thread.
    @discardableResult
    func update<Result>(_ change: (inout Value) -> Result) -> Result {
        _ = value
        return changes.sync {
            var result: Result?
            var value = known.withLock { $0 } ?? initial
            do {
                try store?.updateClientState(named: name) { data in
                    if let data { value = decode(data) }
                    result = change(&value)
                    return value == initial && data == nil ? nil : encode(value)
                }
            } catch {
                log(
                    .warning,
                    "The record \(name) could not be stored and is lost with this launch: \(error)")
            }
            let outcome = result ?? change(&value)
            known.withLock { $0 = value }
            return outcome
        }
    }

    private func encode(_ value: Value) -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(value)
    }

    private func decode(_ data: Data?) -> Value {
        guard let data else { return initial }
        do {
            return try JSONDecoder().decode(Value.self, from: data)
        } catch {
            log(.warning, "The record \(name) of the store is damaged and is left out: \(error)")
            return initial
        }
    }
}
