import ActiveConfig
import ActiveConfigRealtime
import ArgumentParser
import Foundation

/// F11: the time from a publish until a typed value is observed.
struct MeasureDelivery: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery",
        abstract: "The time from a publish until each client has read the new value.")

    @OptionGroup var options: BackendOptions
    @Option(help: "Number of publishes.") var rounds = 100

    func run() async throws {
        let backend = try BackendUnderTest(options.backend)
        try backend.start()
        try await backend.publish(revision: 0)
        let queue = DispatchQueue(label: "listeners")
        let clients = (0..<options.users).map {
            Client("user-\($0)", server: backend.url, queue: queue)
        }
        try await clients.startAndWait()
        var sinceStart: [Double] = []
        var sinceAnswer: [Double] = []
        for round in 1...max(rounds, 1) {
            let start = ContinuousClock.now
            try await backend.publish(revision: round)
            let answer = ContinuousClock.now
            try await clients.wait(seconds: 10, for: "values of revision \(round)") {
                clients.allSatisfy { $0.last?.revision == round }
            }
            for client in clients {
                guard let instant = client.last?.instant else { continue }
                sinceStart.append((instant - start) / .milliseconds(1))
                sinceAnswer.append((instant - answer) / .milliseconds(1))
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        clients.stopAll()
        let p50 = ProcessFigures.percentile(0.5, of: sinceStart)
        let p99 = ProcessFigures.percentile(0.99, of: sinceStart)
        let (after50, after99) = (
            ProcessFigures.percentile(0.5, of: sinceAnswer),
            ProcessFigures.percentile(0.99, of: sinceAnswer)
        )
        if options.json {
            print("{\"users\": \(options.users), \"p50_ms\": \(p50), \"p99_ms\": \(p99)}")
        } else {
            print(
                "F11 \(options.users) users, \(rounds) publishes: "
                    + String(
                        format: "p50 %.1f ms, p99 %.1f ms from sending the publish; ", p50, p99)
                    + String(format: "%.1f and %.1f ms from its answer", after50, after99))
        }
    }
}

/// F12: the cost of idle streams.
struct MeasureIdle: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle", abstract: "The processor time of idle clients.")

    @OptionGroup var options: BackendOptions
    @Option(help: "Duration in seconds.") var seconds = 60

    func run() async throws {
        let backend = try BackendUnderTest(options.backend)
        try backend.start()
        try await backend.publish(revision: 0)
        let queue = DispatchQueue(label: "listeners")
        let clients = (0..<options.users).map {
            Client("user-\($0)", server: backend.url, queue: queue)
        }
        try await clients.startAndWait()
        try await Task.sleep(for: .seconds(2))
        let before = ProcessFigures.cpu
        try await Task.sleep(for: .seconds(seconds))
        let share = (ProcessFigures.cpu - before) / Double(seconds) * 100
        let stopped = ContinuousClock.now
        let stillLive = clients.filter(\.isLive).count
        clients.stopAll()
        let stopTime = (ContinuousClock.now - stopped) / .milliseconds(1)
        if options.json {
            print("{\"users\": \(options.users), \"cpu_percent\": \(share)}")
        } else {
            print(
                "F12 \(options.users) users, \(seconds) s: "
                    + String(format: "%.3f %% of a core; ", share)
                    + "\(stillLive) live, \(ProcessFigures.files) files, "
                    + "\(ProcessFigures.threads) threads, \(ProcessFigures.memory) KiB, "
                    + String(format: "stopped in %.1f ms", stopTime))
        }
    }
}

/// The resources that a thousand connections leave behind.
struct CountConnects: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connects",
        abstract: "Files, threads and memory before and after many connections.")

    @OptionGroup var options: BackendOptions
    @Option(help: "Number of connections.") var count = 1_000

    func run() async throws {
        let backend = try BackendUnderTest(options.backend)
        try backend.start()
        try await backend.publish(revision: 0)
        let source = URLSessionEventSource(backend: ActiveConfigBackend(url: backend.url))
        var stops: [Double] = []
        func connect() async throws {
            let connection = source.connection(forUserID: "1")
            _ = try await connection.document(lastKnown: nil, wait: nil)
            try await connection.openEvents(lastEventID: nil)
            _ = try await connection.nextEvent()
            let reader = Task { try await connection.nextEvent() }
            let start = ContinuousClock.now
            connection.close()
            _ = try? await reader.value
            stops.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        for _ in 0..<200 { try await connect() }
        try await Task.sleep(for: .seconds(35))
        let before = (ProcessFigures.files, ProcessFigures.threads, ProcessFigures.memory)
        for _ in 0..<count { try await connect() }
        // Swift keeps the timer of a cancelled sleep until its deadline, here 30 seconds.
        try await Task.sleep(for: .seconds(35))
        let after = (ProcessFigures.files, ProcessFigures.threads, ProcessFigures.memory)
        print(
            "\(count) connections: files \(before.0) → \(after.0), threads \(before.1) → "
                + "\(after.1), memory \(before.2) → \(after.2) KiB, "
                + String(
                    format: "stop p50 %.2f ms, p99 %.2f ms",
                    ProcessFigures.percentile(0.5, of: stops),
                    ProcessFigures.percentile(0.99, of: stops)))
    }
}
