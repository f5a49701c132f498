public import Foundation

/// Stores the last configuration of each user across launches.
///
/// Any string is a user ID; IDs are compared byte by byte, and nil is the generic user. Methods are
/// called from any thread, concurrently. Methods that write may block, for a lock or for the
/// medium, and are not called on Swift's cooperative threads. Methods that read can be called on
/// the main thread, and must take no longer than reading a file.
///
/// A write that fails undoes nothing in memory. A document that was downloaded or activated, the mark of
/// `markStale()` and custom signals then last as long as the process keeps them, and the log reports the
/// failure; none of these calls throws a store's error. Only `forgetUser(_:)` and `forgetGenericUser()`
/// throw it, since stored data that has to go would stay.
///
/// See <doc:Custom-stores-and-downloaders>; the conformance suite of `ActiveConfigTesting` checks a store of your
/// own.
public protocol ActiveConfigStore: Sendable {
    /// The configuration to start with for a user: the user's own, else the generic user's, else a
    /// bootstrap configuration, else nil. It does not throw: log a failed read, and return the next
    /// fallback.
    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState?

    /// Stores a configuration as a user's own; nil removes the stored one.
    ///
    /// - Throws: when it could not be stored. The previously stored configuration must then still
    ///   be there.
    func persistConfiguration(_ configuration: ConfigurationState?, forUserID userID: String?)
        throws

    /// Stores a configuration as a user's own unless a later one is stored, as one step: nothing
    /// else that shares the store, in this or another process, may store one of the user's
    /// between the comparison and the write.
    ///
    /// The default implementation reads ``ownConfiguration(forUserID:)``, then persists: it
    /// overwrites what another process stores between the two.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - userID: The user; nil is the generic user.
    ///   - isLater: Returns true when the stored configuration, of the given
    ///     ``ConfigurationState/templateVersion``, is to stay. Called at most once, not for a
    ///     configuration without a version, and must not call the store.
    /// - Returns: False when the stored one stays.
    /// - Throws: when it could not be stored. The previously stored configuration must then still
    ///   be there.
    func persistConfiguration(
        _ configuration: ConfigurationState, forUserID userID: String?,
        unlessStored isLater: (_ templateVersion: Int) -> Bool
    ) throws -> Bool

    /// The user's own configuration, without any fallback, with the entity tag it was persisted
    /// with.
    ///
    /// The default implementation returns nil: then no request of that user is conditional. With
    /// ``StoreFallback/opaque`` a fallback is then vetted as the user's own document, and an own
    /// document that equals the generic user's is treated as that one.
    func ownConfiguration(forUserID userID: String?) -> ConfigurationState?

    /// The entity tag of the user's own configuration, found without reading the document; nil when
    /// there is none, or when the store does not know.
    ///
    /// While it equals the tag of the active configuration, downloads do not read the stored
    /// configuration. The default implementation returns nil: then each download reads it.
    func ownEntityTag(forUserID userID: String?) -> String?

    /// A Boolean value that indicates whether ``recordFirstDownloadFinished()`` was called in this
    /// launch or an earlier one.
    ///
    /// The default implementation returns false: then each launch has its first download.
    var firstDownloadFinished: Bool { get }

    /// Records that a first download has succeeded on this installation.
    ///
    /// Returns true for exactly one call over all threads, instances and processes that share the
    /// store. The default implementation records nothing and always returns true.
    ///
    /// - Returns: True when this call recorded it, false when it was recorded before.
    /// - Throws: when it could not be recorded. A later call can then be the first.
    @discardableResult
    func recordFirstDownloadFinished() throws -> Bool

    /// A record besides the configurations, or nil when there is none.
    ///
    /// The default implementation throws ``StoreRecord/UnsupportedError``: then records last as
    /// long as the process, which the log reports once.
    ///
    /// - Throws: when it exists but cannot be read.
    func record(_ record: StoreRecord) throws -> Data?

    /// Replaces a record by the result of `change`, as durably as a configuration; nil, as record
    /// or result, means absent.
    ///
    /// Nothing else that shares the store, in this or another process, may change the record
    /// between its read and its write. A record of the installation must survive a loss of power when this returns. The
    /// default implementation throws ``StoreRecord/UnsupportedError``.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - change: Called at most once, and must not call the store.
    /// - Throws: when it could not be read or stored; it is then unchanged.
    func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws

    /// The order of fallbacks of ``lastKnownActiveConfiguration(forUserID:)``.
    ///
    /// The default implementation returns ``StoreFallback/opaque``: that method is then called for
    /// each user without an own configuration.
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

    /// Returns nil: the store cannot distinguish a user's own configuration from a fallback.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? { nil }

    /// Returns nil: the store does not know.
    public func ownEntityTag(forUserID userID: String?) -> String? { nil }

    /// Returns false: the store does not remember it.
    public var firstDownloadFinished: Bool { false }

    /// Returns true: the store does not remember it.
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

    /// Returns opaque: the store has fallbacks of its own.
    public var fallback: StoreFallback { .opaque }
}
