/// A store of the last configuration of each user, across launches.
///
/// A user ID is data: any string is a user of its own, told from others byte by byte, and nil is the
/// generic user. Methods are called from any thread, several at a time; they may take as long as a
/// file takes. See <doc:Writing-a-store>; the conformance suite of `ActiveConfigTesting` checks a
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

    /// Whether ``recordFirstDownloadFinished()`` was called before, in this launch or an earlier one.
    /// It has a default, false: then each launch has its first download.
    var firstDownloadFinished: Bool { get }

    /// Keeps that a first download has succeeded on this installation, and says whether this call
    /// was the one to do so: of all calls, by any object and process that uses this place, one gives
    /// true. It has a default that does nothing and gives true.
    ///
    /// - Returns: Whether nobody had recorded it before.
    /// - Throws: when it could not be kept.
    @discardableResult
    func recordFirstDownloadFinished() throws -> Bool
}

extension ActiveConfigStore {
    /// Nil: the store cannot tell a user's own configuration from a fallback.
    public func ownConfiguration(forUserID userID: String?) -> ConfigurationState? { nil }

    /// False: the store does not remember it.
    public var firstDownloadFinished: Bool { false }

    /// Does nothing, and gives true: without a memory each launch has its first download.
    @discardableResult
    public func recordFirstDownloadFinished() throws -> Bool { true }
}
