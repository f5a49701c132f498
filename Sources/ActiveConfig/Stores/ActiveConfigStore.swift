public import Foundation

/// A store of the last configuration of each user, across launches.
///
/// A user ID is data: any string is a user of its own, IDs are compared byte by byte, and nil is
/// the generic user. Methods are called from any thread, several at a time. Methods that write may
/// block, for a lock or for the medium, and are not called on Swift's cooperative threads. Methods
/// that read may be called on the main thread, and take no longer than reading a file takes.
///
/// See <doc:Writing-a-store>; the conformance suite of `ActiveConfigTesting` checks a store of your
/// own.
public protocol ActiveConfigStore: Sendable {
    /// The configuration to start with for a user: the user's own, else the generic user's, else a
    /// bootstrap configuration, else nil. It does not throw: a failure to read is logged, and the
    /// next fallback is used.
    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState?

    /// Stores a configuration as a user's own; nil removes the stored one.
    ///
    /// - Throws: when it could not be stored. The configuration stored before is then still there.
    func persistConfiguration(_ configuration: ConfigurationState?, forUserID userID: String?)
        throws

    /// Stores a configuration as a user's own unless a later one is stored, as one step: nobody else who
    /// shares the store, in this process or another one, stores one of the user's meanwhile.
    ///
    /// The default implementation reads ``ownConfiguration(forUserID:)``, then persists: what another
    /// process stores between the two is replaced.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - userID: The user; nil is the generic user.
    ///   - isLater: Returns true when the stored configuration, of the given
    ///     ``ConfigurationState/templateVersion``, is to stay. Called once at most, not for one without a
    ///     version, and must not call the store.
    /// - Returns: False when the stored one stays.
    /// - Throws: when it could not be stored. The configuration stored before is then still there.
    func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (_ templateVersion: Int) -> Bool
    ) throws -> Bool

    /// The user's own configuration, without any fallback, with the entity tag it was persisted
    /// with.
    ///
    /// The default implementation returns nil: then no request of that user's is conditional. With
    /// ``StoreFallback/opaque`` a fallback is then vetted as the user's own document, and an own one that equals
    /// the generic user's is taken for that.
    func ownConfiguration(forUserID userID: String?) -> ConfigurationState?

    /// The entity tag of the user's own configuration, found without reading the document; nil when
    /// there is none, or when the store cannot tell.
    ///
    /// While it equals the tag of the active configuration, a download does not read the stored
    /// configuration. The default implementation returns nil: then each download reads it.
    func ownEntityTag(forUserID userID: String?) -> String?

    /// A Boolean value that indicates whether ``recordFirstDownloadFinished()`` was called before,
    /// in this launch or an earlier one.
    ///
    /// The default implementation returns false: then each launch has its first download.
    var firstDownloadFinished: Bool { get }

    /// Records that a first download has succeeded on this installation.
    ///
    /// It returns true for the one call that recorded it first, of all threads, instances and
    /// processes that share the store. The default implementation records nothing and always
    /// returns true.
    ///
    /// - Returns: True when this call recorded it, false when it was recorded before.
    /// - Throws: when it could not be recorded. A later call may then be the first.
    @discardableResult
    func recordFirstDownloadFinished() throws -> Bool

    /// A record beside the configurations, or nil when there is none.
    ///
    /// The default implementation throws ``StoreRecord/UnsupportedError``: then the records last as
    /// long as the process, and the log says so once.
    ///
    /// - Throws: when it exists, and cannot be read.
    func record(_ record: StoreRecord) throws -> Data?

    /// Replaces a record by what `change` makes of it, as durably as a configuration; nil, as record or
    /// result, is none.
    ///
    /// Nobody else who shares the store, in this process or another one, changes the record meanwhile. A
    /// record of the installation survives a loss of power when this returns. The default implementation
    /// throws ``StoreRecord/UnsupportedError``.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - change: Called once at most, and must not call the store.
    /// - Throws: when it could not be read or stored; then it has not changed.
    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws

    /// The order of fallbacks of ``lastKnownActiveConfiguration(forUserID:)``.
    ///
    /// The default implementation returns ``StoreFallback/opaque``: then that method is called for each
    /// user without an own configuration.
    var fallback: StoreFallback { get }
}

extension ActiveConfigStore {
    /// Reads the user's own configuration, then persists.
    public func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (_ templateVersion: Int) -> Bool
    ) throws -> Bool {
        if let version = ownConfiguration(forUserID: userID)?.templateVersion, isLater(version) {
            return false
        }
        try persistConfiguration(configuration, forUserID: userID)
        return true
    }

    /// Nil: the store cannot tell a user's own configuration from a fallback.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? { nil }

    /// Nil: the store cannot tell.
    public func ownEntityTag(forUserID userID: String?) -> String? { nil }

    /// False: the store does not remember it.
    public var firstDownloadFinished: Bool { false }

    /// True: the store does not remember it.
    @discardableResult
    public func recordFirstDownloadFinished() throws -> Bool { true }

    /// Throws: the store keeps no records.
    public func record(_ record: StoreRecord) throws -> Data? {
        throw StoreRecord.UnsupportedError()
    }

    /// Throws: the store keeps no records.
    public func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
        throw StoreRecord.UnsupportedError()
    }

    /// Opaque: the store falls back by itself.
    public var fallback: StoreFallback { .opaque }
}
