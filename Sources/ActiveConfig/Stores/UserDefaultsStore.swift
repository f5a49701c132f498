public import Foundation

/// A store in user defaults, as the original's.
///
/// It suits small configurations on Apple's platforms, where user defaults are read whole at launch.
/// For all else ``FileDefaultsStore`` reads faster and says when it cannot keep something. Each
/// configuration carries a checksum and its user's ID; what is damaged is put aside under its key
/// with the ending `.damaged`, and the next in line is used.
public final class UserDefaultsStore: ActiveConfigStore {
    let bootstrap: BootstrapConfiguration?
    let log: ActiveConfigLog
    private let shared: SharedUserDefaults
    private let createUserDefaultsKey: @Sendable (_ userID: String?) -> String

    /// Makes a store with keys of its own.
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

    /// Makes a store with keys of the app's choice.
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
        guard let data = userDefaults.data(forKey: key) else { return nil }
        do {
            return try StoredRecord.decode(data, of: UserID(userID))
        } catch let damage as StoredRecord.Damage {
            userDefaults.set(data, forKey: "\(key).damaged")
            userDefaults.removeObject(forKey: key)
            log(
                .warning,
                "The configuration under the key \(key) of the user defaults is damaged and was put "
                    + "aside as \(key).damaged: \(damage.description).")
        } catch {
            log(
                .warning,
                "The configuration under the key \(key) of the user defaults cannot be used and is "
                    + "left out: \(error)")
        }
        return nil
    }

    /// Keeps a user's configuration, or removes it.
    ///
    /// It does not throw: user defaults do not say whether they could write.
    public func persistConfiguration(
        _ configuration: ConfigurationState?, forUserID userID: String?
    ) {
        let key = createUserDefaultsKey(userID)
        if let configuration {
            userDefaults.set(
                StoredRecord.encode(configuration, of: UserID(userID)), forKey: key)
        } else {
            userDefaults.removeObject(forKey: key)
            userDefaults.removeObject(forKey: "\(key).damaged")
        }
        synchronize()
    }

    /// Whether a first download was recorded.
    public var firstDownloadFinished: Bool { userDefaults.bool(forKey: firstDownloadKey) }

    /// Keeps that a first download has succeeded; true for the first call.
    @discardableResult
    public func recordFirstDownloadFinished() -> Bool {
        let isFirst = !firstDownloadFinished
        userDefaults.set(true, forKey: firstDownloadKey)
        synchronize()
        return isFirst
    }

    /// User defaults, which the compiler does not know on every platform to be thread-safe.
    private struct SharedUserDefaults: @unchecked Sendable {  // Documented as thread-safe.
        let value: UserDefaults
    }

    private var userDefaults: UserDefaults { shared.value }

    private var firstDownloadKey: String {
        "\(createUserDefaultsKey(nil)).firstDownloadFinished"
    }

    /// Has them written now: only Apple's user defaults do it by themselves.
    private func synchronize() {
        #if !canImport(Darwin)
            _ = userDefaults.synchronize()
        #endif
    }
}

extension UserDefaultsStore: BootstrappedStore {}
