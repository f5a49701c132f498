/// A document that the program has made itself for many users, such as by evaluating a template,
/// ready to be read as the configuration of each of them.
///
/// ```swift
/// let evaluated = EvaluatedDocument(try ConfigurationState(jsonData: data), of: config)
/// print(evaluated.snapshot(forUserID: "42")[.isCheckoutOn])
/// ```
///
/// Its users share the sections and what was decoded from them, and the ``ActiveConfig`` keeps
/// nothing of them. So it suits a service with more users than it can keep configurations for.
public struct EvaluatedDocument: Sendable {
    private let config: ActiveConfig
    private let contents: SnapshotContents

    /// Prepares a document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - config: Supplies in-app defaults and overrides, as they are now, and has the observers, the
    ///     secrets and the log of reads.
    public init(_ document: ConfigurationState, of config: ActiveConfig) {
        self.config = config
        contents = SnapshotContents(
            userID: .generic, known: .downloaded(document), layers: config.front.layers,
            reason: .downloaded, epoch: UserEpoch())
    }

    /// The document.
    public var document: ConfigurationState { contents.configuration }

    /// The document as the configuration of a user.
    ///
    /// While the ``ActiveConfig`` has observers, such as an `ExposureRecorder`, each snapshot reports
    /// its reads as those of its user, and decodes settings of its own for that.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    /// - Returns: The snapshot.
    public func snapshot(forUserID userID: String?) -> ConfigurationSnapshot {
        ConfigurationSnapshot(
            config: config,
            contents: SnapshotContents(
                contents, of: UserID(userID), sharingDecoded: config.observers.isEmpty))
    }
}
