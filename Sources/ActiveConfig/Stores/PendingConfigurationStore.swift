/// A store that also keeps a user's downloaded configuration until it is activated.
///
/// The stores of the framework are such stores. With another one, what waits is lost with the process,
/// and downloaded again.
///
/// A pending configuration stands beside the user's own, with its own entity tag, and takes no part in
/// any fallback. It is removed with the user's own one.
public protocol PendingConfigurationStore: ActiveConfigStore {
    /// The configuration that waits for a user, with the entity tag it was persisted with; nil when
    /// none does, or when it cannot be read.
    func pendingConfiguration(forUserID userID: String?) -> ConfigurationState?

    /// Stores a configuration that waits, as durably as the user's own; nil removes it.
    ///
    /// - Throws: when it could not be stored. What waited before is then still there.
    func persistPendingConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?) throws
}

extension FileDefaultsStore: PendingConfigurationStore {
    /// The configuration that waits for a user; it waits for no lock.
    public func pendingConfiguration(forUserID userID: String?) -> ConfigurationState? {
        let files = UserFiles(UserID(userID)).pending
        return read(files.current, files.userID) ?? read(files.previous, files.userID)
    }

    /// Stores a configuration that waits, in a file of its own.
    ///
    /// - Throws: ``StoreError``; ``ConfigurationFormatError`` when it is nested too deeply.
    public func persistPendingConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        let files = UserFiles(UserID(userID)).pending
        if let configuration {
            return try replace(files, by: StoredRecord.encode(configuration, of: files.userID))
        }
        let exists = try folder.contains(files.current) || folder.contains(files.previous)
        if exists { try remove(files) }
    }
}

extension InMemoryStore: PendingConfigurationStore {
    /// The configuration that waits for a user.
    public func pendingConfiguration(forUserID userID: String?) -> ConfigurationState? {
        state.withLock { $0.pending[UserID(userID)] }
    }

    /// Keeps a configuration that waits.
    public func persistPendingConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) {
        state.withLock { $0.pending[UserID(userID)] = configuration }
    }
}

extension UserDefaultsStore: PendingConfigurationStore {
    /// The configuration that waits for a user, under a key of its own; nil when it is damaged.
    public func pendingConfiguration(forUserID userID: String?) -> ConfigurationState? {
        guard let data = data(forKey: pendingKey(userID)) else { return nil }
        return try? StoredRecord(data, of: UserID(userID)).configuration()
    }

    /// Stores a configuration that waits.
    ///
    /// - Throws: ``ConfigurationFormatError`` when it is nested too deeply.
    public func persistPendingConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        let record = try configuration.map { try StoredRecord.encode($0, of: UserID(userID)) }
        update(pendingKey(userID)) { _ in record }
    }

    func pendingKey(_ userID: String?) -> String { "\(createUserDefaultsKey(userID)).pending" }
}
