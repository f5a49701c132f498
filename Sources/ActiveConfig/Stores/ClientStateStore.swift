public import Foundation

/// A store that also keeps small records of the client's own, such as when it downloaded last.
///
/// They belong to the installation, not to a user. The stores of the framework are such stores;
/// without one, these records are lost with the process.
public protocol ClientStateStore: ActiveConfigStore {
    /// The record of a name, or nil when there is none.
    ///
    /// - Parameter name: Lower-case ASCII letters, digits and hyphens, at most 80 of them.
    /// - Returns: The record.
    /// - Throws: when it exists, and cannot be read.
    func clientState(named name: String) throws -> Data?

    /// Replaces a record by what `change` makes of it, durably when this returns; nil removes it.
    ///
    /// Nobody else who shares the store, in this process or another one, changes the record meanwhile.
    ///
    /// - Parameters:
    ///   - name: Lower-case ASCII letters, digits and hyphens, at most 80 of them.
    ///   - change: Called once at most, and must not call the store.
    /// - Throws: when it could not be read or stored; then it has not changed.
    func updateClientState(named name: String, _ change: (Data?) -> Data?) throws
}

extension FileDefaultsStore: ClientStateStore {
    /// The content of the record's file; it waits for no lock.
    public func clientState(named name: String) throws -> Data? {
        try folder.read(Self.file(ofClientState: name))
    }

    /// Replaces the record's file.
    ///
    /// - Throws: ``StoreError``.
    public func updateClientState(named name: String, _ change: (Data?) -> Data?) throws {
        try update(Self.file(ofClientState: name), change)
    }

    private static func file(ofClientState name: String) -> String { "state-\(name).json" }
}

extension InMemoryStore: ClientStateStore {
    /// The record, as long as the process lives.
    public func clientState(named name: String) -> Data? {
        state.withLock { $0.clientState[name] }
    }

    /// Replaces the record.
    public func updateClientState(named name: String, _ change: (Data?) -> Data?) {
        // `change` is foreign code, which is not called under the lock.
        clientStateChanges.sync {
            let new = change(clientState(named: name))
            state.withLock { $0.clientState[name] = new }
        }
    }
}

extension UserDefaultsStore: ClientStateStore {
    /// The record under a key of its own.
    public func clientState(named name: String) -> Data? {
        data(forKey: key(ofClientState: name))
    }

    /// Replaces the record.
    ///
    /// Only the instances of one process exclude each other.
    public func updateClientState(named name: String, _ change: (Data?) -> Data?) {
        update(key(ofClientState: name), change)
    }

    private func key(ofClientState name: String) -> String {
        "\(createUserDefaultsKey(nil)).state.\(name)"
    }
}
