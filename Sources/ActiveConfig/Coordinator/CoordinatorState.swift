/// State that readers and listeners of an ``ActiveConfig`` share, behind one lock.
struct CoordinatorState: Sendable {
    /// The current user.
    var entry: UserEntry
    var userID: UserID { entry.userID }
    /// Nil until first use, so that the store is not read unnecessarily.
    var snapshot: SnapshotContents? {
        didSet {
            if let snapshot {
                scalars.activate(generation: snapshot.generation)
                replicas.activate(snapshot.sections)
            }
            decoded = []
        }
    }
    /// Values of keys in the snapshot, by slot, which the snapshot has too; nil: not read yet.
    private(set) var decoded: ContiguousArray<(any DecodedSetting)?> = []
    /// Settings whose values are masked.
    var secrets: Set<SettingPath> = []
    private let scalars: ScalarCache
    private let replicas: SectionReplicas
    /// True once the first delivery was put on the listener queue.
    var isListenerQueueWatched = false
    /// Registrations by section.
    var listeners = ListenerTable()

    init(_ entry: UserEntry, scalars: ScalarCache, replicas: SectionReplicas) {
        self.entry = entry
        self.scalars = scalars
        self.replicas = replicas
    }

    /// Keeps a value that was read from a snapshot, if that snapshot is active.
    mutating func keep(
        _ value: any DecodedSetting, slot: Int, of snapshot: SnapshotContents
    ) {
        guard snapshot === self.snapshot, slot < ScalarCache.capacity else { return }
        while decoded.count <= slot { decoded.append(nil) }
        decoded[slot] = value
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
    /// The configuration that the sections are of; nil when there are none.
    var contents: SnapshotContents?
    var events: [Event] = []
}
