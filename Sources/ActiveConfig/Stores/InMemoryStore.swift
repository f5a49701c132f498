internal import Dispatch
public import Foundation

/// A store in memory, for tests and for apps that keep nothing across launches.
public final class InMemoryStore: ActiveConfigStore {
    private struct State {
        var configurations: [UserID: ConfigurationState] = [:]
        var records: [StoreRecord: Data] = [:]
        var firstDownloadFinished = false
    }

    private let state = Locked(State())
    /// Serializes changes.
    private let changes = DispatchQueue(label: "ActiveConfig.InMemoryStore")
    /// The generic user, then the bootstrap.
    public let fallback: StoreFallback

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - bootstrap: The last fallback.
    ///   - log: Receives a message about a bootstrap that cannot be read; by default the log of the
    ///     ``ActiveConfig`` that uses the store.
    public init(bootstrap: BootstrapConfiguration? = nil, log: ActiveConfigLog? = nil) {
        fallback = .genericUser(then: bootstrap, log: log)
    }

    /// The user's own configuration, else the generic user's, else the bootstrap's.
    public func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        fallback.lastKnownConfiguration(in: self, forUserID: userID)
    }

    /// The user's own configuration, or nil.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        state.withLock { $0.configurations[UserID(userID)] }
    }

    /// The entity tag of the user's own configuration.
    public func ownEntityTag(forUserID userID: String?) -> String? {
        ownConfiguration(forUserID: userID)?.entityTag
    }

    /// Stores a user's configuration; nil removes it.
    ///
    /// It does not throw.
    public func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) {
        changes.sync {
            state.withLock { state in
                state.configurations[UserID(userID)] = configuration
                guard configuration == nil else { return }
                state.records[.pendingConfiguration(forUserID: userID)] = nil
            }
        }
    }

    /// Stores a user's configuration unless a later one is stored.
    public func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (_ templateVersion: Int) -> Bool
    ) -> Bool {
        changes.sync {
            let old = ownConfiguration(forUserID: userID)?.templateVersion
            if let old, isLater(old) { return false }
            state.withLock { $0.configurations[UserID(userID)] = configuration }
            return true
        }
    }

    /// The record, as long as the process lives.
    public func record(_ record: StoreRecord) -> Data? { state.withLock { $0.records[record] } }

    /// Replaces the record.
    public func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) {
        // `change` is foreign code, which must not be called under the lock.
        changes.sync {
            let new = change(self.record(record))
            state.withLock { $0.records[record] = new }
        }
    }

    /// A Boolean value that indicates whether a first download was recorded.
    public var firstDownloadFinished: Bool { state.withLock { $0.firstDownloadFinished } }

    /// Records that a first download has succeeded.
    ///
    /// - Returns: True when this call recorded it, false when it was recorded before.
    @discardableResult
    public func recordFirstDownloadFinished() -> Bool {
        state.withLock { state in
            defer { state.firstDownloadFinished = true }
            return !state.firstDownloadFinished
        }
    }
}
