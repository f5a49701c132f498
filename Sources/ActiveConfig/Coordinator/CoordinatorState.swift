/// The state of an ``ActiveConfig``, behind its one lock.
struct CoordinatorState: Sendable {
    /// Downloads that ended while a setter of the current user reads the store.
    struct Reading {
        /// Number of setters that read concurrently.
        var count = 0
        /// The user's last download in the meantime, newer than the configuration being read.
        var downloaded: ConfigurationState?
        /// Counts the changes of the store by more than a download of this user: a download of the
        /// generic user, to whom others fall back, or a removal.
        ///
        /// Each setter compares it with the count before its own read.
        var changeCount = 0
    }

    /// The outcome of a user's first loading in this launch.
    enum Launch: Sendable {
        /// The store's own configuration is in force.
        case stored
        /// The pending document is active, and about to be stored as the user's own in place of `former`.
        case activated(ConfigurationState, former: ConfigurationState?)
        /// Sections of the pending document are active, others still those of the user's own one,
        /// `former`.
        case mixed(KnownConfiguration, former: ConfigurationState?)

        var step: Int {
            switch self {
            case .mixed: 0
            case .activated: 1
            case .stored: 2
            }
        }
    }

    var userID: UserID = .generic
    /// Nil until first use, so that nothing is read from the store without need.
    var snapshot: ConfigurationSnapshot? {
        didSet {
            if let snapshot {
                scalars.bringInForce(generation: snapshot.generation)
                replicas.bringInForce(snapshot.sections)
            }
            decoded = []
        }
    }
    /// Values of keys in the snapshot, by slot, which the snapshot has too; nil: not read yet.
    private(set) var decoded: ContiguousArray<(any DecodedSetting)?> = []
    /// What lies beneath and above each user's document.
    var layers = ConfigurationLayers()
    /// Settings whose values are masked.
    var secrets: Set<SettingPath> = []
    private let scalars: ScalarCache
    private let replicas: SectionReplicas
    var readings: [UserID: Reading] = [:]
    /// Downloaded configurations that could not be stored, until the store keeps one of that user.
    var unstored: [UserID: ConfigurationState] = [:]
    /// What waits for activation and could not be stored.
    var unstoredPending: [UserID: ConfigurationState] = [:]
    /// What each user was loaded with in this launch, so that nothing else comes in force by loading
    /// again while the user is in memory.
    var launches: [UserID: Launch] = [:]
    /// Number of users above which those who are not in memory are dropped.
    private var pruningThreshold = leastPruningThreshold
    /// Number of users that were forgotten.
    var forgettingCount = 0
    /// In this launch.
    var firstDownloadFinished = false
    /// True once the store is known to have recorded it for the installation.
    var firstDownloadFinishedIsRecorded = false
    /// Running downloads by user.
    ///
    /// A download ends when it is removed here, which happens once.
    var downloads: [UserID: JoinedDownload] = [:]
    /// The identity of what was pushed last to a user while a download is running, whose answer may
    /// be older.
    var pushed: [UserID: (version: Int, entityTag: String?)] = [:]
    /// True once the first delivery was put on the listener queue.
    var isListenerQueueWatched = false
    /// Registrations by section.
    var listeners = ListenerTable()

    init(scalars: ScalarCache, replicas: SectionReplicas) {
        self.scalars = scalars
        self.replicas = replicas
    }

    /// Keeps a value that was read from a snapshot, if that is the one in force.
    mutating func keep(
        _ value: any DecodedSetting, slot: Int, of snapshot: ConfigurationSnapshot
    ) {
        guard snapshot === self.snapshot, slot < ScalarCache.capacity else { return }
        while decoded.count <= slot { decoded.append(nil) }
        decoded[slot] = value
    }

    mutating func beginReading(of userID: UserID) {
        readings[userID, default: Reading()].count += 1
    }

    /// - Returns: The configuration downloaded for the user since `beginReading(of:)`, if any.
    mutating func endReading(of userID: UserID) -> ConfigurationState? {
        guard var reading = readings.removeValue(forKey: userID) else { return nil }
        reading.count -= 1
        if reading.count > 0 { readings[userID] = reading }
        return reading.downloaded
    }

    /// The document that a user's loading starts from, beneath what waits.
    ///
    /// It is the one that the user was first loaded with in this launch, until another process has
    /// stored one that is not older as the user's own.
    mutating func base(
        of userID: UserID, _ stored: KnownConfiguration?
    ) -> KnownConfiguration? {
        let loaded: (known: KnownConfiguration, former: ConfigurationState?)
        switch launches[userID] {
        case nil, .stored: return stored
        case .mixed(let known, let former): loaded = (known, former)
        case .activated(let document, let former):
            loaded = (KnownConfiguration(document, source: .stored, isOwn: true), former)
        }
        guard let stored, stored.isOwn, stored.configuration != loaded.former,
            !stored.isOlder(than: loaded.known)
        else { return loaded.known }
        launches[userID] = .stored
        return stored
    }

    /// Drops what is known of a user.
    mutating func forget(_ userID: UserID) {
        forgettingCount += 1
        if userID == .generic { forgetFallbacks() }
        unstored[userID] = nil
        unstoredPending[userID] = nil
        launches[userID] = nil
        pushed[userID] = nil
        readings[userID]?.downloaded = nil
        noteChange(of: userID)
    }

    /// Drops the generic user's sections that are in force for others beside what waits for those.
    private mutating func forgetFallbacks() {
        for (userID, launch) in launches {
            if case .mixed(let known, _) = launch, !known.isOwn { launches[userID] = .stored }
        }
    }

    /// Ends a user's download, once it is accepted or has failed.
    mutating func endDownload(of userID: UserID) {
        downloads[userID] = nil
        pushed[userID] = nil
    }

    fileprivate static let leastPruningThreshold = 1_000

    /// True once much is known of users, most of whom may no longer be in memory.
    var isPruningDue: Bool {
        max(launches.count, unstored.count, unstoredPending.count) > pruningThreshold
    }

    /// Drops what is known of users who are not in memory any more: for them the next loading is like
    /// that of a new launch.
    mutating func prune(keeping living: Set<UserID>) {
        let (current, readings, downloads) = (self.userID, self.readings, self.downloads)
        func isInUse(_ userID: UserID) -> Bool {
            userID == current || userID == .generic || living.contains(userID)
                || readings[userID] != nil || downloads[userID] != nil
        }
        launches = launches.filter { userID, launch in
            // It is about to be stored.
            if case .activated = launch { return true }
            return isInUse(userID)
        }
        unstored = unstored.filter { isInUse($0.key) }
        unstoredPending = unstoredPending.filter { isInUse($0.key) }
        // Doubling the threshold makes the amortized cost of pruning constant.
        pruningThreshold = max(
            Self.leastPruningThreshold,
            2 * max(launches.count, unstored.count, unstoredPending.count))
    }

    /// Makes the setters that are reading a user read again.
    mutating func noteChange(of userID: UserID) {
        for reader in userID == .generic ? Array(readings.keys) : [userID] {
            readings[reader]?.changeCount += 1
        }
    }

    /// Passes a download on to the setters that are reading.
    mutating func noteDownload(of configuration: ConfigurationState, for userID: UserID) {
        readings[userID]?.downloaded = configuration
        guard userID == .generic else { return }
        for reader in readings.keys { readings[reader]?.changeCount += 1 }
    }
}

/// Effects of a change of state, performed on the listener queue in the order of the changes.
struct Delivery: Sendable {
    /// Posted after the sections.
    enum Event: Sendable {
        /// The first download of the installation succeeded.
        case firstDownloadFinished(UserID, meta: [String: SettingValue])
        case downloadFinished(
            UserID, meta: [String: SettingValue], configurationIsCurrent: Bool)
        /// A download failed.
        case downloadFailed(UserID, any Error)
    }

    /// Changed sections, each with its listeners.
    var changes: [(SectionChange, [ListenerRegistration])] = []
    var events: [Event] = []
}
