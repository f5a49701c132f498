import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// The date on which the server last confirmed the document that an updater follows.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UpdaterConfirmationTests {
    private static let heartbeat = ":\n\n"

    private let store = InMemoryStore()
    private let clock = ManualClock()

    /// A fixture whose dates advance with the manual clock.
    private func fixture(
        activation: ActivationPolicy = .immediate, source: (any ActiveConfigEventSource)? = nil
    ) -> UpdaterFixture {
        let (queue, backend) = (DispatchQueue(label: "listeners"), ScriptedBackend(clock: clock))
        var options = ActiveConfigOptions(activationPolicy: activation, log: .disabled)
        options.fetchPolicy = .minimumInterval(.seconds(90))
        let config = ActiveConfig(
            configDownloader: ScriptedDownloader(), configStore: store,
            notificationCenter: NotificationCenter(), listenerQueue: queue, options: options,
            clock: clock,
            now: { [clock] in
                Date(timeIntervalSinceReferenceDate: 8e8 + clock.now.offset / .seconds(1))
            })
        config.currentUserID = "1"
        let (events, activity) = AsyncStream.makeStream(of: AppActivity.Event.self)
        return UpdaterFixture(
            backend: backend, config: config,
            updater: .make(
                config, source: source ?? backend, activity: AppActivity { events }, clock: clock),
            queue: queue, activity: activity)
    }

    /// Sends heartbeats over the open stream, one every 15 seconds.
    private func sendHeartbeats(_ count: Int, to fixture: UpdaterFixture) async throws {
        for _ in 0..<count {
            try await fixture.settle()
            clock.advance(by: .seconds(15))
            fixture.backend.send(Self.heartbeat)
            try await fixture.settle()
        }
    }

    @Test func aLongPollWithoutAChangeConfirmsTheDocument() async throws {
        let fixture = fixture()
        fixture.backend.setService { $0.streams = .none }
        try await fixture.run {
            try await fixture.advance { fixture.documentRequests.count >= 3 }
            let download = try #require(fixture.config.status.lastDownload)
            try await fixture.advance { fixture.documentRequests.count >= 8 }
            #expect(clock.now.offset > .seconds(100))
            #expect(try #require(fixture.config.age) < .seconds(2))
            #expect(fixture.config.status.freshness == .upToDate)
            #expect(fixture.config.status.lastDownload == download, "a long poll is no download")
        }
    }

    @Test func aLongPollConfirmsNoOtherDocumentThanTheOneItAskedAbout() async throws {
        let fixture = fixture()
        let (own, other) = (
            ConfigurationState.make(
                meta: ["template_version": 1], sections: .titled("Own"), entityTag: "\"1\""),
            ConfigurationState.make(
                meta: ["template_version": 2], sections: .titled("Other"), entityTag: "\"2\"")
        )
        store.persistConfiguration(own, forUserID: "1")
        let feed = ConfigurationFeed(fixture.config, of: UserID("1"))
        for asked in [other, nil] {
            await feed.confirm(by: nil, asked: asked)
            #expect(fixture.config.status.confirmationDate == nil)
        }
        await feed.confirm(by: other, asked: own)
        #expect(fixture.config.status.confirmationDate == nil, "a document confirms nothing")
        #expect(fixture.config.currentConfiguration.templateVersion == nil)
        // It was stored as by another process, so it becomes active, as by a download.
        await feed.confirm(by: nil, asked: own)
        #expect(fixture.config.currentConfiguration.templateVersion == 1)
        #expect(fixture.config.age == .zero)
    }

    @Test func theHeartbeatsOfAStreamConfirmTheDocument() async throws {
        let fixture = fixture()
        try await fixture.run {
            try await fixture.waitUntilLive()
            try await sendHeartbeats(3, to: fixture)
            #expect(fixture.config.age == .seconds(45), "once a minute")
            try await sendHeartbeats(9, to: fixture)
            #expect(try #require(fixture.config.age) < .seconds(60))
            #expect(fixture.config.status.freshness == .upToDate)
            #expect(fixture.documentRequests.count == 1)
        }
    }

    @Test func aDocumentThatWaitsIsConfirmedButNotActive() async throws {
        let fixture = fixture(activation: .manual)
        try await fixture.run {
            try await fixture.waitUntilLive()
            await fixture.config.activate()
            let date = fixture.config.status.confirmationDate
            fixture.backend.publish(.titled("New"))
            try await fixture.advance { fixture.config.snapshot.pending != nil }
            try await sendHeartbeats(8, to: fixture)
            #expect(fixture.config.status.confirmationDate == date)
            await fixture.config.activate()
            #expect(try #require(fixture.config.age) < .seconds(60))
        }
    }

    /// The server may have been restored, and does not have the client's document.
    @Test func theHeartbeatsOfAServerThatIsBehindConfirmNothing() async throws {
        var later = ConfigurationState.make(
            meta: ["format_version_string": "1.0", "template_version": 13],
            sections: .titled("Later"))
        later.entityTag = "\"later\""
        store.persistConfiguration(later, forUserID: "1")
        let fixture = fixture()
        try await fixture.run {
            try await fixture.waitUntilLive()
            try await sendHeartbeats(12, to: fixture)
            #expect(fixture.title() == "Later")
            #expect(fixture.config.status.confirmationDate == nil)
        }
    }

    @Test func confirmationsAreStoredAtMostOnceAMinute() throws {
        let time = DeviceTime()
        let history = DownloadHistory(
            store: store, policy: .make(), now: { time.now }, log: .disabled)
        let user = UserID("1")
        history.noteSuccess(
            of: history.request(of: user, ""), .downloaded, after: .zero, isActive: true)
        let first = store.clientState(named: "downloads")
        for _ in 0..<2 {
            time.advance(by: 25)
            history.noteConfirmation(
                of: history.request(of: user, ""), isActive: true, isStored: true)
            #expect(history.confirmationDate(of: user) == time.now)
            #expect(store.clientState(named: "downloads") == first)
        }
        time.advance(by: 25)
        history.noteConfirmation(of: history.request(of: user, ""), isActive: true, isStored: true)
        #expect(store.clientState(named: "downloads") != first)
        let next = DownloadHistory(
            store: store, policy: .make(), now: { time.now }, log: .disabled)
        #expect(next.confirmationDate(of: user) == time.now)
        #expect(next.last == history.last)
    }

    @Test func aConfirmationDoesNotEndAStaleMark() async throws {
        let time = DeviceTime()
        let history = DownloadHistory(
            store: store, policy: .make(), now: { time.now }, log: .disabled)
        let user = UserID("1")
        history.noteSuccess(
            of: history.request(of: user, ""), .downloaded, after: .zero, isActive: true)
        history.markStale()
        history.noteConfirmation(of: history.request(of: user, ""), isActive: true, isStored: true)
        #expect(
            history.staleTime(of: history.request(of: user, ""), isPending: false) == time.now)
    }
}
