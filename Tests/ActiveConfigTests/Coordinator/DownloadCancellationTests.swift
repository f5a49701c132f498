import ActiveConfig
import ActiveConfigTesting
import Testing

/// Cancellation of the async `downloadNewConfig`.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DownloadCancellationTests {
    @Test("Cancelling a task does not cancel the download if other callers wait for it") @MainActor
    func oneOfTwoCallersIsCancelled() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let first = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let second = Task {
            turn.finish()
            return try await config.downloadNewConfig()
        }
        // Continues when the second caller, which also runs on the main actor, is suspended: it has
        // joined.
        for await _ in turns {}
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(fixture.downloader.cancelledRequests.isEmpty)
        fixture.downloader.answer(1, with: .configuration(.make()))
        #expect(try await second.value.configurationIsCurrent)
        #expect(fixture.downloader.requests.count == 1)
        #expect(config["Home"] == .make())
    }

    @Test("Cancelling the last waiting task cancels the download")
    func theLastCallerIsCancelled() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let callers = (0..<3).map { _ in Task { try await config.downloadNewConfig() } }
        try await fixture.downloader.waitForRequests(1)
        for caller in callers { caller.cancel() }
        for caller in callers {
            await #expect(throws: CancellationError.self) { try await caller.value }
        }
        try await fixture.downloader.waitForCancelledRequests(1)
        try await fixture.downloader.waitForEndedRequests(1)
    }

    @Test func aDownloadThatWasAskedForWithoutWaitingGoesOn() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let caller = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        fixture.startDownload()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(fixture.downloader.cancelledRequests.isEmpty)
        let listener = fixture.listener()
        fixture.downloader.answer(1, with: .configuration(.make()))
        try await listener.waitForDeliveries(1)
    }

    @Test func aCancelledTaskStartsNoDownload() async throws {
        let fixture = CoordinatorFixture.make()
        let config = fixture.config
        let caller = Task {
            // Returns when the task is cancelled.
            try? await ManualClock().sleep(for: .seconds(1))
            return try await config.downloadNewConfig()
        }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(fixture.downloader.requests.isEmpty)
    }

    /// Late answer of a downloader that ignores its cancellation.
    enum LateAnswer: CaseIterable { case document, unchanged, failure }

    @Test(
        "An abandoned download fails before the next one starts, and reports nothing afterwards",
        arguments: LateAnswer.allCases)
    func aDownloaderThatIgnoresCancellation(late: LateAnswer) async throws {
        struct Failure: Error {}
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { _ in .held.ignoringCancellation })
        let config = fixture.config
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        let first = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        // The next caller does not wait for the hanging request.
        let second = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(2)
        fixture.downloader.answer(2, with: .configuration(.titled(["Home": "second"])))
        _ = try await second.value
        switch late {
        case .document:
            fixture.downloader.answer(1, with: .configuration(.titled(["Home": "first"])))
        case .unchanged: fixture.downloader.answer(1, with: .unchanged)
        case .failure: fixture.downloader.answer(1, with: .failure(Failure()))
        }
        try await fixture.downloader.waitForEndedRequests(2)
        // A third download is delivered after everything that the first one could still deliver.
        let third = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(3)
        fixture.downloader.answer(3, with: .unchanged)
        _ = try await third.value
        fixture.drain()
        #expect(
            recorder.names == [
                ActiveConfig.downloadFailedNotification, ActiveConfig.sectionDidChangeNotification,
                ActiveConfig.firstDownloadFinishedNotification,
                ActiveConfig.downloadUpdateFinishedNotification,
                ActiveConfig.downloadUpdateFinishedNotification,
            ])
        #expect(recorder.entries.first?.error is CancellationError)
        #expect(config["Home"]?.title == "second")
        #expect(
            config.configStore?.ownConfiguration(forUserID: nil)?.sections["Home"]?.title
                == "second")
    }

    @Test("A download whose answer is being stored cannot be cancelled, and is joined")
    func cancelledWhileTheAnswerIsStored() async throws {
        let duringPersist = Locked<(@Sendable () -> Void)?>(nil)
        let store = ObservedStore { event in
            guard case .persist = event else { return }
            duringPersist.withLock {
                let body = $0
                $0 = nil
                return body
            }?()
        }
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { request in
                request.number == 1 ? .held : .configuration(.titled(["Home": "\(request.number)"]))
            }, store: store)
        let config = fixture.config
        let caller = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        duringPersist.withLock {
            $0 = {
                caller.cancel()
                fixture.startDownload()
            }
        }
        let listener = fixture.listener()
        fixture.downloader.answer(1, with: .configuration(.titled(["Home": "1"])))
        await #expect(throws: CancellationError.self) { try await caller.value }
        try await listener.waitForDeliveries(1)
        #expect(listener.sections == [.titled("1")])
        #expect(fixture.downloader.requests.count == 1)
    }
}
