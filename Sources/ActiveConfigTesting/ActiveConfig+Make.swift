public import ActiveConfig
public import Dispatch
public import Foundation

extension ActiveConfig {
    /// Creates a coordinator for a test, with nothing that other tests share.
    ///
    /// ```swift
    /// let config = ActiveConfig.make(configuration: .make(sections: ["Home": ["title": "x"]]))
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: What it starts with.
    ///   - notificationCenter: Where notifications are posted.
    ///   - listenerQueue: Where listeners are called: a queue of its own.
    /// - Returns: The coordinator.
    public static func make(
        configuration: ConfigurationState,
        notificationCenter: NotificationCenter = NotificationCenter(),
        listenerQueue: DispatchQueue = DispatchQueue(label: "ActiveConfigTesting.listeners")
    ) -> ActiveConfig {
        make(
            store: InMemoryStore(bootstrap: .state(configuration)),
            notificationCenter: notificationCenter, listenerQueue: listenerQueue)
    }

    /// Creates a coordinator for a test, with nothing that other tests share.
    ///
    /// - Parameters:
    ///   - downloader: What answers downloads; each fails by default.
    ///   - store: What keeps configurations; a new one in memory.
    ///   - notificationCenter: Where notifications are posted.
    ///   - listenerQueue: Where listeners are called: a queue of its own.
    ///   - log: Where it tells what it does; nowhere.
    /// - Returns: The coordinator.
    public static func make(
        downloader: any ActiveConfigDownloader = ScriptedDownloader(),
        store: (any ActiveConfigStore)? = InMemoryStore(),
        notificationCenter: NotificationCenter = NotificationCenter(),
        listenerQueue: DispatchQueue = DispatchQueue(label: "ActiveConfigTesting.listeners"),
        log: ActiveConfigLog = .disabled
    ) -> ActiveConfig {
        ActiveConfig(
            configDownloader: downloader, configStore: store,
            notificationCenter: notificationCenter, listenerQueue: listenerQueue, log: log)
    }
}
