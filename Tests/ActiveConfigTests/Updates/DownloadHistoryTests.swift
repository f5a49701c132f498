import ActiveConfigTesting
import Dispatch
import Foundation
import Testing

@testable import ActiveConfig

/// Contents of the stored record of downloads, and the times at which it is written.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DownloadHistoryTests {
    /// Store that counts the writes of the record of downloads.
    private struct CountingStore: ActiveConfigStore {
        let base = InMemoryStore()
        let count = Locked(0)
        /// Yields after each write.
        let writes = AsyncStream.makeStream(of: Void.self)
        private let start = ContinuousClock.now

        /// True after `expected` writes, or one more for each minute that the test has taken.
        ///
        /// Pending changes are written after a minute, whatever time the test's own clock shows.
        func isWritten(_ expected: Int) -> Bool {
            // deadline: a slower test may write more often
            let minutes = Int((ContinuousClock.now - start) / .seconds(60))
            return (expected...expected + minutes).contains(count.withLock { $0 })
        }

        func lastKnownActiveConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.lastKnownActiveConfiguration(forUserID: userID)
        }

        func ownConfiguration(forUserID userID: String?) -> ConfigurationState? {
            base.ownConfiguration(forUserID: userID)
        }

        func persistConfiguration(
            _ configuration: ConfigurationState?, forUserID userID: String?
        ) { base.persistConfiguration(configuration, forUserID: userID) }

        func record(_ record: StoreRecord) throws -> Data? {
            guard case .clientState = record.kind else { throw StoreRecord.UnsupportedError() }
            return base.record(record)
        }

        func updateRecord(_ record: StoreRecord, _ change: (Data?) -> Data?) throws {
            guard case .clientState(let name) = record.kind else {
                throw StoreRecord.UnsupportedError()
            }
            if name == "downloads" { count.withLock { $0 += 1 } }
            base.updateRecord(record, change)
            writes.continuation.yield()
        }
    }

    private static let document = ScriptedDownloader.Answer.configuration(
        .titled(["Home": "a"], entityTag: "\"1\""))
    private static let failure = ScriptedDownloader.Answer.failure(
        DownloadError(.httpStatus, status: 503))

    private static func always(
        _ answer: ScriptedDownloader.Answer = document
    ) -> ScriptedDownloader {
        ScriptedDownloader { _ in answer }
    }

    @Test(arguments: [FetchPolicy.always, .make()], [true, false])
    func downloadsAreWrittenOnceAMinuteAtMost(policy: FetchPolicy, isRepeated: Bool) async throws {
        let store = CountingStore()
        let fixture = UpdatesFixture(store, fetchPolicy: policy)
        let launch = fixture.launch(Self.always(isRepeated ? .unchanged : Self.document))
        if isRepeated { store.persistConfiguration(.titled(["Home": "a"]), forUserID: nil) }
        for _ in 0..<120 {
            try await launch.config.downloadNewConfig()
            #expect(launch.config.status.lastDownload?.time == fixture.time.now)
            #expect(launch.config.age == .zero)
            fixture.time.advance(by: 1)
        }
        #expect(launch.downloader.requests.count == 120)
        #expect(store.isWritten(2))
    }

    @Test func manyUsersAreOneWriteAMinute() async throws {
        let store = CountingStore()
        let launch = UpdatesFixture(store).launch(Self.always())
        for number in 0..<200 {
            try await launch.config.configuration(forUserID: "\(number)").download()
        }
        #expect(launch.downloader.requests.count == 200)
        #expect(store.isWritten(1))
    }

    @Test func failuresWithoutAPolicyAreOneWriteAMinute() async throws {
        let store = CountingStore()
        let launch = UpdatesFixture(store).launch(Self.always(Self.failure))
        for _ in 0..<20 { _ = try? await launch.config.downloadNewConfig() }
        #expect(store.isWritten(1))
        #expect(launch.config.status.lastDownload?.status == 503)
    }

    @Test func refusalsAreOneWriteAMinute() async throws {
        let store = CountingStore()
        let launch = UpdatesFixture(store, fetchPolicy: .make()).launch(
            Self.always(.failure(DownloadError(.httpStatus, status: 403))))
        for _ in 0..<20 { _ = try? await launch.config.downloadNewConfig() }
        #expect(store.isWritten(1))
        #expect(launch.config.status.lastDownload?.status == 403)
    }

    /// The start and the end of a wait survive the process.
    @Test func theBeginningAndTheEndOfAWaitAreWrittenAtOnce() async throws {
        let store = CountingStore()
        let fixture = UpdatesFixture(store, fetchPolicy: .make())
        let launch = fixture.launch(
            ScriptedDownloader(Self.document, Self.failure, Self.document))
        try await launch.config.downloadNewConfig()
        _ = try? await launch.config.downloadNewConfig()
        #expect(store.isWritten(2))
        #expect(fixture.launch().config.status.throttledUntil != nil)
        fixture.time.advance(by: 4 * 3_600)
        try await launch.config.downloadNewConfig()
        #expect(store.isWritten(3))
        let next = fixture.launch(Self.always(Self.failure))
        #expect(next.config.status.throttledUntil == nil)
    }

    @Test func theEndOfAMarkAsStaleIsWrittenAtOnce() async throws {
        let store = CountingStore()
        let fixture = UpdatesFixture(store)
        let launch = fixture.launch(Self.always())
        try await launch.config.downloadNewConfig()
        await launch.config.markStale()
        try await launch.config.downloadNewConfig()
        #expect(store.isWritten(3))
        #expect(fixture.launch().config.status.freshness == .upToDate)
    }

    /// As when an app's extension marks the configuration as stale while the app runs.
    @Test(arguments: [FetchPolicy.always, .make(minimumInterval: .seconds(3_600))])
    func aMarkOfAnotherProcessIsSeenAndKept(policy: FetchPolicy) async throws {
        let folder = TemporaryFolder()
        func launch(_ time: DeviceTime) -> CoordinatorFixture {
            var options = ActiveConfigOptions()
            options.fetchPolicy = policy
            // A separate store, which shares only the files.
            return .make(
                Self.always(), store: FileDefaultsStore(directory: folder.url),
                now: { time.now }, options: options)
        }
        let time = DeviceTime()
        let app = launch(time)
        for userID in ["A", "B"] {
            try await app.config.configuration(forUserID: userID).download()
        }
        await launch(time).config.markStale()
        let result = try await app.config.configuration(forUserID: "A").download()
        #expect(result.outcome != .withinInterval)
        #expect(app.downloader.requests.count == 3)
        // Later writes do not replace the mark, which is still set for B.
        for _ in 0..<3 {
            time.advance(by: 61)
            await app.config.activate()
            _ = try? await app.config.downloadNewConfig()
        }
        let next = launch(time)
        next.config.currentUserID = "A"
        #expect(next.config.status.freshness == .upToDate)
        next.config.currentUserID = "B"
        #expect(next.config.status.freshness != .upToDate)
    }

    @Test(arguments: [ActivationPolicy.immediate, .manual])
    func whatIsPushedCountsAsADownload(activation: ActivationPolicy) async throws {
        let fixture = UpdatesFixture(activation: activation)
        let launch = fixture.launch(Self.always())
        let config = launch.config
        try await config.downloadNewConfig()
        _ = await config.activate()
        fixture.time.advance(by: 100)
        #expect(config.age == .seconds(100))
        let pushed = ConfigurationState.titled(["Home": "b"], entityTag: "\"2\"")
        _ = await config.downloads.push(to: .generic) { _ in .apply(pushed) }
        let last = try #require(config.status.lastDownload)
        #expect(last.outcome == .pushed && last.time == fixture.time.now)
        if activation == .immediate {
            #expect(config.age == .zero)
            #expect(config.status.freshness == .upToDate)
        } else {
            // The active document is as old as before, and a newer one is pending.
            #expect(config.age == .seconds(100))
            #expect(config.status.freshness == .stale(since: fixture.time.now))
        }
        // A push may have been sent before the mark was set.
        await config.markStale()
        _ = await config.downloads.push(to: .generic) { held in held.map { .apply($0) } ?? .skip }
        #expect(config.status.freshness != .upToDate)
    }

    @Test func whatWaitsIsWrittenWhenItIsTimeOrTheConfigurationIsReleased() async throws {
        for delay in [DispatchTimeInterval.milliseconds(1), .seconds(60)] {
            let (store, time) = (CountingStore(), DeviceTime())
            func history() -> DownloadHistory {
                DownloadHistory(
                    store: store, policy: .always, now: { time.now }, log: .disabled,
                    writeDelay: delay)
            }
            var first: DownloadHistory? = history()
            let request = try #require(first).request(of: .generic, "")
            for _ in 0..<2 {
                time.advance(by: 1)
                first?.noteSuccess(
                    of: request, .notModified, after: .zero, isActive: true)
            }
            if delay == .seconds(60) {
                #expect(history().last?.time == time.now.addingTimeInterval(-1))
                first = nil
            }
            for await _ in store.writes.stream where history().last?.time == time.now { break }
            #expect(history().last?.time == time.now)
            _ = first
        }
    }

    /// A history with its own view of the store, as in a separate process.
    private func history(
        _ store: InMemoryStore, _ time: DeviceTime, _ policy: FetchPolicy = .always
    ) -> DownloadHistory {
        DownloadHistory(store: store, policy: policy, now: { time.now }, log: .disabled)
    }

    @Test func whoIsForgottenIsNotWrittenLater() throws {
        let (store, time) = (InMemoryStore(), DeviceTime())
        let history = history(store, time, .make())
        func note(_ userID: String) {
            time.advance(by: 1)
            history.noteSuccess(
                of: history.request(of: UserID(userID), ""), .downloaded, after: .zero,
                isActive: true)
        }
        note("0")
        // Not written yet.
        note("1")
        try history.forget(UserID("1"))
        #expect(history.time(of: UserID("1")) == nil)
        time.advance(by: 60)
        note("2")
        let record = try #require(store.clientState(named: "downloads"))
        let text = String(decoding: record, as: UTF8.self)
        #expect(text.contains(UserID("2").digest) && !text.contains(UserID("1").digest))
    }

    @Test func theRefusalOfWhoIsForgottenIsForgotten() throws {
        let history = history(InMemoryStore(), DeviceTime(), .make())
        let error = DownloadError(.httpStatus, status: 403)
        for isRepeated in [false, true] {
            for user in ["1", "2"] {
                #expect(history.noteRejection(error, of: UserID(user)) == isRepeated)
            }
        }
        try history.forget(UserID("2"))
        #expect(history.noteRejection(error, of: UserID("1")))
        #expect(!history.noteRejection(error, of: UserID("2")))
    }

    @Test(arguments: [false, true])
    func whatAnotherProcessHasDownloadedSinceStays(isMarked: Bool) {
        let (store, time) = (InMemoryStore(), DeviceTime())
        let (app, other) = (history(store, time), history(store, time))
        func note(_ history: DownloadHistory, _ outcome: DownloadOutcome) {
            history.refresh()
            history.noteSuccess(
                of: history.request(of: .generic, ""), outcome, after: .zero, isActive: true)
        }
        note(app, .downloaded)
        time.advance(by: 1)
        note(app, .notModified)
        time.advance(by: 1)
        if isMarked { other.markStale() }
        note(other, .downloaded)
        let newest = time.now
        // The clock is set back, and entries from before the other process's download are written.
        if isMarked { time.advance(by: -60) } else { time.advance(by: 60) }
        app.noteActivation(of: UserID("unknown"))
        #expect(app.time(of: .generic) == newest)
        #expect(history(store, time).time(of: .generic) == newest)
    }

    @Test func aProcessThatIsKilledLeavesWhatALaterLaunchNeeds() async throws {
        for mode in ["downloads", "failures"] {
            let folder = TemporaryFolder()
            let path = folder.url.path(percentEncoded: false)
            let probe = try StoreProbeProcess([mode, path])
            #expect(probe.nextLine() == "1")
            #expect(probe.nextLine() == "2")
            _ = probe.kill()
            var options = ActiveConfigOptions()
            options.fetchPolicy = .minimumInterval(.seconds(3_600))
            let launch = CoordinatorFixture.make(
                Self.always(), store: FileDefaultsStore(directory: folder.url), options: options)
            if mode == "downloads" {
                #expect(
                    try await launch.config.downloadNewConfig().outcome == .withinInterval)
            } else {
                let error = await #expect(throws: DownloadError.self) {
                    try await launch.config.downloadNewConfig()
                }
                #expect(error?.code == .throttled)
            }
            #expect(launch.downloader.requests.isEmpty)
        }
    }
}
