import ActiveConfig
import ActiveConfigTesting
import Foundation

/// Coordinator with collaborators that it shares with no other test.
struct CoordinatorFixture {
    let config: ActiveConfig
    let downloader: ScriptedDownloader
    let queue: DispatchQueue
    let center: NotificationCenter
    let log: RecordingLog

    static func make(
        _ downloader: ScriptedDownloader = ScriptedDownloader(),
        store: (any ActiveConfigStore)? = InMemoryStore(),
        downloadTimeout: Duration = .seconds(300), clock: any Clock<Duration> = ManualClock(),
        overrides: OverridePolicy = .never, now: @escaping @Sendable () -> Date = { Date() },
        options: ActiveConfigOptions = ActiveConfigOptions()
    ) -> CoordinatorFixture {
        let queue = DispatchQueue(label: "listeners")
        let center = NotificationCenter()
        let log = RecordingLog()
        var options = options
        options.overridePolicy = overrides
        options.downloadTimeout = downloadTimeout
        options.log = log.log
        return CoordinatorFixture(
            config: ActiveConfig(
                configDownloader: downloader, configStore: store, notificationCenter: center,
                listenerQueue: queue, options: options, clock: clock, now: now),
            downloader: downloader, queue: queue, center: center, log: log)
    }

    /// Registers a new listener for a section.
    func listener(
        _ sectionName: String = "Home",
        _ body: @escaping @Sendable (ActiveConfig, RecordingListener.Delivery) -> Void = { _, _ in }
    ) -> RecordingListener {
        let listener = RecordingListener(body)
        config.registerListener(listener, forSectionName: sectionName)
        return listener
    }

    /// Starts a download without waiting for it.
    ///
    /// In an async function the plain call would resolve to the overload that waits.
    func startDownload() { config.downloadNewConfig() }

    /// Starts downloads on several threads at once, and returns when all the calls have returned.
    func startDownloadsInParallel(_ count: Int) {
        DispatchQueue.concurrentPerform(iterations: count) { _ in config.downloadNewConfig() }
    }

    /// Returns once everything that is on the listener queue now has been delivered.
    func drain() { queue.sync {} }
}

extension ConfigurationState {
    /// Configuration whose sections have one setting each, "title".
    static func titled(_ titles: [String: String], entityTag: String? = nil) -> ConfigurationState {
        .make(sections: titles.mapValues { ["title": .string($0)] }, entityTag: entityTag)
    }
}

extension ActiveConfigSection {
    /// Section with one setting, "title".
    static func titled(_ title: String) -> ActiveConfigSection { .make(["title": .string(title)]) }

    var title: String? { string(forKey: "title") }
}
