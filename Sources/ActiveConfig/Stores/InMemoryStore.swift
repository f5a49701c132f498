internal import Dispatch
import Foundation

/// A store that forgets everything with the process, for tests and for apps that keep nothing.
public final class InMemoryStore: ActiveConfigStore {
    struct State {
        var configurations: [UserID: ConfigurationState] = [:]
        var pending: [UserID: ConfigurationState] = [:]
        var firstDownloadFinished = false
        var clientState: [String: Data] = [:]
    }

    let state = Locked(State())
    /// Serializes the changes of records.
    let clientStateChanges = DispatchQueue(label: "ActiveConfig.InMemoryStore")
    let bootstrap: BootstrapConfiguration?
    let log: ActiveConfigLog

    /// Creates an empty store.
    ///
    /// - Parameter bootstrap: The last fallback.
    public convenience init(bootstrap: BootstrapConfiguration? = nil) {
        self.init(bootstrap: bootstrap, log: .inherited)
    }

    /// Creates an empty store with the given log.
    ///
    /// - Parameters:
    ///   - bootstrap: The last fallback.
    ///   - log: Receives a message about a bootstrap that cannot be read.
    public init(bootstrap: BootstrapConfiguration?, log: ActiveConfigLog) {
        self.bootstrap = bootstrap
        self.log = log
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
        state.withLock { state in
            state.configurations[UserID(userID)] = configuration
            if configuration == nil { state.pending[UserID(userID)] = nil }
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

extension InMemoryStore: BootstrappedStore {}
