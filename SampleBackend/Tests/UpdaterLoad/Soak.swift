import ActiveConfig
import ActiveConfigRealtime
import ArgumentParser
import Foundation

/// Publishes, kills, restarts and pauses the backend at random, and checks what each listener
/// receives.
struct Soak: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Kills, restarts and pauses the backend while it publishes, and checks each "
            + "listener: in order, complete at the end, nothing of another user's.")

    @OptionGroup var options: BackendOptions
    @Option(help: "Duration in minutes.") var minutes = 10.0
    @Option(help: "Publishes per second.") var rate = 5.0
    @Option(help: "Seed of the random events; printed in each run.") var seed: UInt64?

    func run() async throws {
        let seed = seed ?? .random(in: .min ... .max)
        print("seed \(seed)")
        var random = RepeatableRandom(state: seed)
        let backend = try BackendUnderTest(options.backend)
        try backend.start()
        try await backend.publish(revision: 0)
        let queue = DispatchQueue(label: "listeners")
        var times = ActiveConfigUpdater.Options()
        times.maximumDelay = .seconds(5)
        let clients = (0..<options.users).map {
            Client("user-\($0)", server: backend.url, queue: queue, options: times)
        }
        try await clients.startAndWait()
        let end = ContinuousClock.now + .seconds(minutes * 60)
        var (revision, acknowledged, kills, pauses) = (0, 0, 0, 0)
        var nextFault = ContinuousClock.now + .seconds(5)
        while ContinuousClock.now < end {
            revision += 1
            if (try? await backend.publish(revision: revision)) != nil { acknowledged = revision }
            if ContinuousClock.now > nextFault {
                if Bool.random(using: &random) {
                    kills += 1
                    backend.kill()
                    try await Task.sleep(
                        for: .milliseconds(Int.random(in: 0...3_000, using: &random)))
                    try backend.start()
                } else {
                    pauses += 1
                    backend.pause()
                    try await Task.sleep(
                        for: .milliseconds(Int.random(in: 0...5_000, using: &random)))
                    backend.resume()
                }
                nextFault = .now + .milliseconds(Int.random(in: 2_000...15_000, using: &random))
            }
            try await Task.sleep(for: .seconds(1 / rate))
        }
        revision += 1
        try await backend.publish(revision: revision)
        acknowledged = revision
        try await clients.wait(seconds: 60, for: "last values") {
            clients.allSatisfy { $0.last?.revision == revision }
        }
        clients.stopAll()
        var faults: [String] = []
        var told = 0
        for client in clients {
            let deliveries = client.told
            told += deliveries.count
            for (before, after) in zip(deliveries, deliveries.dropFirst())
            where after.revision <= before.revision {
                faults.append(
                    "\(client.userID) received \(after.revision) after \(before.revision)")
            }
            for delivery in deliveries where delivery.owner != client.userID {
                faults.append("\(client.userID) received a value of \(delivery.owner)")
            }
        }
        print(
            "\(revision) publishes, \(acknowledged) acknowledged last, \(kills) kills, "
                + "\(pauses) pauses; \(clients.count) users received \(told) changes; "
                + "\(ProcessFigures.memory) KiB; \(faults.count) faults")
        for fault in faults.prefix(20) { print("  \(fault)") }
        if !faults.isEmpty { throw ExitCode.failure }
    }
}

/// Deterministic random numbers (SplitMix64).
struct RepeatableRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
