import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Configuration
import CoreMetrics
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import ServiceLifecycle
import Testing

@testable import Shop

/// What the code of the articles does; Tests/Examples/check.py compares it with the articles.
struct ArticleTests {
    @Test(.timeLimit(.minutes(2)))
    func theCheckoutReadsTheServersValues() async throws {
        let fee: ActiveConfigSection = ["fee": ["share": 0.5, "minimum": 2], "poolSize": 7]
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.configuration(.make(sections: ["Checkout": fee]))))
        let checkout = Checkout(makeReader(config))
        #expect(checkout.fee(of: 10) == 0)
        let (sizes, continuation) = AsyncStream<Int>.makeStream()
        let resizing = Task { try await checkout.resizePool { continuation.yield($0) } }
        var iterator = sizes.makeAsyncIterator()
        #expect(await iterator.next() == 4)
        try await config.downloadNewConfig()
        #expect(await iterator.next() == 7)
        #expect(checkout.fee(of: 10) == 5)
        #expect(checkout.fee(of: 1) == 2)
        resizing.cancel()
        try await resizing.value
    }

    // MARK: Metrics

    /// Sends each line to a sequence.
    private struct Lines: TextOutputStream, Sendable {
        let continuation: AsyncStream<String>.Continuation

        func write(_ line: String) { continuation.yield(line) }
    }

    private func event(_ kind: ConfigurationEvent.Kind, version: Int) -> ConfigurationEvent {
        ConfigurationEvent(
            kind, userID: "hunter2",
            document: .make(
                meta: [
                    "format_version_string": "1.0", "creation_time": "2012-08-20T19:36Z",
                    "template_version": .integer(version),
                ]), time: Date())
    }

    @Test func theObserverCountsActivationsAndRefusals() throws {
        let metrics = TestMetrics()
        let refusal = ConfigurationRefusal("It is not for hunter2.")
        let error = ConfigurationRefusal("", underlyingError: DownloadError(.timedOut))
        withMetricsFactory(metrics) {
            let observer = ConfigurationMetrics()
            observer.observe(event(.active, version: 3))
            observer.observe(event(.active, version: 4))
            observer.observe(event(.refused(refusal, keptTemplateVersion: 4), version: 5))
            observer.observe(event(.refused(error, keptTemplateVersion: 4), version: 6))
            observer.observe(event(.forgotten, version: 7))
        }
        #expect(metrics.counterTotal(label: "activeconfig.document.activations") == 2)
        for type in ["ConfigurationRefusal", "DownloadError"] {
            #expect(
                metrics.counterTotal(
                    label: "activeconfig.document.refusals", dimensions: [("error.type", type)])
                    == 1)
        }
        let names = metrics.counters.flatMap { $0.dimensions.map(\.1) }
        #expect(!names.joined().contains("hunter2"))
    }

    @Test(.timeLimit(.minutes(2)))
    func theUpdatesHaveTheStatesAndVersionsOfAllUsers() async throws {
        let backend = ScriptedBackend()
        let config = ActiveConfig.make(downloader: ScriptedDownloader())
        let updater = ActiveConfigUpdater.make(
            config, source: backend, users: .fixed(["1", "2", nil]), clock: backend.clock)
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let metrics = StreamMetricsFactory(stream: Lines(continuation: continuation))
        let recording = withMetricsFactory(metrics) { Task { await recordUpdates(of: updater) } }
        updater.start()
        // The updater spreads the starts of users over 5 ms each.
        let starting = Task {
            while true {
                try await backend.clock.waitForDeadlines { deadlines in
                    deadlines.contains { $0.offset <= .milliseconds(50) }
                }
                backend.clock.advance(by: .milliseconds(5))
            }
        }
        defer { starting.cancel() }
        var counts: [String: Int] = [:]
        var changes = 0
        var version: String?
        var iterator = lines.makeAsyncIterator()
        func read(until isMet: () -> Bool) async throws {
            while !isMet() {
                let next = await iterator.next(isolation: #isolation)
                let line = try #require(next)
                let state = line.firstMatch(of: /activeconfig\.updater\.state=(\w+)/).map {
                    String($0.output.1)
                }
                switch (line.prefix { $0 != " " }, state) {
                case ("set", let state?): counts[state] = 0
                case ("increment", let state?): counts[state, default: 0] += 1
                case ("decrement", let state?): counts[state, default: 0] -= 1
                case ("record", nil):
                    #expect(line.contains("activeconfig.document.version"))
                    version = line.firstMatch(of: /metric\.value=(\d+)/).map { "\($0.output.1)" }
                default: changes += line.contains("activeconfig.updater.changes") ? 1 : 0
                }
                #expect(counts.values.allSatisfy { (0...3).contains($0) })
            }
        }
        try await read { counts["live"] == 3 }
        #expect(counts["connecting"] == 0)
        let before = changes
        let published = backend.publish(["Home": ["title": "New"]])
        try await read { changes > before && version == "\(published)" }
        updater.users = .fixed(["1", nil])
        try await read { counts["live"] == 2 }
        #expect(counts.values.reduce(0, +) == 2)
        updater.stop()
        try await read { counts.values.reduce(0, +) == 0 }
        recording.cancel()
        await recording.value
    }

    @Test func freshnessIsThatOfTheCurrentUser() async throws {
        let metrics = TestMetrics()
        let config = ActiveConfig.make(downloader: ScriptedDownloader(.configuration(.make())))
        withMetricsFactory(metrics) { recordFreshness(of: config) }
        #expect(try metrics.expectGauge("activeconfig.document.fresh").lastValue == 0)
        #expect(metrics.recorders.count == 1)
        try await config.downloadNewConfig()
        withMetricsFactory(metrics) { recordFreshness(of: config) }
        #expect(try metrics.expectGauge("activeconfig.document.fresh").lastValue == 1)
        #expect(try #require(metrics.expectGauge("activeconfig.document.age").lastValue) >= 0)
    }

    // MARK: Logs

    private func makeLogger() -> (Logger, InMemoryLogHandler) {
        var handler = InMemoryLogHandler()
        handler.logLevel = .trace
        return (Logger(label: "shop") { [handler] _ in handler }, handler)
    }

    @Test func theFrameworksLogHasTheLevelsOfSwiftLog() async throws {
        let (logger, handler) = makeLogger()
        let config = ActiveConfig.make(
            downloader: ScriptedDownloader(.failure(DownloadError(.httpStatus, status: 404))),
            log: makeLog(logger, minimumLevel: .debug))
        await config.setCurrentUser("hunter2")
        _ = try? await config.downloadNewConfig()
        config.overrides.removeAll()
        #expect(handler.entries.contains { $0.level == .warning || $0.level == .error })
        #expect(!handler.entries.contains { "\($0.message)".contains("hunter2") })
        for level in ["debug", "info", "warning", "error"] {
            #expect(Logger.Level(rawValue: level) != nil)
        }
    }

    @Test func aReadIsLoggedWithoutTheUserAndTheValue() throws {
        let (logger, handler) = makeLogger()
        let log = EvaluationLog(logger: logger)
        let path = SettingPath("Checkout", "title")
        log.observe(event(.read(SettingRead(path, "hunter2", from: .downloaded)), version: 3))
        log.observe(event(.read(SettingRead(path, nil, from: .default)), version: 3))
        log.observe(event(.active, version: 3))
        #expect(
            handler.entries.map(\.message) == Array(repeating: "feature_flag.evaluation", count: 2))
        #expect(
            handler.entries.first?.metadata == [
                "feature_flag.key": "Checkout.title",
                "feature_flag.provider.name": "ActiveConfig",
                "feature_flag.result.reason": "cached", "feature_flag.version": "3",
            ])
        #expect(handler.entries.last?.metadata["feature_flag.result.reason"] == "default")
    }

    // MARK: ServiceLifecycle

    @Test(.timeLimit(.minutes(2)))
    func aGracefulShutdownEndsTheService() async throws {
        let backend = ScriptedBackend()
        let updater = ActiveConfigUpdater.make(
            .make(downloader: ScriptedDownloader()), source: backend, clock: backend.clock)
        let (logger, _) = makeLogger()
        let group = ServiceGroup(
            services: [ConfigurationService(updater: updater)], logger: logger)
        let running = Task { try await group.run() }
        try await backend.waitForStreams(1)
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(updater.state(ofUserID: nil) == .stopped)
    }

    @Test(.timeLimit(.minutes(2)))
    func aGracefulShutdownEndsTheMetrics() async throws {
        let backend = ScriptedBackend()
        let config = ActiveConfig.make(downloader: ScriptedDownloader())
        let updater = ActiveConfigUpdater.make(config, source: backend, clock: backend.clock)
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let metrics = StreamMetricsFactory(stream: Lines(continuation: continuation))
        let (logger, _) = makeLogger()
        let group = ServiceGroup(
            services: [MetricsService(config: config, updater: updater)], logger: logger)
        let running = withMetricsFactory(metrics) { Task { try await group.run() } }
        // The service records.
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        await group.triggerGracefulShutdown()
        try await running.value
    }
}
