public import Dispatch
public import Foundation

/// The remote configuration of an app or a service, in sections, with one configuration per user.
///
/// ```swift
/// let config = ActiveConfig(
///     configDownloader: JSONURLDownloader { userID in URLRequest(url: url(forUser: userID)) },
///     configStore: FileDefaultsStore(directory: folder))
/// config.currentUserID = "1"
///
/// let isOn = config["AppFeatures"]?.bool(forKey: "SomeFeature") ?? false
/// try await config.downloadNewConfig()
/// ```
///
/// Reads are synchronous, from any thread, and see one whole configuration, never a mix of two.
/// Nothing is downloaded unless the app asks for it. The store is first read on the first read,
/// listening, download or change of the user: by synchronous calls on the caller's thread, by async
/// ones on separate threads.
public final class ActiveConfig: Sendable {
    /// The downloader that fetches configurations.
    public let configDownloader: any ActiveConfigDownloader
    /// The store that keeps configurations across launches; nil keeps nothing.
    public let configStore: (any ActiveConfigStore)?

    let notificationCenter: NotificationCenter
    let listenerQueue: DispatchQueue
    let downloadTimeout: Duration
    let clock: any Clock<Duration>
    let overridePolicy: OverridePolicy
    let log: ActiveConfigLog
    let state: Locked<CoordinatorState>
    /// The values of scalar settings, for reading without the lock.
    let scalars = ScalarCache()
    /// Serializes comparing a new snapshot with the one in force and replacing it, so that no
    /// comparison is repeated.
    ///
    /// Readers do not take it, and no store is called under it. See ``replacingSnapshot(_:)``.
    let snapshotReplacement = Locked(())
    let storeCalls = BlockingCalls()
    /// Serializes the ends of downloads.
    let downloadEnds = DispatchQueue(label: "ActiveConfig.downloadEnds")

    /// Creates a coordinator.
    ///
    /// The store is not read yet.
    ///
    /// - Parameters:
    ///   - configDownloader: Fetches configurations.
    ///   - configStore: Keeps configurations; without one every launch starts empty.
    ///   - notificationCenter: The notification center to post to.
    ///   - listenerQueue: The queue on which listeners are called and notifications posted. It must
    ///     be serial, or they arrive out of order.
    ///   - downloadTimeout: The longest that the downloader may take for an answer, whatever it
    ///     waits for; time that the device sleeps does not count. A download that takes longer is
    ///     cancelled and fails with ``DownloadError/Code/timedOut``, and a later answer is dropped.
    ///     ``JSONURLDownloader`` has a shorter limit of its own.
    ///   - overrides: Whether settings can be overridden on this device.
    ///   - log: Receives the framework's messages.
    public convenience init(
        configDownloader: any ActiveConfigDownloader, configStore: (any ActiveConfigStore)? = nil,
        notificationCenter: NotificationCenter = .default, listenerQueue: DispatchQueue = .main,
        downloadTimeout: Duration = .seconds(300), overrides: OverridePolicy = .inDebugBuilds,
        log: ActiveConfigLog = .standardError
    ) {
        self.init(
            configDownloader: configDownloader, configStore: configStore,
            notificationCenter: notificationCenter, listenerQueue: listenerQueue,
            downloadTimeout: downloadTimeout, clock: SuspendingClock(), overrides: overrides,
            log: log)
    }

    /// Creates a coordinator whose downloads time out by `clock`.
    package init(
        configDownloader: any ActiveConfigDownloader, configStore: (any ActiveConfigStore)?,
        notificationCenter: NotificationCenter, listenerQueue: DispatchQueue,
        downloadTimeout: Duration, clock: any Clock<Duration>,
        overrides: OverridePolicy = .never, log: ActiveConfigLog
    ) {
        self.configDownloader = configDownloader
        self.configStore = configStore
        self.notificationCenter = notificationCenter
        self.listenerQueue = listenerQueue
        // Clocks overflow at very long times; 30 years are long enough.
        self.downloadTimeout = min(max(downloadTimeout, .zero), .seconds(1_000_000_000))
        self.clock = clock
        self.log = log
        overridePolicy = overrides
        var state = CoordinatorState(scalars: scalars)
        state.layers.overrides = overrides.initialOverrides
        self.state = Locked(state)
        reportOverrides()
    }

    /// The user whose configuration is in force; nil, as at first, is the generic user.
    ///
    /// Setting it loads that user's last known configuration before it returns, and notifies the
    /// listeners of every section that differs from the previous one. A user without any
    /// configuration and no fallback has an empty one. Any string is an ID; IDs are compared byte
    /// by byte.
    ///
    /// When it is set before anything else in a launch, the differences from the generic user's
    /// configuration are reported. A bootstrap file is not opened for this comparison: when only
    /// the bootstrap would be in force, nobody has seen it, and nothing is reported.
    public var currentUserID: String? {
        get { state.withLock { $0.userID }.string }
        set { setCurrentUser(UserID(newValue)) }
    }

    private func setCurrentUser(_ userID: UserID) {
        let isCurrent = state.withLock { state in
            if state.userID != userID { state.beginReading(of: userID) }
            return state.userID == userID
        }
        if isCurrent { return }
        var stored = lastKnownConfiguration(of: userID)
        // Reading twice is enough: by now the generic user's configuration is in the store.
        if state.withLock({ $0.readings[userID]?.isFallbackStale == true }) {
            stored = lastKnownConfiguration(of: userID)
        }
        let isFirst = state.withLock { $0.snapshot == nil }
        let former = isFirst ? initialConfiguration(besides: stored) : nil
        let sectionCount = replacingSnapshot { old, layers in
            let downloaded = state.withLock { $0.endReading(of: userID) }
            let new = ConfigurationSnapshot(
                userID: userID,
                known: downloaded.map { .downloaded($0) } ?? stored ?? .none, layers: layers,
                reason: .userChanged)
            let changes = new.changes(
                since: old?.sections ?? former.map { layers.applied(to: $0.sections) }
                    ?? new.sections)
            let isDone = change { state in
                if state.userID == userID { return nil }
                state.userID = userID
                state.snapshot = new
                return deliver(changes, in: state)
            }
            return isDone ? new.sections.entries.count : nil
        }
        if let sectionCount { log(.info, "\(userID) is current, with \(sectionCount) sections.") }
    }

    /// Compares the snapshot in force with a new one and replaces it, while nobody else does.
    ///
    /// The old snapshot is kept until the lock is released: the last reference to what was decoded
    /// from it may go with it, and a `deinit` may call the framework.
    func replacingSnapshot<Result: Sendable>(
        _ body: (_ old: ConfigurationSnapshot?, _ layers: ConfigurationLayers) -> Result
    ) -> Result {
        let (result, old) = snapshotReplacement.withLock { _ in
            let (old, layers) = state.withLock { ($0.snapshot, $0.layers) }
            return (body(old, layers), old)
        }
        withExtendedLifetime(old) {}
        return result
    }

    /// Changes the state and queues the resulting deliveries on the listener queue.
    ///
    /// Both happen under the lock, so deliveries come in the order of the changes. Queueing calls
    /// no foreign code.
    ///
    /// - Returns: True when `body` made a change, false when it returned nil.
    @discardableResult
    func change(_ body: (inout CoordinatorState) -> Delivery?) -> Bool {
        let signals: [AsyncStream<Void>.Continuation]? = state.withLock { state in
            guard let delivery = body(&state) else { return nil }
            if !delivery.changes.isEmpty || !delivery.events.isEmpty {
                listenerQueue.async { self.perform(delivery) }
            }
            return delivery.changes.isEmpty ? [] : Array(state.signals.values)
        }
        for signal in signals ?? [] { signal.yield() }
        return signals != nil
    }

    /// Delivers changed sections to those who listen to them now.
    func deliver(
        _ changes: [SectionChange], _ events: [Delivery.Event] = [], in state: CoordinatorState
    ) -> Delivery {
        Delivery(
            changes: changes.map { ($0, state.listeners[$0.sectionName]) }, events: events)
    }
}
