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
/// Nothing is downloaded until the app asks for it. The store is first read at the first read,
/// registration, download or change of the user: by synchronous calls on the caller's thread, by
/// async ones on separate threads.
public final class ActiveConfig: Sendable {
    /// The downloader that fetches configurations.
    public let configDownloader: any ActiveConfigDownloader
    /// The store that keeps configurations across launches; nil keeps nothing.
    public let configStore: (any ActiveConfigStore)?

    /// The store as the framework calls it.
    package let store: MarkedStore?
    package let notificationCenter: NotificationCenter
    package let listenerQueue: DispatchQueue
    package let clock: any Clock<Duration>
    /// The time of day, for times kept across launches.
    let now: @Sendable () -> Date
    let options: ActiveConfigOptions
    /// The record of downloads, kept across launches.
    let history: DownloadHistory
    /// Time in seconds after which a listener queue that does not run is logged.
    let listenerQueuePatience: Double
    package let log: ActiveConfigLog
    let state: Locked<CoordinatorState>
    /// Wakes running iterations of sequences.
    let signals = ChangeSignals()
    /// The values of scalar settings, readable without the lock.
    let scalars = ScalarCache()
    /// The active sections, readable without that lock, too.
    let replicas = SectionReplicas()
    /// The users in memory.
    let users: UserTable
    let observers: ConfigurationObservers
    let vettings: Vettings
    /// The users' documents in the store.
    let storage: UserStorage
    /// Created at the first observation.
    private let observedConfiguration = Locked<ObservedConfiguration?>(nil)
    /// Serializes the decisions on events and the comparison of active configurations.
    ///
    /// Readers do not take it, and no code of the app runs under it; see
    /// `ActiveConfig+Transitions.swift`.
    let transitions: Locked<Transitions>
    let storeCalls = BlockingCalls()
    /// Serializes changes of a user's stored documents.
    let turns = UserTurns()
    let running = RunningDownloads()
    let firstDownload: FirstDownload
    /// The generic user, to whom others fall back.
    let generic: UserEntry

    /// Creates an object; the initializer performs no I/O.
    ///
    /// - Parameters:
    ///   - configDownloader: Fetches configurations. Without one, as for an app with a bundled configuration
    ///     only, each download fails with ``DownloadError/Code/noDownloader``.
    ///   - configStore: Keeps configurations; without one every launch starts empty.
    ///   - notificationCenter: The notification center to post to.
    ///   - listenerQueue: The queue on which listeners are called and notifications posted. It must
    ///     be serial, or they arrive out of order.
    ///   - options: Optional behavior, such as a fetch policy.
    public convenience init(
        configDownloader: (any ActiveConfigDownloader)? = nil,
        configStore: (any ActiveConfigStore)? = nil,
        notificationCenter: NotificationCenter = .default, listenerQueue: DispatchQueue = .main,
        options: ActiveConfigOptions = ActiveConfigOptions()
    ) {
        self.init(
            configDownloader: configDownloader ?? NoDownloader(), configStore: configStore,
            notificationCenter: notificationCenter, listenerQueue: listenerQueue, options: options,
            clock: SuspendingClock())
    }

    /// Creates an object with the given clocks.
    package init(
        configDownloader: any ActiveConfigDownloader, configStore: (any ActiveConfigStore)?,
        notificationCenter: NotificationCenter, listenerQueue: DispatchQueue,
        options: ActiveConfigOptions, clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date = { Date() }, listenerQueuePatience: Double = 10
    ) {
        self.configDownloader = configDownloader
        let store = configStore.map { MarkedStore($0) }
        (self.configStore, self.store) = (configStore, store)
        self.notificationCenter = notificationCenter
        self.listenerQueue = listenerQueue
        self.clock = clock
        self.now = now
        observers = ConfigurationObservers(log: options.log)
        self.options = options
        log = options.log
        firstDownload = FirstDownload(store: store, log: options.log)
        users = UserTable(
            limits: options.userCacheLimits, policy: options.activationPolicy,
            listenerQueue: listenerQueue)
        vettings = Vettings(
            options.vetting, users: users, observers: observers, log: options.log, now: now)
        storage = UserStorage(
            store, vettings: vettings, policy: options.activationPolicy, log: options.log)
        history = DownloadHistory(
            store: store, policy: options.fetchPolicy, now: now, log: options.log
        ) { [users] in Set(users.livingEntries.map(\.userID)) }
        generic = users.entry(of: .generic, isKept: false)
        self.listenerQueuePatience = listenerQueuePatience
        let state = CoordinatorState(generic, scalars: scalars, replicas: replicas)
        self.state = Locked(state)
        transitions = Locked(
            Transitions(
                entry: generic,
                layers: ConfigurationLayers(overrides: options.overridePolicy.initialValues)))
        store?.fallback.log.inherit(from: options.log)
        vettings.attach(to: self)
        reportOverrides()
    }

    /// The current user; nil, the initial value, is the generic user.
    ///
    /// Setting it loads that user's last known configuration before it returns, and notifies the
    /// listeners of every section that differs. A user without any configuration and fallback has
    /// an empty one. Any string is an ID; IDs are compared byte by byte.
    ///
    /// If it is set first in a launch, differences from the generic user's configuration are
    /// reported. A bootstrap file is not opened for this comparison: if only the bootstrap would be
    /// active, no reader has seen it, and nothing is reported.
    public var currentUserID: String? {
        get { state.withLock { $0.userID }.string }
        set { makeCurrent(UserID(newValue)) }
    }

    /// Loads the current user's configuration from the store on another thread, unless it is in
    /// memory: call it at launch to keep later reads free of file access.
    public func load() async { _ = await loadedSnapshotInTask() }

    /// Makes a user the current one, as setting ``currentUserID`` does, but reads the store on
    /// another thread.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    public func setCurrentUser(_ userID: String?) async {
        let user = UserID(userID)
        let entry = users.entry(of: user, isKept: false)
        await storeCalls.run(in: entry.reads) {
            withExtendedLifetime(entry) { self.makeCurrent(user) }
        }
    }

    @MainActor
    var observed: ObservedConfiguration { observedConfiguration.observed(self) }

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
    /// The first delivery is watched: a program that never runs its main queue would otherwise
    /// never learn why its listeners are not called.
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

    /// Delivers changed sections to their current listeners.
    func deliver(
        _ changes: [SectionChange], _ events: [Delivery.Event] = [], in state: CoordinatorState
    ) -> Delivery {
        Delivery(
            changes: changes.map { ($0, state.listeners[$0.sectionName]) },
            contents: changes.isEmpty ? nil : state.snapshot, events: events)
    }
}
