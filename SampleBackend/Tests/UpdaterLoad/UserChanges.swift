import ActiveConfig
import ActiveConfigRealtime
import ArgumentParser
import Foundation

/// R5: changes the current user continuously, and checks the values that are read and observed.
struct ChangeUsers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Changes the current user in a loop while the backend publishes and pauses, and "
            + "checks that no user reads or receives another user's value.")

    @OptionGroup var options: BackendOptions
    @Option(help: "Duration in minutes.") var minutes = 1.0
    @Option(help: "Seed of the random events; printed in each run.") var seed: UInt64?

    /// Recorded faults, a few of each kind.
    private final class Faults: @unchecked Sendable {  // Guarded by `lock`.
        private let lock = NSLock()
        private var texts: [String] = []
        private(set) var count = 0

        func add(_ text: String) {
            lock.withLock {
                count += 1
                if texts.count < 20 { texts.append(text) }
            }
        }

        var all: (texts: [String], count: Int) { lock.withLock { (texts, count) } }
    }

    func run() async throws {
        let seed = seed ?? .random(in: .min ... .max)
        print("seed \(seed)")
        var random = RepeatableRandom(state: seed)
        let backend = try BackendUnderTest(options.backend)
        try backend.start()
        try await backend.publish(revision: 0)
        let faults = Faults()
        let address = ActiveConfigBackend(url: backend.url)
        let config = ActiveConfig(
            configDownloader: JSONURLDownloader(backend: address), configStore: InMemoryStore(),
            listenerQueue: DispatchQueue(label: "listeners"),
            options: ActiveConfigOptions(log: .disabled))
        let updater = ActiveConfigUpdater(config, source: URLSessionEventSource(backend: address))
        // The stream is ordered, so the user of a change is the one that it belongs to.
        let told = Task {
            var count = 0
            for await change in config.changes(inSection: "Load") {
                count += 1
                guard let owner = change.new?.string(forKey: "owner") else { continue }
                if owner != change.userID {
                    faults.add("\(change.userID ?? "generic") received a value of \(owner)")
                }
            }
            return count
        }
        updater.start()
        let end = ContinuousClock.now + .seconds(minutes * 60)
        var (changes, reads, publishes, pauses) = (0, 0, 0, 0)
        while ContinuousClock.now < end {
            let userID = "user-\(Int.random(in: 0..<max(options.users, 2), using: &random))"
            config.currentUserID = userID
            changes += 1
            if Int.random(in: 0..<4, using: &random) == 0 { config.startDownload() }
            for _ in 0..<Int.random(in: 1...50, using: &random) {
                reads += 1
                if let owner = config["Load"]?.string(forKey: "owner"), owner != userID {
                    faults.add("\(userID) read a value of \(owner)")
                }
                if Int.random(in: 0..<20, using: &random) == 0 { await Task.yield() }
            }
            switch Int.random(in: 0..<200, using: &random) {
            case 0:
                publishes += 1
                try await backend.publish(revision: publishes)
            case 1:
                // Delays responses, so that they arrive after the change to another user.
                pauses += 1
                backend.pause()
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...200, using: &random)))
                backend.resume()
            case 2...20:
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...30, using: &random)))
            default: break
            }
        }
        let last = "user-last"
        config.currentUserID = last
        publishes += 1
        try await backend.publish(revision: publishes)
        let deadline = ContinuousClock.now + .seconds(60)
        while config["Load"]?.integer(forKey: "revision") != publishes {
            guard ContinuousClock.now < deadline else {
                faults.add("the last value did not come within 60 s")
                break
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        updater.stop()
        told.cancel()
        let (texts, count) = faults.all
        print(
            "R5 \(changes) changes of the user, \(reads) reads, \(publishes) publishes, \(pauses) pauses, "
                + "\(await told.value) changes received; \(ProcessFigures.memory) KiB; "
                + "\(count) faults")
        for text in texts { print("  \(text)") }
        if count > 0 { throw ExitCode.failure }
    }
}
