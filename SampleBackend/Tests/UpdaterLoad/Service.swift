import ActiveConfig
import ActiveConfigRealtime
import ArgumentParser
import Foundation

/// F11, F12 and F15 for a service: many users with one configuration and one updater.
struct MeasureService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract:
            "The time from a publish until each listener of a service with many users has the new "
            + "value, the cost of the idle process, and the time to its end during a publish.")

    @OptionGroup var options: BackendOptions
    @Option(help: "Number of publishes.") var rounds = 100
    @Option(help: "Idle time in seconds.") var seconds = 60
    @Flag(help: "Uses a stream for each user, for comparison.") var separate = false
    @Flag(help: "Keeps the documents in files, in place of memory.") var files = false

    /// The newest values, and the times at which the listeners received them.
    private final class Arrivals: @unchecked Sendable {  // Guarded by `lock`.
        private let lock = NSLock()
        private var instants: [ContinuousClock.Instant] = []
        private var revision = 0
        private var wrongOwners = 0

        func await(_ new: Int) {
            lock.withLock { (revision, instants) = (new, []) }
        }

        func append(_ section: ActiveConfigSection?, of user: String) {
            lock.withLock {
                if section?.string(forKey: "owner") != user { wrongOwners += 1 }
                if section?.integer(forKey: "revision") == revision { instants.append(.now) }
            }
        }

        var all: [ContinuousClock.Instant] { lock.withLock { instants } }
        var faults: Int { lock.withLock { wrongOwners } }
    }

    func run() async throws {
        let backend = try BackendUnderTest(options.backend)
        try backend.start()
        try await backend.publish(revision: 0)
        let address = ActiveConfigBackend(url: backend.url)
        let config = ActiveConfig(
            configDownloader: JSONURLDownloader(backend: address),
            configStore: files
                ? FileDefaultsStore(directory: backend.clientFolder) : InMemoryStore(),
            listenerQueue: DispatchQueue(label: "listeners"),
            options: ActiveConfigOptions(log: .disabled))
        let users = (0..<options.users).map { "user-\($0)" }
        let source: any ActiveConfigEventSource =
            separate
            ? URLSessionEventSource(backend: address)
            : ServiceEventSource(
                backend: address, serviceCredentials: .apiKey(backend.serviceKey))
        let updater = ActiveConfigUpdater(config, source: source, users: .fixed(users))
        let arrivals = Arrivals()
        let tokens = users.map { user in
            config.configuration(forUserID: user).observe(sectionNamed: "Load") { section in
                arrivals.append(section, of: user)
            }
        }
        let before = ProcessFigures.memory
        let start = ContinuousClock.now
        let running = Task { await updater.run() }
        try await wait(seconds: 120 + Double(users.count) / 100, for: "live users") {
            users.allSatisfy { user in
                if case .live = updater.state(ofUserID: user) { return true }
                return false
            }
        }
        let startTime = (ContinuousClock.now - start) / .seconds(1)
        var times: [Double] = []
        for round in 1...max(rounds, 1) {
            arrivals.await(round)
            let start = ContinuousClock.now
            try await backend.publish(revision: round)
            let limit = 30 + Double(users.count) / 200
            try await wait(seconds: limit, for: "values of revision \(round)") {
                arrivals.all.count >= users.count
            }
            times += arrivals.all.map { ($0 - start) / .milliseconds(1) }
            try await Task.sleep(for: .milliseconds(20))
        }
        let streams = try await backend.streamCount
        // Longer than the verification of the last change takes.
        if seconds > 0 { try await Task.sleep(for: .seconds(125)) }
        let cpu = ProcessFigures.cpu
        try await Task.sleep(for: .seconds(seconds))
        let share = (ProcessFigures.cpu - cpu) / Double(max(seconds, 1)) * 100
        try await backend.publish(revision: rounds + 1)
        let end = ContinuousClock.now
        running.cancel()
        await running.value
        let endTime = (ContinuousClock.now - end) / .seconds(1)
        for token in tokens { token.cancel() }
        let (p50, p99) = (
            ProcessFigures.percentile(0.5, of: times), ProcessFigures.percentile(0.99, of: times)
        )
        if options.json {
            print(
                "{\"users\": \(users.count), \"streams\": \(streams), \"p50_ms\": \(p50), "
                    + "\"p99_ms\": \(p99), \"cpu_percent\": \(share), \"end_s\": \(endTime)}")
        } else {
            print(
                "F11, F12, F15 a service with \(users.count) users on \(streams) streams"
                    + String(format: ", live after %.1f s, ", startTime)
                    + "\(rounds) publishes: "
                    + String(format: "p50 %.1f ms, p99 %.1f ms; idle ", p50, p99)
                    + String(format: "%.3f %% of a core; ended in %.2f s; ", share, endTime)
                    + "\(ProcessFigures.files) files, \(ProcessFigures.threads) threads, "
                    + "\(before) → \(ProcessFigures.memory) KiB")
        }
        if arrivals.faults > 0 {
            print("\(arrivals.faults) values of another user")
            throw ExitCode.failure
        }
    }

    private func wait(seconds: Double, for what: String, until isMet: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !isMet() {
            guard ContinuousClock.now < deadline else {
                throw BackendUnderTest.Failure(
                    description: "There are no \(what) after \(seconds) s.")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}
