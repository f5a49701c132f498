/// All that an ``ActiveConfig`` knows, behind its one lock.
struct CoordinatorState: Sendable {
    /// The current user.
    var userID: UserID = .generic
    /// The configuration in force; nil until somebody asks for it, so that nothing is read from the
    /// store that nobody needs.
    var snapshot: ConfigurationSnapshot?
    /// Counts what may make a configuration stale that was read from the store before: each change
    /// of the user and each download that ended.
    var generation = 0
    /// Whether a download has succeeded in this launch.
    var hasDownloaded = false
    /// The downloads that run.
    var downloads: [UserID: JoinedDownload] = [:]
    /// Who listens to which section.
    var listeners = ListenerTable()
    /// The signals of the sequences that are being iterated.
    var signals: [Int: AsyncStream<Void>.Continuation] = [:]
    /// The number for the next entry of `signals`.
    var nextSignalID = 0
}
