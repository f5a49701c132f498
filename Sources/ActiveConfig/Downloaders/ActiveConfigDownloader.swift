/// Fetches a user's configuration.
///
/// See <doc:Custom-stores-and-downloaders>; the conformance suite of `ActiveConfigTesting` checks
/// custom downloaders.
public protocol ActiveConfigDownloader: Sendable {
    /// Fetches a user's configuration.
    ///
    /// Called once at a time per user, and concurrently for several users. When its task is
    /// cancelled, it should stop soon and throw.
    ///
    /// - Parameters:
    ///   - userID: The user, any string; nil is the generic user.
    ///   - lastKnown: The user's OWN last configuration, never a fallback, or nil. Its entity tag
    ///     can make the request conditional.
    /// - Returns: The configuration, or nil if it has not changed since `lastKnown`.
    /// - Throws: when there is no usable answer. The active configuration then stays.
    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) async throws -> ConfigurationState?

    /// A digest of what an answer depends on besides the user, such as signals.
    ///
    /// If it differs from that of the last download, a ``FetchPolicy`` lets the next one ask the
    /// server before its interval expires. The default implementation returns "".
    var requestDigest: String { get }
}

extension ActiveConfigDownloader {
    /// "": an answer depends on the user only.
    public var requestDigest: String { "" }
}

/// A downloader that repeats its requests, and reports a failure once per cause.
package protocol FailureDeduplicating: ActiveConfigDownloader {
    /// Records a failure, and returns true when its cause is new.
    func isNewFailure(_ error: any Error) -> Bool
}

/// The server answered with an older version than the known one, as a lagging replica can; versions
/// never go back, so this means "not modified".
package struct OlderAnswer: Error {
    let configuration: ConfigurationState

    package init(configuration: ConfigurationState) { self.configuration = configuration }
}

/// The downloader of a document that has already arrived.
struct ReceivedDocument: ActiveConfigDownloader {
    let document: ConfigurationState
    /// The user's epoch when it arrived.
    let epoch: UserEpoch

    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) throws -> ConfigurationState? {
        if lastKnown?.isLater(than: document) == true {
            throw OlderAnswer(configuration: document)
        }
        return document
    }
}
