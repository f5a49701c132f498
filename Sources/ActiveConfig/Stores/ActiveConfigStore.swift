/// A store of the last configuration of each user, across launches.
///
/// A user ID is data: any string is a user of its own, told from others byte by byte, and nil is the
/// generic user. Methods are called from any thread, several at a time. Those that write may block, for
/// a lock or for the medium, and are not called on Swift's cooperative threads; those that read may be
/// called on the main thread, and take no longer than reading a file takes. See <doc:Writing-a-store>; the conformance suite of `ActiveConfigTesting` checks a
/// store of your own.
public protocol ActiveConfigStore: Sendable {
    /// The configuration to start with for a user: the user's own, else the generic user's, else a
    /// bootstrap configuration, else nil. It does not throw: what cannot be read is logged, and the
    /// next fallback is used.
    func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState?

    /// Keeps a configuration as a user's own; nil removes what is kept.
    ///
    /// - Throws: when it could not be kept. What was kept before is then still there.
    func persistConfiguration(_ configuration: ConfigurationState?, forUserID userID: String?)
        throws

    /// The user's own configuration, without any fallback, with the entity tag it was persisted
    /// with. It has a default, nil: then no request of that user's is conditional.
    func ownConfiguration(forUserID userID: String?) -> ConfigurationState?

    /// The entity tag of the user's own configuration, found without reading the document; nil when
    /// there is none, or when the store cannot tell.
    ///
    /// While it is the tag of what is in force, a download does not ask for the configuration. It has
    /// a default, nil: then each download does.
    func ownEntityTag(forUserID userID: String?) -> String?

    /// Whether ``recordFirstDownloadFinished()`` was called before, in this launch or an earlier one.
    /// It has a default, false: then each launch has its first download.
    var firstDownloadFinished: Bool { get }

    /// Keeps that a first download has succeeded on this installation.
    ///
    /// It is true for the one call that recorded it first, of all threads, instances and processes
    /// that share the store. It has a default that keeps nothing and is always true.
    ///
    /// - Returns: Whether it was recorded now, and not before.
    /// - Throws: when it could not be kept. It is then not recorded, and a later call may be the first.
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
