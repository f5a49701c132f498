/// All that an ``ActiveConfig`` knows, behind its one lock.
struct CoordinatorState: Sendable {
    /// What has happened to a user's configuration since a setter began to read it from the store.
    struct Reading {
        /// How many setters read at once.
        var count = 0
        /// What the user's last download brought meanwhile; it is newer than what is read.
        var downloaded: ConfigurationState?
        /// Whether a download of the generic user ended meanwhile, so that a fallback may be stale.
        var isFallbackStale = false
    }

    /// The current user.
    var userID: UserID = .generic
    /// The configuration in force; nil until somebody asks for it, so that nothing is read from the
    /// store that nobody needs.
    var snapshot: ConfigurationSnapshot?
    /// The reads of setters that are under way.
    var readings: [UserID: Reading] = [:]
    /// The configurations that were downloaded in this launch and could not be stored, until the
    /// store keeps one of that user.
    var unstored: [UserID: ConfigurationState] = [:]
    /// Whether a download has succeeded in this launch.
    var firstDownloadFinished = false
    /// Whether the store is known to remember the installation's first download.
    var firstDownloadFinishedIsRecorded = false
    /// The downloads that run, one for each user.
    ///
    /// Each ends once: when it is taken out of here, which is when its end is told.
    var downloads: [UserID: JoinedDownload] = [:]
    /// Who listens to which section.
    var listeners = ListenerTable()
    /// The signals of the sequences that are being iterated.
    var signals: [Int: AsyncStream<Void>.Continuation] = [:]
    /// The number for the next entry of `signals`.
    var nextSignalID = 0

    /// Notes that a setter reads a user's configuration from now on.
    mutating func beginReading(of userID: UserID) {
        readings[userID, default: Reading()].count += 1
    }

    /// Ends what `beginReading(of:)` began.
    ///
    /// - Returns: What a download of the user brought meanwhile.
    mutating func endReading(of userID: UserID) -> ConfigurationState? {
        guard var reading = readings.removeValue(forKey: userID) else { return nil }
        reading.count -= 1
        if reading.count > 0 { readings[userID] = reading }
        return reading.downloaded
    }

    /// Notes what a download brought, for the setters that read just now.
    mutating func noteDownload(of configuration: ConfigurationState, for userID: UserID) {
        readings[userID]?.downloaded = configuration
        guard userID == .generic else { return }
        for reader in readings.keys { readings[reader]?.isFallbackStale = true }
    }
}

/// What a change tells the world: to be put on the listener queue in the order of the changes, and
/// performed there.
struct Delivery: Sendable {
    /// What is posted behind the sections.
    enum Event: Sendable {
        /// The first download of the installation succeeded.
        case firstDownloadFinished(UserID, meta: [String: SettingValue])
        /// A download succeeded.
        case downloadFinished(
            UserID, meta: [String: SettingValue], configurationIsCurrent: Bool)
        /// A download failed.
        case downloadFailed(UserID, any Error)
    }

    /// The sections that changed, each with who listens to it.
    var changes: [(SectionChange, [ListenerRegistration])] = []
    /// What is posted then.
    var events: [Event] = []
}
