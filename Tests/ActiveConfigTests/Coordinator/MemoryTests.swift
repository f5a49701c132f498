import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Nothing is kept alive, and nothing piles up.
@Suite(.timeLimit(.minutes(1)))
struct MemoryTests {
    /// Waits until an object is gone; what has just ended may hold it for a moment.
    private func waitUntilGone(_ object: () -> AnyObject?) async {
        while object() != nil, !Task.isCancelled { await Task.yield() }
        #expect(object() == nil)
    }

    @Test("An ActiveConfig is released when nobody holds it")
    func isReleased() async throws {
        let queue = DispatchQueue(label: "listeners")
        weak var weakConfig: ActiveConfig?
        weak var weakDownloader: ScriptedDownloader?
        let listener = RecordingListener()
        var token: ActiveConfigListenerToken?
        do {
            let downloader = ScriptedDownloader(
                .configuration(.make()), .failure(CancellationError()), .unchanged)
            let config = ActiveConfig.make(downloader: downloader, listenerQueue: queue)
            weakConfig = config
            weakDownloader = downloader
            config.registerListener(listener, forSectionName: "Home")
            token = config.listen(forSectionName: "Home") { _ in }
            try await config.downloadNewConfig()
            _ = try? await config.downloadNewConfig()
            config.currentUserID = "1"
            for await _ in config.sections(named: "Home") { break }
            let iteration = Task { for await _ in config.changes {} }
            iteration.cancel()
            await iteration.value
            try await config.downloadNewConfig()
        }
        queue.sync {}
        await waitUntilGone { weakConfig }
        await waitUntilGone { weakDownloader }
        withExtendedLifetime(token) {}
        #expect(listener.deliveries.count == 1)
    }

    @Test("A download that runs keeps its ActiveConfig until it has ended, and no longer")
    func isReleasedAfterItsDownload() async throws {
        let downloader = ScriptedDownloader { _ in .held }
        let store = InMemoryStore()
        weak var weakConfig: ActiveConfig?
        do {
            let fixture = CoordinatorFixture.make(downloader, store: store)
            weakConfig = fixture.config
            fixture.startDownload()
        }
        try await downloader.waitForRequests(1)
        #expect(weakConfig != nil)
        downloader.answer(1, with: .configuration(.make()))
        await waitUntilGone { weakConfig }
        #expect(store.ownConfiguration(forUserID: nil) == .make())
    }

    @Test("Downloads of many users leave nothing behind, however they end")
    func downloadsDoNotPileUp() async throws {
        struct Failure: Error {}
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { request in
                [.configuration(.make()), .unchanged, .failure(Failure()), .held][
                    request.number % 4]
            })
        let config = fixture.config
        for number in 1...400 {
            config.currentUserID = "\(number)"
            let download = Task { try await config.downloadNewConfig() }
            try await fixture.downloader.waitForRequests(number)
            if number % 4 == 3 { download.cancel() }
            _ = try? await download.value
        }
        try await fixture.downloader.waitForEndedRequests(400)
        while config.state.withLock({ !$0.downloads.isEmpty }), !Task.isCancelled {
            await Task.yield()
        }
        #expect(config.state.withLock { $0.downloads.isEmpty })
    }
}
