import ActiveConfig
import ActiveConfigRealtime
import Foundation

/// A user: a configuration, its updater, and the changes that its listener received.
final class Client: Sendable {
    /// A single call of a listener.
    struct Delivery: Sendable {
        let revision: Int
        let owner: String
        let instant: ContinuousClock.Instant
    }

    static let revision = SettingKey("Load", "revision", default: -1)

    let userID: String
    let config: ActiveConfig
    let updater: ActiveConfigUpdater
    private let token: ActiveConfigSubscription
    private let deliveries: Deliveries

    /// The listener's record, in order.
    final class Deliveries: @unchecked Sendable {  // Guarded by `lock`.
        private let lock = NSLock()
        private var all: [Delivery] = []

        func append(_ delivery: Delivery) { lock.withLock { all.append(delivery) } }
        var list: [Delivery] { lock.withLock { all } }
        var last: Delivery? { lock.withLock { all.last } }
    }

    init(
        _ userID: String, server: URL, queue: DispatchQueue,
        options: ActiveConfigUpdater.Options = ActiveConfigUpdater.Options(),
        timeout: Duration = .seconds(30)
    ) {
        self.userID = userID
        let backend = ActiveConfigBackend(url: server)
        let config = ActiveConfig(
            configDownloader: JSONURLDownloader(backend: backend), configStore: InMemoryStore(),
            listenerQueue: queue, options: ActiveConfigOptions(log: .disabled))
        config.currentUserID = userID
        let deliveries = Deliveries()
        token = config.observe(sectionNamed: "Load") { [weak config] section in
            // Reads the setting by its typed key, as an app does.
            guard let config, section != nil else { return }
            deliveries.append(
                Delivery(
                    revision: section?.integer(forKey: "revision") ?? config[Self.revision],
                    owner: section?.string(forKey: "owner") ?? "",
                    instant: ContinuousClock.now))
        }
        self.config = config
        self.deliveries = deliveries
        updater = ActiveConfigUpdater(
            config,
            source: URLSessionEventSource(backend: backend, timeout: timeout), options: options)
    }

    var told: [Delivery] { deliveries.list }
    var last: Delivery? { deliveries.last }

    var isLive: Bool {
        if case .live = updater.state(ofUserID: userID) { return true }
        return false
    }
}

extension [Client] {
    /// Starts all clients, and waits until each has an open stream.
    func startAndWait() async throws {
        for client in self { client.updater.start() }
        try await wait(seconds: 60, for: "live streams") { allSatisfy(\.isLive) }
    }

    func wait(
        seconds: Double, for what: String, until isMet: () -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !isMet() {
            guard ContinuousClock.now < deadline else {
                let states = Set(map { "\($0.updater.state(ofUserID: $0.userID))" })
                throw BackendUnderTest.Failure(
                    description: "There are no \(what) after \(seconds) s: \(states.prefix(5))")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func stopAll() { for client in self { client.updater.stop() } }
}

/// Resource usage of the process.
enum ProcessFigures {
    /// Processor time used so far, in seconds.
    static var cpu: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

    /// Open files.
    static var files: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    static var threads: Int { status("Threads:") }
    /// Resident memory, in KiB.
    static var memory: Int { status("VmRSS:") }

    private static func status(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }

    static func percentile(_ share: Double, of values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        return sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}
