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

    let options: ActiveConfigOptions
    package let log: ActiveConfigLog
    /// The time of day, for times kept across launches.
    let now: @Sendable () -> Date
    /// What readers see, and the order in which it changes.
    let front: Front
    /// The values of scalar settings, readable without a lock.
    let scalars = ScalarCache()
    /// The active sections, each group of threads with a lock of its own.
    let replicas = SectionReplicas()
    /// Performs what happens to users.
    let users: Users
    let downloads: Downloads
    let observers: ConfigurationObservers
    /// Created at the first observation.
    private let observedConfiguration = Locked<ObservedConfiguration?>(nil)

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
        (self.configDownloader, self.configStore) = (configDownloader, configStore)
        (self.options, self.now, log) = (options, now, options.log)
        let (log, policy) = (options.log, options.activationPolicy)
        let store = configStore.map { MarkedStore($0) }
        observers = ConfigurationObservers(log: log)
        let table = UserTable(
            limits: options.userCacheLimits, policy: policy, listenerQueue: listenerQueue)
        let vettings = Vettings(
            options.vetting, users: table, observers: observers, log: log, now: now)
        front = Front(
            table, vettings, FirstDownload(store: store, log: log),
            ListenerQueue(
                listenerQueue, notificationCenter, patience: listenerQueuePatience, log: log),
            policy: policy,
            layers: ConfigurationLayers(overrides: options.overridePolicy.initialValues),
            scalars: scalars, replicas: replicas)
        let history = DownloadHistory(
            store: store, policy: options.fetchPolicy, now: now, log: log
        ) { Set(table.livingEntries.map(\.userID)) }
        users = Users(
            front, UserStorage(store, vettings: vettings, policy: policy, log: log), history,
            observers, policy: policy, log: log, now: now)
        downloads = Downloads(
            configDownloader, users, timeout: options.downloadTimeout, clock: clock)
        front.queue.attach(to: self)
        store?.fallback.log.inherit(from: log)
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
        get { front.entry.userID.string }
        set { users.makeCurrent(UserID(newValue)) }
    }

    /// Loads the current user's configuration from the store on another thread, unless it is in
    /// memory: call it at launch to keep later reads free of file access.
    public func load() async { _ = await users.loadedSnapshotInTask() }

    /// Makes a user the current one, as setting ``currentUserID`` does, but reads the store on
    /// another thread.
    ///
    /// - Parameter userID: The user; nil is the generic user.
    public func setCurrentUser(_ userID: String?) async {
        await users.makeCurrentInTask(UserID(userID))
    }

    @MainActor
    var observed: ObservedConfiguration { observedConfiguration.observed(self) }

    /// The store as the framework calls it.
    package var store: MarkedStore? { users.storage.store }
    package var clock: any Clock<Duration> { downloads.clock }
    package var notificationCenter: NotificationCenter { front.queue.notificationCenter }
    package var listenerQueue: DispatchQueue { front.queue.queue }
}
