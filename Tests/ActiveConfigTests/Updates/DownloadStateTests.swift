import ActiveConfig
import ActiveConfigTesting
import Foundation
import Observation
import Testing

/// The last download, and the age and freshness of the active document.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DownloadStateTests {
    private static let answer = ScriptedDownloader.Answer.configuration(
        .titled(["Home": "1"], entityTag: "t1"))

    @Test func theLastDownloadIsKeptAcrossLaunches() async throws {
        let folder = TemporaryFolder()
        let fixture = UpdatesFixture(FileDefaultsStore(directory: folder.url))
        let clock = ManualClock()
        let downloader = ScriptedDownloader { _ in .held }
        let launch = CoordinatorFixture.make(
            downloader, store: fixture.store, clock: clock, now: { fixture.time.now })
        launch.config.currentUserID = "A"
        #expect(launch.config.status.lastDownload == nil)
        let download = Task { try await launch.config.downloadNewConfig() }
        try await downloader.waitForRequests(1)
        clock.advance(by: .seconds(3))
        downloader.answer(1, with: Self.answer)
        _ = try await download.value
        let record = DownloadRecord(
            time: fixture.time.now, outcome: .downloaded, duration: .seconds(3), userID: "A")
        #expect(launch.config.status.lastDownload == record)
        let next = fixture.launch(
            ScriptedDownloader(.failure(DownloadError(.httpStatus, status: 503)), .unchanged))
        #expect(next.config.status.lastDownload == record)
        fixture.time.advance(by: 60)
        _ = try? await next.config.downloadNewConfig()
        let failed = try #require(next.config.status.lastDownload)
        #expect(failed.outcome == .failed && failed.status == 503 && failed.userID == nil)
        #expect(failed.time == fixture.time.now)
        #expect(failed.code == .httpStatus)
        #expect(failed.message?.contains("503") == true)
        #expect("\(failed)".hasSuffix(": \(failed.message ?? "-")"))
        next.config.currentUserID = "A"
        try await next.config.downloadNewConfig()
        #expect(next.config.status.lastDownload?.outcome == .notModified)
    }

    @Test func theLastFailureIsKeptAcrossLaunches() async throws {
        let fixture = UpdatesFixture(FileDefaultsStore(directory: TemporaryFolder().url))
        let launch = fixture.launch(ScriptedDownloader(.failure(DownloadError(.timedOut))))
        _ = try? await launch.config.downloadNewConfig()
        fixture.time.advance(by: 60)
        let next = fixture.launch(ScriptedDownloader())
        let record = try #require(next.config.status.lastDownload)
        #expect(record == launch.config.status.lastDownload)
        #expect(record.code == .timedOut && record.status == nil)
    }

    @Test func aCodeOfALaterVersionIsAnotherOne() throws {
        let record = DownloadRecord(
            time: Date(), outcome: .failed, code: .timedOut, duration: .zero, userID: nil)
        let text = String(decoding: try JSONEncoder().encode(record), as: UTF8.self)
        let later = text.replacing(#""timedOut""#, with: #""invented""#)
        #expect(later != text)
        let read = try JSONDecoder().decode(DownloadRecord.self, from: Data(later.utf8))
        #expect(read.code == .other)
        let earlier = text.replacing(#""code":"timedOut","#, with: "")
            .replacing(#","code":"timedOut""#, with: "")
        #expect(earlier != text)
        #expect(
            try JSONDecoder().decode(DownloadRecord.self, from: Data(earlier.utf8)).code == nil)
    }

    @Test func theAgeIsThatOfTheActiveDocument() async throws {
        let second = ScriptedDownloader.Answer.configuration(.titled(["Home": "2"]))
        let fixture = UpdatesFixture(activation: .manual)
        let launch = fixture.launch(ScriptedDownloader(Self.answer, .unchanged, second))
        #expect(launch.config.age == nil)
        try await launch.config.fetchAndActivate()
        fixture.time.advance(by: 100)
        #expect(launch.config.age == .seconds(100))
        try await launch.config.downloadNewConfig()
        #expect(launch.config.age == .zero)
        fixture.time.advance(by: 50)
        // The server has a newer document, so it does not confirm the active one.
        try await launch.config.downloadNewConfig()
        fixture.time.advance(by: 5)
        #expect(launch.config.age == .seconds(55))
        #expect(fixture.launch().config.age == .seconds(55))
        await launch.config.activate()
        #expect(launch.config.age == .seconds(5))
        fixture.time.advance(by: -1_000)
        #expect(launch.config.age == .zero)
    }

    @Test func theFreshnessSaysWhetherThereMayBeANewerDocument() async throws {
        let store = InMemoryStore(bootstrap: .state(.titled(["Home": "0"])))
        let fixture = UpdatesFixture(
            store, fetchPolicy: .make(minimumInterval: .seconds(60)), activation: .manual)
        #expect(UpdatesFixture().launch().config.status.freshness == .noDocument)
        let launch = fixture.launch(
            ScriptedDownloader { request in
                .configuration(.titled(["Home": "\(request.number)"], entityTag: "t"))
            })
        let config = launch.config
        #expect(config.status.freshness == .bootstrapOnly)
        let start = fixture.time.now
        try await config.downloadNewConfig()
        #expect(config.status.freshness == .stale(since: start))
        await config.activate()
        #expect(config.status.freshness == .upToDate)
        fixture.time.advance(by: 61)
        #expect(config.status.freshness == .stale(since: start + 60))
        try await config.fetchAndActivate()
        #expect(config.status.freshness == .upToDate)
        fixture.time.advance(by: 1)
        await config.markStale()
        fixture.time.advance(by: 1)
        #expect(config.status.freshness == .stale(since: start + 62))
        // User A has only the generic user's document.
        config.currentUserID = "A"
        #expect(config.status.freshness == .stale(since: start + 62))
        #expect(config.age == .seconds(2))
    }

    @MainActor
    @Test func anObserverReceivesDownloads() async throws {
        let fixture = UpdatesFixture()
        let launch = fixture.launch(ScriptedDownloader { _ in Self.answer })
        let observer = ObservableActiveConfig(launch.config)
        let watch = Watch { _ = observer.status }
        for _ in 0..<2 {
            let count = watch.count
            fixture.time.advance(by: 1)
            try await launch.config.downloadNewConfig()
            await waitUntil { observer.status.lastDownload?.time == fixture.time.now }
            await waitUntil { !observer.status.isDownloading }
            // The watch counts in a task of its own.
            await waitUntil { watch.count > count }
            #expect(observer.status.freshness == .upToDate)
        }
        await launch.config.markStale()
        await waitUntil { observer.status.freshness != .upToDate }
        #expect(observer.status.freshness == .stale(since: fixture.time.now))
    }

    @MainActor
    @Test func anObserverReceivesPendingDocuments() async throws {
        let launch = UpdatesFixture(activation: .manual).launch(ScriptedDownloader(Self.answer))
        let observer = ObservableActiveConfig(launch.config)
        #expect(observer.pendingChanges.isEmpty)
        try await launch.config.downloadNewConfig()
        await waitUntil { !observer.pendingChanges.isEmpty }
        #expect(observer.pendingChanges.map(\.sectionName) == ["Home"])
        #expect(observer["Home"] == nil)
    }
}
