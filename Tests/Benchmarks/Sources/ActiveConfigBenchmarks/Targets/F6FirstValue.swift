import ActiveConfig
import Foundation
import Measuring
import Synchronization

/// F6: the first value after launch, from the file that the last launch left.
enum F6FirstValue: BenchmarkTarget {
    static let name = "F6"
    static let work = "first value after launch, 1,000 settings"

    static func rows(_ setup: BenchmarkSetup) async throws -> [Row] {
        try await setup.withFolder(named: name) { folder in
            let document = try SampleDocument()
            let stored = folder.appending(path: "stored", directoryHint: .isDirectory)
            try FileDefaultsStore(directory: stored)
                .persistConfiguration(document.state, forUserID: "1")
            let plain = folder.appending(path: "plain.json")
            let data = document.data
            try data.write(to: plain)
            let samples = try await setup.rounds.measure(
                [
                    try Side.repeating("first value") { try Launch(directory: stored).firstValue() }
                ] + (try ParseAndRead.sides(data, in: plain)))
            return [
                ParseAndRead.row(name, work, samples),
                try bootstrapRow(
                    "a missing bootstrap behind a stored document", directory: stored,
                    expectedMessages: 0),
                try bootstrapRow(
                    "a missing bootstrap and nothing stored",
                    directory: folder.appending(path: "empty", directoryHint: .isDirectory),
                    expectedMessages: 1),
            ]
        }
    }

    /// Launch of an app, reduced to its use of the framework.
    private struct Launch {
        /// The stored configuration cannot be read.
        struct NothingRead: Error {}

        /// Not part of a launch: it creates a document with the current time.
        private static let downloader = AlternatingDownloader(ConfigurationState())

        let directory: URL
        var bootstrap: BootstrapConfiguration?
        var log = ActiveConfigLog.disabled

        /// Creates the store and the coordinator, sets the user, and reads one value.
        func firstValue() throws -> Int {
            guard let value = read() else { throw NothingRead() }
            return value ? 1 : 2
        }

        func read() -> Bool? {
            // The queue is activated after the read, as the main queue delivers after a launch. It
            // is drained before the next launch, which it would slow down.
            let queue = DispatchQueue(label: "benchmarks.listeners", attributes: .initiallyInactive)
            defer {
                queue.activate()
                queue.sync {}
            }
            let config = ActiveConfig(
                configDownloader: Self.downloader,
                configStore: FileDefaultsStore(
                    directory: directory, bootstrap: bootstrap, log: log),
                notificationCenter: NotificationCenter(), listenerQueue: queue,
                options: ActiveConfigOptions(log: log))
            config.currentUserID = "1"
            return config[SampleDocument.sectionName(0)]?.bool(
                forKey: SampleDocument.settingKey(1))
        }
    }

    /// Row that counts log messages: opening a missing bootstrap file logs one.
    private static func bootstrapRow(
        _ what: String, directory: URL, expectedMessages: Int
    ) throws -> Row {
        let count = Mutex(0)
        let launch = Launch(
            directory: directory,
            bootstrap: .jsonFile(directory.appending(path: "does-not-exist.json")),
            log: ActiveConfigLog { _, _ in count.withLock { $0 += 1 } })
        let value = launch.read()
        let messages = count.withLock { $0 }
        return Row(
            fact: name, what, found: "logs \(messages)", wanted: "logs \(expectedMessages)",
            isMet: messages == expectedMessages && (value != nil) == (expectedMessages == 0))
    }
}
