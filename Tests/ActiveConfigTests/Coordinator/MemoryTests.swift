import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Objects are released, and nothing accumulates.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct MemoryTests {
    /// Owned by a log, and so by its ActiveConfig; finishes a sequence when it is released.
    private final class Sentinel: Sendable {
        private let continuation: AsyncStream<Never>.Continuation

        init(_ continuation: AsyncStream<Never>.Continuation) { self.continuation = continuation }

        deinit { continuation.finish() }
    }

    /// Log, with a sequence that ends when the log is released.
    private func makeLog() -> (log: ActiveConfigLog, isReleased: AsyncStream<Never>) {
        let (isReleased, continuation) = AsyncStream.makeStream(of: Never.self)
        let sentinel = Sentinel(continuation)
        return (ActiveConfigLog { _, _ in withExtendedLifetime(sentinel) {} }, isReleased)
    }

    @Test("An ActiveConfig is released with its last reference")
    func isReleased() async throws {
        let queue = DispatchQueue(label: "listeners")
        weak var weakConfig: ActiveConfig?
        weak var weakDownloader: ScriptedDownloader?
        let listener = RecordingListener()
        var token: ActiveConfigSubscription?
        let isReleased: AsyncStream<Never>
        do {
            let downloader = ScriptedDownloader(
                .configuration(.make()), .failure(CancellationError()), .unchanged)
            let (log, stream) = makeLog()
            isReleased = stream
            let config = ActiveConfig.make(
                downloader: downloader, listenerQueue: queue, log: log)
            weakConfig = config
            weakDownloader = downloader
            config.registerListener(listener, forSectionName: "Home")
            token = config.observe(sectionNamed: "Home") { _ in }
            try await config.downloadNewConfig()
            _ = try? await config.downloadNewConfig()
            config.currentUserID = "1"
            for await _ in config.values(ofSection: "Home") { break }
            let iteration = Task { for await _ in config.changes() {} }
            iteration.cancel()
            await iteration.value
            try await config.downloadNewConfig()
        }
        for await _ in isReleased {}
        #expect(weakConfig == nil)
        #expect(weakDownloader == nil)
        withExtendedLifetime(token) {}
        #expect(listener.deliveries.count == 1)
    }

    /// Starts a download without waiting for it; in an async function the plain call would wait.
    private func startDownload(of config: ActiveConfig) { config.downloadNewConfig() }

    @Test("A running download retains its ActiveConfig until it ends, and no longer")
    func isReleasedAfterItsDownload() async throws {
        let downloader = ScriptedDownloader { _ in .held }
        let store = InMemoryStore()
        weak var weakConfig: ActiveConfig?
        let isReleased: AsyncStream<Never>
        do {
            let (log, stream) = makeLog()
            isReleased = stream
            let config = ActiveConfig.make(downloader: downloader, store: store, log: log)
            weakConfig = config
            startDownload(of: config)
        }
        try await downloader.waitForRequests(1)
        #expect(weakConfig != nil)
        downloader.answer(1, with: .configuration(.make()))
        for await _ in isReleased {}
        #expect(weakConfig == nil)
        #expect(store.ownConfiguration(forUserID: nil) == .make())
    }

    @Test("Work that calls the store later retains its ActiveConfig until it ends, and no longer")
    func isReleasedAfterItsWork() async {
        let mayEnd = DispatchSemaphore(value: 0)
        weak var weakConfig: ActiveConfig?
        let isReleased: AsyncStream<Never>
        do {
            let (log, stream) = makeLog()
            isReleased = stream
            let config = ActiveConfig.make(downloader: ScriptedDownloader(.unchanged), log: log)
            weakConfig = config
            config.users.later(in: config.users.generic.writes) { mayEnd.wait() }
        }
        #expect(weakConfig != nil)
        mayEnd.signal()
        for await _ in isReleased {}
        #expect(weakConfig == nil)
    }

    @Test("Downloads of many users leave no memory behind, however they end")
    func downloadsDoNotPileUp() async throws {
        struct Failure: Error {}
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { request in
                [.configuration(.make()), .unchanged, .failure(Failure()), .held][
                    request.number % 4]
            })
        let config = fixture.config
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        for number in 1...400 {
            config.currentUserID = "\(number)"
            let download = Task { try await config.downloadNewConfig() }
            try await fixture.downloader.waitForRequests(number)
            if number % 4 == 3 { download.cancel() }
            _ = try? await download.value
        }
        try await fixture.downloader.waitForEndedRequests(400)
        // One notification is posted at the end of each download.
        try await recorder.waitForNotifications(
            200, named: ActiveConfig.downloadUpdateFinishedNotification)
        try await recorder.waitForNotifications(
            200, named: ActiveConfig.downloadFailedNotification)
        #expect(config.front.running.count == 0)
    }
}
