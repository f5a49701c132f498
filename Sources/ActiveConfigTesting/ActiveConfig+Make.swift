public import ActiveConfig
public import Dispatch
public import Foundation

extension ActiveConfig {
    /// Creates an `ActiveConfig` for a test that shares nothing with other tests.
    ///
    /// ```swift
    /// let config = ActiveConfig.make(configuration: .make(sections: ["Home": ["title": "x"]]))
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The initial configuration.
    ///   - notificationCenter: The notification center to post to.
    ///   - listenerQueue: The queue on which listeners are called; by default one of its own.
    /// - Returns: The `ActiveConfig`.
    public static func make(
        configuration: ConfigurationState,
        notificationCenter: NotificationCenter = NotificationCenter(),
        listenerQueue: DispatchQueue = DispatchQueue(label: "ActiveConfigTesting.listeners")
    ) -> ActiveConfig {
        make(
            store: InMemoryStore(bootstrap: .state(configuration)),
            notificationCenter: notificationCenter, listenerQueue: listenerQueue)
    }

    /// Creates an `ActiveConfig` for a test that shares nothing with other tests.
    ///
    /// Overrides can be set; initially there are none.
    ///
    /// - Parameters:
    ///   - downloader: The downloader; by default one whose downloads all fail.
    ///   - store: The store; by default a new one in memory.
    ///   - notificationCenter: The notification center to post to.
    ///   - listenerQueue: The queue on which listeners are called; by default one of its own.
    ///   - options: Optional behavior, except for the override policy and the log.
    ///   - log: The log; by default nothing is logged.
    /// - Returns: The `ActiveConfig`.
    public static func make(
        downloader: any ActiveConfigDownloader = ScriptedDownloader(),
        store: (any ActiveConfigStore)? = InMemoryStore(),
        notificationCenter: NotificationCenter = NotificationCenter(),
        listenerQueue: DispatchQueue = DispatchQueue(label: "ActiveConfigTesting.listeners"),
        options: ActiveConfigOptions = ActiveConfigOptions(), log: ActiveConfigLog = .disabled
    ) -> ActiveConfig {
        var options = options
        (options.overridePolicy, options.log) = (.settable, log)
        return ActiveConfig(
            configDownloader: downloader, configStore: store,
            notificationCenter: notificationCenter, listenerQueue: listenerQueue, options: options)
    }
}
