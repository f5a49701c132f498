import ActiveConfig
import ActiveConfigTesting
import Foundation

/// A coordinator with all that surrounds it, shared with no other test.
struct CoordinatorFixture {
    let config: ActiveConfig
    let downloader: ScriptedDownloader
    let queue: DispatchQueue
    let center: NotificationCenter
    let log: RecordingLog

    static func make(
        _ downloader: ScriptedDownloader = ScriptedDownloader(),
        store: (any ActiveConfigStore)? = InMemoryStore(),
        downloadTimeout: Duration = .seconds(300), clock: any Clock<Duration> = ManualClock()
    ) -> CoordinatorFixture {
        let queue = DispatchQueue(label: "listeners")
        let center = NotificationCenter()
        let log = RecordingLog()
        return CoordinatorFixture(
            config: ActiveConfig(
                configDownloader: downloader, configStore: store, notificationCenter: center,
                listenerQueue: queue, downloadTimeout: downloadTimeout, clock: clock, log: log.log),
            downloader: downloader, queue: queue, center: center, log: log)
    }

    /// A listener that is registered for a section.
    func listener(
        _ sectionName: String = "Home",
        _ body: @escaping @Sendable (ActiveConfig, RecordingListener.Delivery) -> Void = { _, _ in }
    ) -> RecordingListener {
        let listener = RecordingListener(body)
        config.registerListener(listener, forSectionName: sectionName)
        return listener
    }

    /// Starts a download and does not wait for it; in an async function the call would be the one
    /// that does.
    func startDownload() { config.downloadNewConfig() }

    /// Starts downloads on several threads at once, and returns when all calls have returned.
    func startDownloadsInParallel(_ count: Int) {
        DispatchQueue.concurrentPerform(iterations: count) { _ in config.downloadNewConfig() }
    }

    /// Has everything delivered that is on the listener queue now.
    func drain() { queue.sync {} }
}

extension ConfigurationState {
    /// A configuration whose sections all have one setting, "title".
    static func titled(_ titles: [String: String], entityTag: String? = nil) -> ConfigurationState {
        .make(sections: titles.mapValues { ["title": .string($0)] }, entityTag: entityTag)
    }
}

extension ActiveConfigSection {
    /// A section with one setting, "title".
    static func titled(_ title: String) -> ActiveConfigSection { .make(["title": .string(title)]) }

    /// The setting "title".
    var title: String? { string(forKey: "title") }
}
