public import Foundation

/// A store in user defaults, as the original's.
///
/// It suits small configurations on Apple's platforms, where user defaults are read whole at launch.
/// For all else ``FileDefaultsStore`` reads faster and says when it cannot keep something. Each
/// configuration carries a checksum and its user's ID; what is damaged is put aside under its key
/// with the ending `.damaged`, and the next in line is used.
///
/// Two limits are those of user defaults. Before a device is unlocked for the first time since it
/// started they read as empty. And processes that share them can each record a first download: all
/// else holds for all instances of one process only.
public final class UserDefaultsStore: ActiveConfigStore {
    let bootstrap: BootstrapConfiguration?
    let log: ActiveConfigLog
    private let shared: SharedUserDefaults
    private let createUserDefaultsKey: @Sendable (_ userID: String?) -> String

    /// Creates a store with keys of its own.
    ///
    /// - Parameters:
    ///   - userDefaults: Where configurations are kept.
    ///   - bootstrap: The configuration to fall back to at last.
    public convenience init(
        userDefaults: UserDefaults = .standard, bootstrap: BootstrapConfiguration? = nil
    ) {
        self.init(
            userDefaults: userDefaults, bootstrap: bootstrap,
            createUserDefaultsKey: Self.defaultKey)
    }

    /// Creates a store with keys of the app's choice.
    ///
    /// - Parameters:
    ///   - userDefaults: Where configurations are kept.
    ///   - bootstrap: The configuration to fall back to at last.
    ///   - log: Where what is damaged is named.
    ///   - createUserDefaultsKey: Makes the key of a user's configuration; nil is the generic user.
    ///     Users of one key share a place and so lose their configuration to each other, though none
    ///     is ever shown another's.
    public init(
        userDefaults: UserDefaults = .standard, bootstrap: BootstrapConfiguration? = nil,
        log: ActiveConfigLog = .standardError,
        createUserDefaultsKey: @escaping @Sendable (_ userID: String?) -> String
    ) {
        shared = SharedUserDefaults(value: userDefaults)
        self.bootstrap = bootstrap
        self.log = log
        self.createUserDefaultsKey = createUserDefaultsKey
    }

    /// The key when the app does not choose: after a digest of the ID, since user defaults may take
    /// two spellings of one letter for one key.
    public static func defaultKey(forUserID userID: String?) -> String {
        guard let userID else { return "ActiveConfig.generic" }
        return "ActiveConfig.user.\(SHA256.hexDigest(of: userID.utf8))"
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
                    "The configuration under the key \(key) of the user defaults cannot be used and "
                        + "is left out: \(error)")
                return nil
            }
        case .damaged(let damage):
            log(
                .warning,
                "The configuration under the key \(key) of the user defaults is damaged and was put "
                    + "aside as \(Self.damaged(key)): \(damage.description).")
            return nil
        }
    }

    /// The entity tag of the user's own configuration, which is not parsed.
    public func ownEntityTag(forUserID userID: String?) -> String? {
        data(forKey: createUserDefaultsKey(userID)).flatMap {
            StoredRecord.entityTag(inHead: $0, of: UserID(userID))
        }
    }

    /// Reads under the lock: on Linux a value that is read while another is written may be stale, and
    /// stay so.
    private func data(forKey key: String) -> Data? {
        Self.lock.withLock { userDefaults.data(forKey: key) }
    }

    private enum Content {
        case absent
        case record(StoredRecord)
        case damaged(StoredRecord.Damage)
    }

    private func examine(_ key: String, of userID: UserID) -> Content {
        guard let data = data(forKey: key) else { return .absent }
        do {
            return .record(try StoredRecord(data, of: userID))
        } catch {
            return .damaged(error)
        }
    }

    /// Moves a damaged record to another key, unless it was replaced since it was read.
    ///
    /// - Returns: What is under the key at last.
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

    /// Keeps a user's configuration, or removes it.
    ///
    /// It does not throw: user defaults do not say whether they could write. A configuration that is
    /// nested deeper than ``ConfigurationLimits/deepestMaximumDepth`` is logged and left out.
    public func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) {
        let key = createUserDefaultsKey(userID)
        let record: Data?
        do {
            record = try configuration.map { configuration throws(ConfigurationFormatError) in
                try StoredRecord.encode(configuration, of: UserID(userID))
            }
        } catch {
            return log(.error, "A configuration cannot be kept: \(error)")
        }
        Self.lock.withLock {
            if let record {
                userDefaults.set(record, forKey: key)
            } else {
                userDefaults.removeObject(forKey: key)
                userDefaults.removeObject(forKey: Self.damaged(key))
            }
            synchronize()
        }
    }

    /// Whether a first download was recorded.
    public var firstDownloadFinished: Bool { userDefaults.bool(forKey: firstDownloadKey) }

    /// Keeps that a first download has succeeded.
    ///
    /// - Returns: Whether this call did it: it is true for one call only of all instances in this
    ///   process.
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

    /// Process-wide, held from reading to writing: several instances may share user defaults that
    /// cannot be told apart.
    ///
    /// Recursive, since user defaults notify observers synchronously, and an observer may read a
    /// store.
    private static let lock = NSRecursiveLock()

    /// The compiler does not know on every platform that user defaults are thread-safe.
    private struct SharedUserDefaults: @unchecked Sendable {  // Documented as thread-safe.
        let value: UserDefaults
    }

    private var userDefaults: UserDefaults { shared.value }

    private var firstDownloadKey: String {
        "\(createUserDefaultsKey(nil)).firstDownloadFinished"
    }

    /// Writes them now: only Apple's user defaults do so by themselves.
    private func synchronize() {
        #if !canImport(Darwin)
            _ = userDefaults.synchronize()
        #endif
    }
}

extension UserDefaultsStore: BootstrappedStore {}
