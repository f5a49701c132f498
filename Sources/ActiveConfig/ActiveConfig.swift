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

    package let notificationCenter: NotificationCenter
    package let listenerQueue: DispatchQueue
    let downloadTimeout: Duration
    package let clock: any Clock<Duration>
    /// The time of day, for what is kept across launches.
    let now: @Sendable () -> Date
    let overridePolicy: OverridePolicy
    let options: ActiveConfigOptions
    /// What is kept of downloads across launches.
    let history: DownloadHistory
    /// Time in seconds after which a listener queue that runs nothing is logged.
    let listenerQueuePatience: Double
    package let log: ActiveConfigLog
    let state: Locked<CoordinatorState>
    /// Wakes the sequences that are being iterated.
    let signals = ChangeSignals()
    /// The values of scalar settings, for reading without the lock.
    let scalars = ScalarCache()
    /// The active sections, for reading without that lock, too.
    let replicas = SectionReplicas()
    /// The users in memory.
    let users: UserTable
    let observers: ConfigurationObservers
    /// The vettings of the options: those first that need the original, whose word the others build on.
    let vetting: [any ConfigurationVetting]
    /// Documents that the vettings did not accept in this launch.
    let refused = Locked(RefusedDocuments())
    /// True when a vetting needs the original of each document.
    let needsOriginal: Bool
    /// Made by the first who observes.
    private let observedConfiguration = Locked<ObservedConfiguration?>(nil)
    /// Serializes deciding on events and comparing what is active before and after.
    ///
    /// Readers do not take it, and nothing of the app's is called under it; see `ActiveConfig+Transitions.swift`.
    let transitions: Locked<Transitions>
    let storeCalls = BlockingCalls()
    /// Serializes what changes a user's documents in the store.
    let turns = UserTurns()
    /// Serializes the ends of downloads until the first one is recorded.
    let firstDownloadTurns = UserTurns()
    /// The generic user, to whom others fall back.
    let generic: UserEntry
    /// True when the store has the framework's order of fallbacks: user, generic user, bootstrap.
    let fallsBackToGeneric: Bool

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
    ///   - options: Optional behavior, such as a fetch policy.
    ///   - log: Receives the framework's messages.
    public convenience init(
        configDownloader: any ActiveConfigDownloader, configStore: (any ActiveConfigStore)? = nil,
        notificationCenter: NotificationCenter = .default, listenerQueue: DispatchQueue = .main,
        downloadTimeout: Duration = .seconds(300), overrides: OverridePolicy = .inDebugBuilds,
        options: ActiveConfigOptions = ActiveConfigOptions(), log: ActiveConfigLog = .standardError
    ) {
        self.init(
            configDownloader: configDownloader, configStore: configStore,
            notificationCenter: notificationCenter, listenerQueue: listenerQueue,
            downloadTimeout: downloadTimeout, clock: SuspendingClock(), overrides: overrides,
            options: options, log: log)
    }

    /// Creates a coordinator that downloads nothing, as for an app with a bundled configuration only.
    ///
    /// A download fails with ``DownloadError/Code/noDownloader``.
    ///
    /// - Parameters:
    ///   - configStore: The store, such as one with a bootstrap configuration.
    ///   - notificationCenter: The notification center to post to.
    ///   - listenerQueue: The serial queue on which listeners are called and notifications posted.
    ///   - overrides: Whether settings can be overridden on this device.
    ///   - options: Optional behavior, such as a fetch policy.
    ///   - log: Receives the framework's messages.
    public convenience init(
        configStore: any ActiveConfigStore, notificationCenter: NotificationCenter = .default,
        listenerQueue: DispatchQueue = .main, overrides: OverridePolicy = .inDebugBuilds,
        options: ActiveConfigOptions = ActiveConfigOptions(), log: ActiveConfigLog = .standardError
    ) {
        self.init(
            configDownloader: NoDownloader(), configStore: configStore,
            notificationCenter: notificationCenter, listenerQueue: listenerQueue,
            overrides: overrides, options: options, log: log)
    }

    /// Creates a coordinator with the given clocks.
    package init(
        configDownloader: any ActiveConfigDownloader, configStore: (any ActiveConfigStore)?,
        notificationCenter: NotificationCenter, listenerQueue: DispatchQueue,
        downloadTimeout: Duration, clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date = { Date() },
        overrides: OverridePolicy = .never,
        options: ActiveConfigOptions = ActiveConfigOptions(), listenerQueuePatience: Double = 10,
        log: ActiveConfigLog
    ) {
        self.configDownloader = configDownloader
        self.configStore = configStore
        self.notificationCenter = notificationCenter
        self.listenerQueue = listenerQueue
        // Clocks overflow at very long times; 30 years are long enough.
        self.downloadTimeout = min(max(downloadTimeout, .zero), .seconds(1_000_000_000))
        self.clock = clock
        self.now = now
        self.log = log
        observers = ConfigurationObservers(log: log)
        overridePolicy = overrides
        self.options = options
        vetting =
            options.vetting.filter(\.needsOriginal) + options.vetting.filter { !$0.needsOriginal }
        needsOriginal = vetting.contains { $0.needsOriginal }
        history = DownloadHistory(
            store: configStore, policy: options.fetchPolicy, now: now, log: log)
        users = UserTable(
            limits: options.userCache, policy: options.activation, listenerQueue: listenerQueue)
        generic = users.entry(of: .generic, isKept: false)
        fallsBackToGeneric = configStore?.fallback.isGeneric ?? false
        self.listenerQueuePatience = listenerQueuePatience
        let state = CoordinatorState(generic, scalars: scalars, replicas: replicas)
        self.state = Locked(state)
        transitions = Locked(
            Transitions(
                entry: generic,
                layers: ConfigurationLayers(overrides: overrides.initialOverrides)))
        configStore?.fallback.log.inherit(from: log)
        for vetting in vetting { vetting.attach(to: self) }
        reportOverrides()
    }

    /// The user whose configuration is active; nil, as at first, is the generic user.
    ///
    /// Setting it loads that user's last known configuration before it returns, and notifies the
    /// listeners of every section that differs from the previous one. A user without any
    /// configuration and no fallback has an empty one. Any string is an ID; IDs are compared byte
    /// by byte.
    ///
    /// When it is set before anything else in a launch, the differences from the generic user's
    /// configuration are reported. A bootstrap file is not opened for this comparison: when only
    /// the bootstrap would be active, nobody has seen it, and nothing is reported.
    public var currentUserID: String? {
        get { state.withLock { $0.userID }.string }
        set { setCurrentUser(UserID(newValue)) }
    }

    /// The configuration as the main actor sees it.
    @MainActor
    var observed: ObservedConfiguration {
        if let known = observedConfiguration.withLock({ $0 }) { return known }
        // Only the main actor makes one, so nobody else does meanwhile.
        let new = ObservedConfiguration(self)
        observedConfiguration.withLock { $0 = new }
        return new
    }

    /// Changes the state and queues the resulting deliveries on the listener queue.
    ///
    /// Both happen under the lock, so deliveries come in the order of the changes. Queueing calls
    /// no foreign code.
    ///
    /// - Returns: True when `body` made a change, false when it returned nil.
    @discardableResult
    func change(_ body: (inout CoordinatorState) -> Delivery?) -> Bool {
        state.withLock { state in
            guard let delivery = body(&state) else { return false }
            if !delivery.changes.isEmpty || !delivery.events.isEmpty {
                queue(in: &state) { self.perform(delivery) }
            }
            return true
        }
    }

    /// Puts a delivery on the listener queue, under the lock, so that they come in order.
    ///
    /// The first one is watched: a program that never runs its main queue would wait for ever for what
    /// its listeners should hear.
    func queue(in state: inout CoordinatorState, _ delivery: @escaping @Sendable () -> Void) {
        guard !state.isListenerQueueWatched else { return listenerQueue.async(execute: delivery) }
        state.isListenerQueueWatched = true
        let hasRun = Locked(false)
        listenerQueue.async {
            hasRun.withLock { $0 = true }
            delivery()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + listenerQueuePatience) { [weak self] in
            if hasRun.withLock({ $0 }) { return }
            self?.log(
                .warning,
                "Nothing has run on the listener queue since a change was put there. If it is the main "
                    + "queue, the program has to run it, as with RunLoop.main.run() or an asynchronous "
                    + "main(); else create the ActiveConfig with another listenerQueue.")
        }
    }

    /// Delivers changed sections to those who listen to them now.
    func deliver(
        _ changes: [SectionChange], _ events: [Delivery.Event] = [], in state: CoordinatorState
    ) -> Delivery {
        Delivery(
            changes: changes.map { ($0, state.listeners[$0.sectionName]) }, events: events)
    }
}
