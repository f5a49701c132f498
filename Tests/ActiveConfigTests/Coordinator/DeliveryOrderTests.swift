import ActiveConfig
import ActiveConfigTesting
import Testing

/// A call has put its deliveries on the listener queue when it returns or throws.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DeliveryOrderTests {
    private static let turns = 1...300

    @Test func aDownloadThatSucceedsHasDelivered() async throws {
        let fixture = CoordinatorFixture.make(
            ScriptedDownloader { .configuration(.titled(["Home": "\($0.number)"])) })
        let listener = fixture.listener()
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        for turn in Self.turns {
            try await fixture.config.downloadNewConfig()
            fixture.drain()
            #expect(listener.sections.count == turn)
            let updates = recorder.entries(named: ActiveConfig.downloadUpdateFinishedNotification)
            #expect(updates.count == turn)
        }
    }

    @Test func aDownloadThatFailsHasDelivered() async throws {
        struct Failure: Error {}
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .failure(Failure()) })
        let recorder = NotificationRecorder(of: fixture.config, in: fixture.center)
        for turn in Self.turns {
            await #expect(throws: Failure.self) { try await fixture.config.downloadNewConfig() }
            fixture.drain()
            #expect(recorder.entries(named: ActiveConfig.downloadFailedNotification).count == turn)
        }
    }

    @Test func aDownloadWhoseLastCallerIsCancelledHasDelivered() async throws {
        let fixture = CoordinatorFixture.make(ScriptedDownloader { _ in .held })
        let config = fixture.config
        let recorder = NotificationRecorder(of: config, in: fixture.center)
        for turn in Self.turns {
            let caller = Task { try await config.downloadNewConfig() }
            try await fixture.downloader.waitForRequests(turn)
            caller.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            fixture.drain()
            #expect(recorder.entries(named: ActiveConfig.downloadFailedNotification).count == turn)
        }
    }

    @Test func theSetterHasDelivered() {
        let store = InMemoryStore()
        for user in ["0", "1"] {
            store.persistConfiguration(.titled(["Home": user]), forUserID: user)
        }
        let fixture = CoordinatorFixture.make(store: store)
        let listener = fixture.listener()
        for turn in Self.turns {
            fixture.config.currentUserID = "\(turn % 2)"
            fixture.drain()
            #expect(listener.sections.count == turn)
            #expect(listener.sections.last??.title == "\(turn % 2)")
        }
    }
}
