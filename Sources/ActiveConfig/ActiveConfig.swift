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
/// Nothing is downloaded unless the app says so. The store is first asked when somebody reads,
/// listens, downloads or sets the user.
public final class ActiveConfig: Sendable {
    /// What fetches configurations.
    public let configDownloader: any ActiveConfigDownloader
    /// What keeps them across launches, if anything does.
    public let configStore: (any ActiveConfigStore)?

    let notificationCenter: NotificationCenter
    let listenerQueue: DispatchQueue
    let log: ActiveConfigLog
    let state = Locked(CoordinatorState())

    /// Makes a coordinator.
    ///
    /// It reads nothing yet.
    ///
    /// - Parameters:
    ///   - configDownloader: What fetches configurations.
    ///   - configStore: What keeps them; without one every launch starts empty.
    ///   - notificationCenter: Where notifications are posted.
    ///   - listenerQueue: Where listeners are called and notifications posted. It must be serial, or
    ///     they come out of order.
    ///   - log: Where it tells what it does.
    public init(
        configDownloader: any ActiveConfigDownloader, configStore: (any ActiveConfigStore)? = nil,
        notificationCenter: NotificationCenter = .default, listenerQueue: DispatchQueue = .main,
        log: ActiveConfigLog = .standardError
    ) {
        self.configDownloader = configDownloader
        self.configStore = configStore
        self.notificationCenter = notificationCenter
        self.listenerQueue = listenerQueue
        self.log = log
    }

    /// The user whose configuration is in force; nil, as at first, is the generic user.
    ///
    /// Setting it loads that user's last known configuration before it returns, and tells the
    /// listeners of every section that differs from what was current. A user without any
    /// configuration and no fallback has an empty one. IDs are any strings, told apart byte by byte.
    public var currentUserID: String? {
        get { state.withLock { $0.userID }.string }
        set { setCurrentUser(UserID(newValue)) }
    }

    /// Brings another user's configuration in force.
    private func setCurrentUser(_ userID: UserID) {
        while true {
            let (isCurrent, generation, old) = state.withLock {
                ($0.userID == userID, $0.generation, $0.snapshot)
            }
            if isCurrent { return }
            let new = ConfigurationSnapshot(
                userID: userID, configuration: lastKnownConfiguration(of: userID),
                reason: .userChanged)
            let delivery = new.changes(since: old)
            let isDone = change { state in
                // What was read is stale when a download has ended meanwhile.
                guard state.generation == generation, state.snapshot === old else { return nil }
                state.userID = userID
                state.generation += 1
                state.snapshot = new
                return deliver(delivery, in: state)
            }
            if isDone {
                log(.info, "\(userID) is current, with \(new.sections.entries.count) sections.")
                return
            }
        }
    }

    /// What the store has to start with for a user; empty when it has nothing.
    private func lastKnownConfiguration(of userID: UserID) -> ConfigurationState {
        configStore?.lastKnownActiveConfiguration(forUserID: userID.string)
            ?? ConfigurationState(meta: [:], sections: [:])
    }

    /// The configuration in force, loaded now if nobody asked before.
    func loadedSnapshot() -> ConfigurationSnapshot {
        while true {
            let (known, userID, generation) = state.withLock {
                ($0.snapshot, $0.userID, $0.generation)
            }
            if let known { return known }
            let new = ConfigurationSnapshot(
                userID: userID, configuration: lastKnownConfiguration(of: userID),
                reason: .restored)
            let current = state.withLock { state -> ConfigurationSnapshot? in
                if state.snapshot == nil, state.generation == generation { state.snapshot = new }
                return state.snapshot
            }
            if let current { return current }
        }
    }

    /// Changes the state and puts what it tells the world on the listener queue.
    ///
    /// Both happen under the lock: that is what makes the deliveries come in the order of the
    /// changes. Putting work on a queue runs nobody's code.
    ///
    /// - Parameter body: Makes the change and gives what to deliver; nil when it made none.
    /// - Returns: Whether a change was made.
    @discardableResult
    func change(_ body: (inout CoordinatorState) -> Delivery?) -> Bool {
        let signals: [AsyncStream<Void>.Continuation]? = state.withLock { state in
            guard let delivery = body(&state) else { return nil }
            if !delivery.changes.isEmpty || !delivery.events.isEmpty {
                listenerQueue.async { delivery.perform(for: self) }
            }
            return delivery.changes.isEmpty ? [] : Array(state.signals.values)
        }
        for signal in signals ?? [] { signal.yield() }
        return signals != nil
    }

    /// What to deliver for changed sections: to those who listen to them now.
    func deliver(
        _ changes: [SectionChange], _ events: [Delivery.Event] = [], in state: CoordinatorState
    ) -> Delivery {
        Delivery(
            changes: changes.map { ($0, state.listeners[$0.sectionName]) }, events: events)
    }
}
