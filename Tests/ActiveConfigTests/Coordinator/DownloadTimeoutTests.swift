import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// A hanging downloader does not block its user forever.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DownloadTimeoutTests {
    private let clock = ManualClock()

    private func make(
        timeout: Duration = .seconds(10),  // deadline: of the manual clock
        _ script: @escaping @Sendable (ScriptedDownloader.Request) -> ScriptedDownloader.Answer
    ) -> CoordinatorFixture {
        .make(ScriptedDownloader(script: script), downloadTimeout: timeout, clock: clock)
    }

    @Test("A download fails at its timeout, even if the downloader ignores the cancellation")
    func aDownloadTimesOut() async throws {
        let fixture = make { request in
            request.number == 1 ? .held.ignoringCancellation : .held
        }
        let config = fixture.config
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        let first = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        let error = await #expect(throws: DownloadError.self) { try await first.value }
        #expect(error?.code == .timedOut)
        #expect(fixture.downloader.cancelledRequests == [1])

        // The next download has its own request, which the late answer does not affect.
        let second = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(2)
        fixture.downloader.answer(1, with: .configuration(.titled(["Home": "late"])))
        try await fixture.downloader.waitForEndedRequests(1)
        fixture.downloader.answer(2, with: .configuration(.titled(["Home": "new"])))
        #expect(try await second.value.configurationIsCurrent)
        fixture.drain()
        #expect(config["Home"]?.title == "new")
        #expect(
            recorder.names == [
                ActiveConfig.downloadFailedNotification, ActiveConfig.sectionDidChangeNotification,
                ActiveConfig.firstDownloadFinishedNotification,
                ActiveConfig.downloadUpdateFinishedNotification,
            ])
        #expect((recorder.entries.first?.error as? DownloadError)?.code == .timedOut)
        #expect(
            config.configStore?.ownConfiguration(forUserID: nil)?.sections["Home"]?.title == "new")
    }

    @Test("The timeout does not affect an answer in time, and its timer ends")
    func anAnswerInTime() async throws {
        let fixture = make { _ in .held }
        let config = fixture.config
        let call = Task { try await config.downloadNewConfig() }
        try await fixture.downloader.waitForRequests(1)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(9))
        fixture.downloader.answer(1, with: .configuration(.titled(["Home": "new"])))
        #expect(try await call.value.configurationIsCurrent)
        try await clock.waitForDeadlines { $0.isEmpty }
    }

    @Test("A hanging download of one user does not delay other users")
    func otherUsersAreNotHeldUp() async throws {
        let fixture = make { request in
            request.userID == "A" ? .held.ignoringCancellation : .configuration(.make())
        }
        fixture.config.currentUserID = "A"
        fixture.startDownload()
        try await fixture.downloader.waitForRequests(1)
        fixture.config.currentUserID = "B"
        #expect(try await fixture.config.downloadNewConfig().configurationIsCurrent)
        fixture.downloader.answer(1, with: .unchanged)
        try await fixture.downloader.waitForEndedRequests(1)
    }

    @Test(
        "Every duration is valid: a negative one ends at once, a large one never ends",
        arguments: [
            (.seconds(-1), true), (.zero, true), (.seconds(Int64.max), false),
            (.seconds(Int64.min), true),
        ] as [(Duration, Bool)])
    func everyDurationIsALimit(timeout: Duration, isOver: Bool) async throws {
        let downloader = ScriptedDownloader { _ in .held }
        for clock in [clock, ContinuousClock(), SuspendingClock()] as [any Clock<Duration>] {
            let fixture = CoordinatorFixture.make(
                downloader, downloadTimeout: timeout, clock: clock)
            let config = fixture.config
            let number = downloader.requests.count
            let call = Task { try await config.downloadNewConfig() }
            if isOver {
                await #expect(throws: DownloadError.self) { try await call.value }
            } else {
                try await downloader.waitForRequests(number + 1)
                downloader.answer(number + 1, with: .unchanged)
                _ = try await call.value
            }
        }
    }
}
