/// A way to fetch a user's configuration.
///
/// See <doc:Writing-a-downloader>; the conformance suite of `ActiveConfigTesting` checks a
/// downloader of your own.
public protocol ActiveConfigDownloader: Sendable {
    /// Fetches a user's configuration.
    ///
    /// It is called once at a time for a user, for several users at a time. When the task it runs in
    /// is cancelled it should stop soon, and throw.
    ///
    /// - Parameters:
    ///   - userID: The user, any string; nil is the generic user.
    ///   - lastKnown: The user's OWN last configuration, never a fallback, or nil. Its entity tag may
    ///     make the request conditional.
    /// - Returns: The configuration, or nil when nothing has changed since `lastKnown`.
    /// - Throws: when there is no usable answer. The active configuration then stays.
    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState?

    /// A digest of what an answer depends on beside the user, such as of signals.
    ///
    /// When it differs from that of the last download, a ``FetchPolicy`` lets the next one ask the
    /// server before its interval is over. The default implementation returns "".
    var requestDigest: String { get }
}

extension ActiveConfigDownloader {
    /// "": an answer depends on the user only.
    public var requestDigest: String { "" }
}

/// A downloader that repeats its requests, whose failures are reported once per cause.
package protocol FailureDeduplicating: ActiveConfigDownloader {
    /// Notes a failure, and returns true when its cause is new.
    func isNewFailure(_ error: any Error) -> Bool
}

/// The server has answered with a version before the one at hand, as a replica may that does not have
/// the newest yet; versions never go back, so nothing has changed.
package struct OlderAnswer: Error {
    let configuration: ConfigurationState

    package init(configuration: ConfigurationState) { self.configuration = configuration }
}

/// The downloader of a document that is there already.
struct ReceivedDocument: ActiveConfigDownloader {
    let document: ConfigurationState
    /// The user's epoch in which it came.
    let epoch: UserEpoch

    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) throws -> ConfigurationState? {
        if let version = document.templateVersion, let known = lastKnown?.templateVersion,
            version < known
        {
            throw OlderAnswer(configuration: document)
        }
        return document
    }
}
