/// Access to a user's configuration for an object that keeps it up to date.
///
/// It offers the base of requests, and ways to hand over what arrived, for the user's own documents,
/// current or not.
///
/// The asynchronous members call the store off the cooperative threads. What ``download(by:)``,
/// ``receive(_:)`` and ``confirm(by:asked:)`` store is serialized with all other storing for the
/// user. The synchronous members run on the calling thread, outside of that order.
package struct ConfigurationFeed: Sendable {
    /// The action for an arrived change, given the user's newest document.
    package enum Decision: Sendable {
        /// Store and activate the resulting configuration.
        case apply(ConfigurationState)
        /// Do nothing: the change is known or older, or a vetting ignores its document.
        case skip
        /// Fetch the document: the change does not follow the user's configuration.
        case fetch
    }

    /// The outcome of an arrived change.
    package enum Outcome: Sendable {
        case applied(ConfigurationState, DownloadResult)
        case skipped
        case needsFetch
        /// The task was cancelled before the change was decided on; nothing was done.
        case cancelled
    }

    private let config: ActiveConfig
    package let userID: UserID

    package init(_ config: ActiveConfig, of userID: UserID) {
        (self.config, self.userID) = (config, userID)
    }

    package var log: ActiveConfigLog { config.log }

    /// The newest document of the user, and the document to ask about: another one if the server's
    /// newest document is refused and must not be sent again.
    ///
    /// - Throws: `CancellationError`.
    package func requestBase() async throws -> (
        newest: ConfigurationState?, asked: ConfigurationState?
    ) {
        let entry = config.users.table.entry(of: userID, isKept: false)
        let newest = try await config.users.calls.runUnlessCancelled(in: entry.downloads) {
            config.users.newestDocument(of: entry)
        }
        return (newest, config.users.vettings.requestBase(newest, of: userID, isOfUpdater: true))
    }

    /// Downloads the document with the caller's downloader.
    ///
    /// - Throws: The downloader's error, ``ConfigurationFormatError`` or `CancellationError`.
    package func download(
        by downloader: any ActiveConfigDownloader
    ) async throws -> DownloadResult {
        try await config.downloads.download(of: userID, by: downloader)
    }

    /// Stores and activates the document to which a change leads.
    ///
    /// - Parameter decide: Decides on the change, given the newest document; called once, and calls
    ///   nothing of the framework.
    /// - Returns: The outcome.
    package func receive(
        _ decide: @escaping @Sendable (ConfigurationState?) -> Decision
    ) async -> Outcome {
        await config.downloads.push(to: userID, decide)
    }

    /// Records that the server has confirmed the user's document by an answer without one (304), and
    /// adopts the version that the answer names.
    ///
    /// - Parameters:
    ///   - answer: The answer, nil if it names nothing; one with a document changes nothing.
    ///   - asked: The configuration that the request was about.
    package func confirm(by answer: ConfigurationState?, asked: ConfigurationState?) async {
        await config.downloads.confirm(by: answer, asked: asked, of: userID)
    }

    /// Records that the server has confirmed the user's document without an answer to a request.
    ///
    /// Has no effect when the user's newest document is another one than that of the entity tag.
    package func confirmDocument(entityTag: String) async {
        await config.downloads.confirmDocument(entityTag: entityTag, of: userID)
    }

    /// The version of the newest refused document; nil when none is refused.
    package var newestRefusedVersion: Int? {
        config.users.vettings.newestRefusedVersion(of: userID)
    }

    /// Compares a document with the newest one that was refused in this launch.
    ///
    /// - Parameter document: The document, or that of an answer without one (304).
    /// - Returns: True for the same document.
    package func isRefused(_ document: ConfigurationState) -> Bool {
        config.users.vettings.isRefused(document, for: userID)
    }

    /// Reports to the observers that the active document is the server's newest one.
    ///
    /// - Parameter headerFields: The fields of the message that says so, by lower-case names.
    package func confirmActive(headerFields: [String: String]) {
        config.users.reportActive(of: userID, headerFields: headerFields)
    }
}
