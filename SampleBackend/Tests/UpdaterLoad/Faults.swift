import ActiveConfig
import ActiveConfigRealtime
import ArgumentParser
import Foundation

/// R4: an unavailable, slow or hostile server, with updaters that had been live before.
struct MeetFaults: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults",
        abstract:
            "Makes a server in front of the backend fail in each way of R4, and checks that the "
            + "active value stays, the reported states, the clients' delays and memory use, and that "
            + "the newest value arrives afterwards.")

    @OptionGroup var options: BackendOptions
    @Option(help: "Duration of each fault in seconds.") var seconds = 8.0

    /// A fault, with the expected state of the updater.
    private struct Fault {
        let name: String
        let behavior: Relay.Behavior
        let text: String
        /// The delay that the server requests.
        var retryAfter: Duration?
    }

    private static let faults = [
        Fault(name: "gone", behavior: .gone, text: "connect"),
        Fault(name: "slow", behavior: .silence, text: "in time"),
        Fault(
            name: "half an answer",
            behavior: .text("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"meta\":"),
            text: "broke the connection"),
        Fault(name: "garbage", behavior: .text(answer(200, body: "\u{1}\u{2}")), text: "byte"),
        Fault(
            name: "301 to elsewhere",
            behavior: .text(answer(301, "Location: http://example.invalid/\r\n")),
            text: "redirect"),
        Fault(name: "401", behavior: .text(answer(401)), text: "401"),
        Fault(
            name: "429 with Retry-After", behavior: .text(answer(429, "Retry-After: 5\r\n")),
            text: "a later attempt", retryAfter: .seconds(5)),
        Fault(name: "500", behavior: .text(answer(500)), text: "500"),
        Fault(
            name: "a body of 1 GB",
            behavior: .flood("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"),
            text: "more than a document"),
        Fault(
            name: "an endless stream", behavior: .drip("HTTP/1.1 200 OK\r\n\r\n"), text: "in time"),
    ]

    private static func answer(_ status: Int, _ fields: String = "", body: String = "") -> String {
        "HTTP/1.1 \(status) Status\r\n\(fields)Content-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(body)"
    }

    /// Maximum memory growth of the clients during one fault: two documents of 16 MiB each, and as
    /// much again until it is released.
    private static let maximumGrowth = 256 << 10

    func run() async throws {
        let backend = try BackendUnderTest(options.backend)
        try backend.start()
        var revision = 1
        try await backend.publish(revision: revision)
        let relay = try Relay(to: backend.url)
        guard let url = relay.url else { throw ExitCode.failure }
        let queue = DispatchQueue(label: "listeners")
        let count = max(options.users, 4)
        var faults: [String] = []
        for fault in Self.faults {
            // New clients, since delays grow until a client has been live for a minute.
            let clients = (0..<count).map {
                Client("user-\($0)", server: url, queue: queue, timeout: .seconds(2))
            }
            try await clients.startAndWait()
            try await clients.wait(seconds: 10, for: "first values") {
                clients.allSatisfy { $0.last?.revision == revision }
            }
            let found = try await meet(fault, clients, relay) {
                revision += 1
                try await backend.publish(revision: revision)
                return revision
            }
            faults += found.map { "\(fault.name): \($0)" }
            clients.stopAll()
        }
        print("R4 \(Self.faults.count) faults, \(count) clients, \(faults.count) failures")
        for fault in faults.prefix(20) { print("  \(fault)") }
        if !faults.isEmpty { throw ExitCode.failure }
    }

    private func meet(
        _ fault: Fault, _ clients: [Client], _ relay: Relay, publish: () async throws -> Int
    ) async throws -> [String] {
        var failures: [String] = []
        let before = clients[0].last?.revision
        let memory = ProcessFigures.memory
        var peak = memory
        var reasons: [String: Set<String>] = [:]
        try relay.set(fault.behavior)
        let revision = try await publish()
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            for client in clients {
                if client.config[Client.revision] != before || client.last?.revision != before {
                    failures.append("\(client.userID) has another value")
                }
                if case .waiting(_, let reason) = client.updater.state(ofUserID: client.userID) {
                    reasons[client.userID, default: []].insert(reason.description)
                }
            }
            peak = max(peak, ProcessFigures.memory)
            try await Task.sleep(for: .milliseconds(10))
        }
        for client in clients {
            let told = reasons[client.userID] ?? []
            if !told.contains(where: { $0.contains(fault.text) }) {
                failures.append("\(client.userID) reports \(told.sorted())")
            }
        }
        if peak - memory > Self.maximumGrowth {
            failures.append("memory grew from \(memory) to \(peak) KiB")
        }
        let waits = Dictionary(grouping: relay.requests, by: \.target).mapValues { requests in
            zip(requests, requests.dropFirst()).map { ($1.instant - $0.instant) / .seconds(1) }
        }
        failures += Self.check(waits, asked: fault.retryAfter)
        try relay.set(.pass)
        let start = ContinuousClock.now
        try await clients.wait(seconds: 90, for: "values after \(fault.name)") {
            clients.allSatisfy { $0.last?.revision == revision }
        }
        let recovery = (ContinuousClock.now - start) / .seconds(1)
        try await clients.wait(seconds: 90, for: "live streams after \(fault.name)") {
            clients.allSatisfy(\.isLive)
        }
        let shown = waits.values.first?.map { String(format: "%.1f", $0) } ?? []
        print(
            "R4 \(fault.name): \(waits.values.reduce(0) { $0 + $1.count + 1 }) requests, waits of one client "
                + "[\(shown.joined(separator: ", "))] s, \(peak - memory) KiB more, "
                + String(format: "right again after %.1f s", recovery))
        return failures
    }

    /// Checks that the intervals between a client's requests grow, and that no two clients have the
    /// same ones.
    private static func check(_ waits: [String: [Double]], asked: Duration?) -> [String] {
        var failures: [String] = []
        for (target, waits) in waits {
            for (index, wait) in waits.enumerated() {
                // Half of each delay is fixed; the backend has set the first one to 2 s.
                let least = max(Double(1 << index), asked.map { $0 / .seconds(1) } ?? 0)
                if wait < least * 0.98 {
                    failures.append("\(target) asked again after \(wait) s, before \(least) s")
                }
            }
        }
        let firsts = waits.values.compactMap(\.first).sorted()
        if firsts.count > 1, zip(firsts, firsts.dropFirst()).contains(where: { $1 - $0 < 0.000_01 })
        {
            failures.append("clients wait for the same time: \(firsts)")
        }
        return failures
    }
}
