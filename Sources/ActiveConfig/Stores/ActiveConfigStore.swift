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

    /// The user's own configuration, without any fallback, with the entity tag it was persisted
    /// with.
    ///
    /// The default implementation returns nil: then no request of that user's is conditional.
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
}

extension ActiveConfigStore {
    /// Nil: the store cannot tell a user's own configuration from a fallback.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? { nil }

    /// Nil: the store cannot tell.
    public func ownEntityTag(forUserID userID: String?) -> String? { nil }

    /// False: the store does not remember it.
    public var firstDownloadFinished: Bool { false }

    /// True: the store does not remember it.
    @discardableResult
    public func recordFirstDownloadFinished() throws -> Bool { true }
}
