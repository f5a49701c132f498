/// A user's configuration, for an object that keeps it fresh.
///
/// It is all that such an object needs of an ``ActiveConfig``: the base of its requests, and ways to hand
/// over what came. Each call is about the user's own documents, whoever is the current user, and takes
/// place off the cooperative threads, one after the other with whatever else is stored for the user.
package struct ConfigurationFeed: Sendable {
    private let config: ActiveConfig
    package let userID: UserID

    package init(_ config: ActiveConfig, of userID: UserID) {
        (self.config, self.userID) = (config, userID)
    }

    package var log: ActiveConfigLog { config.log }

    /// The newest document of the user, and the configuration to ask about: another one when the server's
    /// newest document is refused, which then must not be answered again.
    package func requestBase() async -> (
        held: ConfigurationState?, asked: ConfigurationState?
    ) {
        let entry = config.users.entry(of: userID, isKept: false)
        let held = await config.storeCalls.run(in: entry.downloads) {
            config.newestDocument(of: entry)
        }
        return (held, config.requestBase(held, of: userID, isOfUpdater: true))
    }

    /// Downloads the document by a downloader of the caller's, as a download of the configuration's.
    ///
    /// - Throws: The downloader's error, ``ConfigurationFormatError`` or `CancellationError`.
    package func download(
        by downloader: any ActiveConfigDownloader
    ) async throws -> DownloadResult {
        try await config.download(of: userID, by: downloader)
    }

    /// Stores and activates the document to which a change leads.
    ///
    /// - Parameter decide: Decides on the change, given the newest document; called once, and calls
    ///   nothing of the framework.
    /// - Returns: What has become of the change.
    package func receive(
        _ decide: @escaping @Sendable (ConfigurationState?) -> ActiveConfig.PushDecision
    ) async -> ActiveConfig.PushOutcome {
        await config.push(to: userID, decide)
    }

    /// Takes over the version of an answer without a document (304).
    ///
    /// - Parameters:
    ///   - answer: The answer; one with a document changes nothing.
    ///   - asked: The configuration that the request was about.
    package func takeOver(_ answer: ConfigurationState, asked: ConfigurationState?) async {
        await config.takeOver(answer, asked: asked, of: userID)
    }

    /// The version of the newest document that a vetting refuses; nil when none is refused.
    package var newestRefusedVersion: Int? { config.newestRefusedVersion(of: userID) }

    /// Compares a document with the newest one that has arrived in this launch and is refused.
    ///
    /// - Parameter document: The document, or what an answer without one (304) says of it.
    /// - Returns: True for the same document.
    package func isRefused(_ document: ConfigurationState) -> Bool {
        config.refused.withLock { $0[userID]?.isOf(document) ?? false }
    }

    /// Tells the observers that the active document is the server's newest one.
    ///
    /// - Parameter headerFields: The fields of the message that says so, by lower-case names.
    package func confirmActive(headerFields: [String: String]) {
        config.noteActive(of: userID, headerFields: headerFields)
    }
}
