public import Foundation

/// Stores configurations in user defaults, as MSActiveConfig did.
///
/// Suits small configurations on Apple's platforms, where user defaults are read whole at launch.
/// In all other cases ``FileDefaultsStore`` reads faster and reports failed writes. Each
/// configuration has a checksum and its user's ID; a damaged one is moved to its key with the
/// suffix `.damaged`, and the next fallback is used. One of a later version of the framework stays
/// until the user's next configuration is stored, and is then moved to its key with the suffix
/// `.newer`.
///
/// Two limits are those of user defaults. Before the first unlock of a device after it started,
/// they read as empty. And processes that share them can each record a first download: guarantees
/// hold for the instances of one process only.
public final class UserDefaultsStore: ActiveConfigStore {
    /// The generic user, then the bootstrap.
    public let fallback: StoreFallback
    private let shared: SharedUserDefaults
    private let createUserDefaultsKey: @Sendable (_ userID: String?) -> String

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - userDefaults: The user defaults to store configurations in.
    ///   - bootstrap: The last fallback.
    ///   - log: Receives messages about damaged configurations; nil is the log of the
    ///     ``ActiveConfig`` that uses the store.
    ///   - createUserDefaultsKey: Returns the key of a user's configuration; nil is the generic
    ///     user. By default ``defaultKey(forUserID:)``. Users with the same key overwrite each
    ///     other's configuration, but none ever gets another's.
    public init(
        userDefaults: UserDefaults = .standard, bootstrap: BootstrapConfiguration? = nil,
        log: ActiveConfigLog? = nil,
        createUserDefaultsKey: @escaping @Sendable (_ userID: String?) -> String = UserDefaultsStore
            .defaultKey
    ) {
        shared = SharedUserDefaults(value: userDefaults)
        fallback = .genericUser(then: bootstrap, log: log)
        self.createUserDefaultsKey = createUserDefaultsKey
    }

    /// The default key of a user's configuration.
    ///
    /// It contains a digest of the ID, since user defaults may treat two spellings of one letter as
    /// one key.
    public static func defaultKey(forUserID userID: String?) -> String {
        guard let userID else { return "ActiveConfig.generic" }
        return "ActiveConfig.user.\(SHA256.hexDigest(of: userID.utf8))"
    }

    private var log: ActiveConfigLog { fallback.log }

    /// The user's own configuration, else the generic user's, else the bootstrap's.
    public func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
        fallback.lastKnownConfiguration(in: self, forUserID: userID)
    }

    /// The user's own configuration, or nil.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
        let key = createUserDefaultsKey(userID)
        var content = examine(key, of: UserID(userID))
        if case .damaged = content { content = putAside(key, of: UserID(userID)) }
        switch content {
        case .absent: return nil
        case .record(let record):
            do {
                return try record.configuration()
            } catch {
                log(
                    .warning,
                    "The configuration of \(UserID(userID).logName) in the user defaults cannot be used and "
                        + "is left out: \(error.logDescription)")
                return nil
            }
        case .damaged(let damage):
            log(
                .warning,
                "The configuration of \(UserID(userID).logName) in the user defaults is damaged and was "
                    + "moved to its key with the suffix .damaged: \(damage.description).")
            return nil
        case .newer:
            log(
                .warning,
                "The configuration of \(UserID(userID).logName) in the user defaults is of a later version "
                    + "of the framework; it is left out, and stays where it is.")
            return nil
        }
    }

    /// The entity tag of the user's own configuration, found without parsing it.
    public func ownEntityTag(forUserID userID: String?) -> String? {
        data(forKey: createUserDefaultsKey(userID)).flatMap {
            StoredRecord.entityTag(inHead: $0, of: UserID(userID))
        }
    }

    private func data(forKey key: String) -> Data? { read { $0.data(forKey: key) } }

    /// Reads user defaults without waiting for a writer, if they allow that.
    ///
    /// Apple's can be read safely during a write. A writer holds the lock while they notify
    /// observers; a writer that waits for the main thread would deadlock with a locked read there.
    private func read<Value>(_ body: (UserDefaults) -> Value) -> Value {
        #if canImport(Darwin)
            return body(userDefaults)
        #else
            // A value read during a write can be stale, and remain so.
            return Self.lock.withLock { body(userDefaults) }
        #endif
    }

    private enum Content {
        case absent
        case record(StoredRecord)
        case damaged(StoredRecord.Damage)
        /// A record of a later version of the framework.
        case newer
    }

    private func examine(_ key: String, of userID: UserID) -> Content {
        guard let data = data(forKey: key) else { return .absent }
        if StoredRecord.isOfNewerVersion(data) { return .newer }
        do {
            return .record(try StoredRecord(data, of: userID))
        } catch {
            return .damaged(error)
        }
    }

    /// Moves a damaged record to another key, unless it was replaced since it was read.
    ///
    /// - Returns: The content found under the lock; `damaged` when it was moved.
    private func putAside(_ key: String, of userID: UserID) -> Content {
        Self.lock.withLock {
            let content = examine(key, of: userID)
            if case .damaged = content {
                userDefaults.set(userDefaults.data(forKey: key), forKey: Self.damaged(key))
                userDefaults.removeObject(forKey: key)
            }
            return content
        }
    }

    private static func damaged(_ key: String) -> String { "\(key).damaged" }

    private static func newer(_ key: String) -> String { "\(key).newer" }

    /// Stores a user's configuration; nil removes it.
    ///
    /// User defaults do not report failed writes.
    ///
    /// - Throws: ``ConfigurationFormatError`` when the configuration is nested deeper than
    ///   ``ConfigurationLimits/depthLimit``. The one before is then still stored.
    public func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) throws {
        if let configuration {
            _ = try persistConfiguration(configuration, forUserID: userID) { _ in false }
            return
        }
        let key = createUserDefaultsKey(userID)
        // Remove the pending record first; it must not outlive the active one.
        let pending = self.key(of: .pendingConfiguration(forUserID: userID))
        Self.lock.withLock {
            for key in [pending, key, Self.damaged(key), Self.newer(key)] {
                userDefaults.removeObject(forKey: key)
            }
            synchronize()
        }
    }

    /// Stores a user's configuration unless a later one is stored.
    ///
    /// Only the instances of one process exclude each other.
    ///
    /// - Throws: As ``persistConfiguration(_:forUserID:)``.
    public func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (_ templateVersion: Int) -> Bool
    ) throws -> Bool {
        let key = createUserDefaultsKey(userID)
        let record = try StoredRecord.encode(configuration, of: UserID(userID))
        return Self.lock.withLock {
            switch examine(key, of: UserID(userID)) {
            case .absent, .damaged: break
            case .record(let old):
                if StoredRecord.templateVersion(in: old.data).map(isLater) == true { return false }
            case .newer: userDefaults.set(userDefaults.data(forKey: key), forKey: Self.newer(key))
            }
            userDefaults.set(record, forKey: key)
            synchronize()
            return true
        }
    }

    /// A Boolean value that indicates whether a first download was recorded.
    public var firstDownloadFinished: Bool {
        let key = firstDownloadKey
        return read { $0.bool(forKey: key) }
    }

    /// Records that a first download has succeeded.
    ///
    /// - Returns: True for exactly one call over all instances in this process.
    @discardableResult
    public func recordFirstDownloadFinished() -> Bool {
        let key = firstDownloadKey
        return Self.lock.withLock {
            if userDefaults.bool(forKey: key) { return false }
            userDefaults.set(true, forKey: key)
            synchronize()
            return true
        }
    }

    /// The record under a key of its own.
    public func record(_ record: StoreRecord) -> Data? { data(forKey: key(of: record)) }

    private func key(of record: StoreRecord) -> String {
        switch record.kind {
        case .pendingConfiguration(let userID): "\(createUserDefaultsKey(userID.string)).pending"
        case .clientState(let name): "\(createUserDefaultsKey(nil)).state.\(name)"
        }
    }

    /// Replaces the record.
    ///
    /// Only the instances of one process exclude each other.
    public func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) {
        let key = key(of: record)
        Self.lock.withLock {
            let old = userDefaults.data(forKey: key)
            let new = change(old)
            if new == old { return }
            if let new {
                userDefaults.set(new, forKey: key)
            } else {
                userDefaults.removeObject(forKey: key)
            }
            synchronize()
        }
    }

    /// Process-wide, and held from reading to writing: several instances may share user defaults
    /// without knowing of each other.
    ///
    /// Recursive, since user defaults notify observers synchronously, and an observer may read a
    /// store.
    private static let lock = NSRecursiveLock()

    /// Not every platform declares user defaults as thread-safe to the compiler.
    private struct SharedUserDefaults: @unchecked Sendable {  // Documented as thread-safe.
        let value: UserDefaults
    }

    private var userDefaults: UserDefaults { shared.value }

    private var firstDownloadKey: String {
        "\(createUserDefaultsKey(nil)).firstDownloadFinished"
    }

    /// Writes user defaults now: only Apple's do that by themselves.
    private func synchronize() {
        #if !canImport(Darwin)
            _ = userDefaults.synchronize()
        #endif
    }
}
