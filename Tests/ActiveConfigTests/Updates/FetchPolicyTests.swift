import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// The times at which the server is asked, across launches.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct FetchPolicyTests {
    private static let hour = TimeInterval(60 * 60)
    private static let year = 365 * 24 * hour
    private static let document = ScriptedDownloader.Answer.configuration(
        .titled(["Home": "a"], entityTag: "\"1\""))

    private static func always(
        _ answer: ScriptedDownloader.Answer = document
    ) -> ScriptedDownloader {
        ScriptedDownloader { _ in answer }
    }

    private static func failure(
        _ status: Int, retryAfter: Duration? = nil
    ) -> ScriptedDownloader.Answer {
        .failure(DownloadError(.httpStatus, status: status, retryAfter: retryAfter))
    }

    private func error(of launch: CoordinatorFixture) async -> DownloadError? {
        do {
            try await launch.config.downloadNewConfig()
            return nil
        } catch {
            return error as? DownloadError
        }
    }

    @Test func byDefaultEveryDownloadAsksWhateverFailedBefore() async throws {
        let fixture = UpdatesFixture()
        let launch = fixture.launch(Self.always(Self.failure(503, retryAfter: .seconds(600))))
        for number in 1...3 {
            #expect(await error(of: launch)?.status == 503)
            #expect(launch.downloader.requests.count == number)
        }
        #expect(launch.config.status.throttledUntil == nil)
        let other = fixture.launch(Self.always())
        for _ in 1...3 { try await other.config.downloadNewConfig() }
        #expect(other.downloader.requests.count == 3)
    }

    @Test func withinTheIntervalADownloadSucceedsWithoutARequest() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(12 * 3_600)))
        let launch = fixture.launch(Self.always())
        #expect(try await launch.config.downloadNewConfig().outcome == .downloaded)
        fixture.time.advance(by: 12 * Self.hour - 1)
        launch.drain()
        let recorder = NotificationRecorder(of: launch.config, in: launch.center)
        let result = try await launch.config.downloadNewConfig()
        #expect(result.outcome == .withinInterval)
        #expect(result.configurationIsCurrent)
        #expect(result.changedSectionNames.isEmpty)
        launch.drain()
        #expect(
            recorder.entries.map(\.name) == [ActiveConfig.downloadUpdateFinishedNotification])
        // A new launch is still within the interval.
        let next = fixture.launch(Self.always())
        #expect(try await next.config.downloadNewConfig().outcome == .withinInterval)
        #expect(next.config.diagnostics.source(of: SettingPath("Home", "title")) == .stored)
        fixture.time.advance(by: 1)
        #expect(try await next.config.downloadNewConfig().outcome == .downloaded)
        #expect(launch.downloader.requests.count == 1)
        #expect(next.downloader.requests.count == 1)
    }

    @Test func aDownloadThatIgnoresTheIntervalAsksForThisUserOnly() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(3_600)))
        let launch = fixture.launch(Self.always())
        let (config, other) = (launch.config, launch.config.configuration(forUserID: "B"))
        try await config.downloadNewConfig()
        try await other.download()
        fixture.time.advance(by: 1_800)
        #expect(
            try await config.downloadNewConfig(ignoringInterval: false).outcome == .withinInterval)
        #expect(try await config.downloadNewConfig(ignoringInterval: true).outcome == .downloaded)
        #expect(try await other.download().outcome == .withinInterval)
        #expect(try await other.download(ignoringInterval: false).outcome == .withinInterval)
        #expect(launch.downloader.requests.map(\.userID) == [nil, "B", nil])
        // The interval has started anew.
        fixture.time.advance(by: 1_801)
        #expect(try await config.downloadNewConfig().outcome == .withinInterval)
        #expect(try await other.download(ignoringInterval: true).outcome == .downloaded)
        #expect(launch.downloader.requests.map(\.userID) == [nil, "B", nil, "B"])
    }

    @Test func aDownloadThatIgnoresTheIntervalStillWaitsAfterAFailure() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(3_600)))
        let isFailing = Locked(false)
        let launch = fixture.launch(
            ScriptedDownloader { _ in
                isFailing.withLock { $0 }
                    ? Self.failure(503, retryAfter: .seconds(600)) : Self.document
            })
        try await launch.config.downloadNewConfig()
        isFailing.withLock { $0 = true }
        await #expect(throws: DownloadError.self) {
            try await launch.config.downloadNewConfig(ignoringInterval: true)
        }
        let error = await #expect(throws: DownloadError.self) {
            try await launch.config.downloadNewConfig(ignoringInterval: true)
        }
        #expect(error?.code == .throttled)
        #expect(launch.downloader.requests.count == 2)
    }

    @Test @MainActor
    func aDownloadThatIgnoresTheIntervalAsksAfterOneItJoinedDidNot() async throws {
        let isHeld = Locked(false)
        let (hasBegun, begin) = AsyncStream.makeStream(of: Void.self)
        let mayEnd = DispatchSemaphore(value: 0)
        let fixture = UpdatesFixture(
            fetchPolicy: .make(
                minimumInterval: .seconds(3_600),
                version: {
                    if isHeld.withLock({ $0 }) {
                        isHeld.withLock { $0 = false }
                        begin.finish()
                        mayEnd.wait()
                    }
                    return "1.0 1"
                }))
        let launch = fixture.launch(Self.always())
        let config = launch.config
        try await config.downloadNewConfig()
        isHeld.withLock { $0 = true }
        let first = Task { try await config.downloadNewConfig() }
        for await _ in hasBegun {}
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let second = Task {
            turn.finish()
            return try await config.downloadNewConfig(ignoringInterval: true)
        }
        // Runs on once the second caller, also on the main actor, is suspended: it has joined.
        for await _ in turns {}
        mayEnd.signal()
        #expect(try await first.value.outcome == .withinInterval)
        #expect(try await second.value.outcome == .downloaded)
        #expect(launch.downloader.requests.count == 2)
    }

    @Test @MainActor
    func aDownloadThatIgnoresTheIntervalAsksAfterADocumentThatWasReceived() async throws {
        let (hasBegun, begin) = AsyncStream.makeStream(of: Void.self)
        let vetting = HeldVetting(begin: begin)
        let downloader = ScriptedDownloader(
            .configuration(.make(sections: ["Home": ["title": "asked"]])))
        let config = ActiveConfig.make(
            downloader: downloader, options: ActiveConfigOptions(vetting: [vetting]))
        let user = config.configuration(forUserID: nil)
        let first = Task {
            try await user.receive(.make(sections: ["Home": ["title": "received"]]))
        }
        for await _ in hasBegun {}
        let (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let second = Task {
            turn.finish()
            return try await config.downloadNewConfig(ignoringInterval: true)
        }
        // As above: the second caller has joined.
        for await _ in turns {}
        vetting.mayEnd.signal()
        _ = try await first.value
        #expect(try await second.value.outcome == .downloaded)
        #expect(downloader.requests.count == 1)
        #expect(config["Home"]?.string(forKey: "title") == "asked")
    }

    /// Holds its first decision until ``mayEnd`` is signaled.
    private struct HeldVetting: ConfigurationVetting {
        let begin: AsyncStream<Void>.Continuation
        let mayEnd = DispatchSemaphore(value: 0)
        private let isHeld = Locked(true)

        init(begin: AsyncStream<Void>.Continuation) { self.begin = begin }

        func vet(_ candidate: ConfigurationCandidate) -> VettingVerdict {
            let isFirst = isHeld.withLock { isHeld in
                defer { isHeld = false }
                return isHeld
            }
            if isFirst {
                begin.finish()
                mayEnd.wait()
            }
            return .accept
        }
    }

    @Test func policiesAreEqualWhenIntervalAndWaitsAre() {
        #expect(FetchPolicy.firebase == .minimumInterval(.seconds(12 * 60 * 60)))
        #expect(FetchPolicy.always != .minimumInterval(.zero))
        #expect(FetchPolicy.firebase != .minimumInterval(.seconds(1)))
        #expect(FetchPolicy.Backoff() == FetchPolicy.Backoff(initial: .seconds(120)))
        #expect(FetchPolicy.Backoff() != FetchPolicy.Backoff(initial: .seconds(60)))
        #expect(FetchPolicy.Backoff() != FetchPolicy.Backoff(maximum: .seconds(200)))
    }

    @Test func eachUserHasAnIntervalOfTheirOwn() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(3_600)))
        let launch = fixture.launch(Self.always())
        for userID in ["A", "B", "A", "B", nil] {
            launch.config.currentUserID = userID
            try await launch.config.downloadNewConfig()
        }
        #expect(launch.downloader.requests.map(\.userID) == ["A", "B", nil])
        // A user who was forgotten has no document that could be fresh enough.
        launch.config.currentUserID = "A"
        try await launch.config.forgetUser("A")
        #expect(try await launch.config.downloadNewConfig().outcome == .downloaded)
    }

    @Test func aStoreThatLostTheDocumentIsNotWithinTheInterval() async throws {
        let store = InMemoryStore()
        let fixture = UpdatesFixture(store, fetchPolicy: .make(minimumInterval: .seconds(3_600)))
        try await fixture.launch(Self.always()).config.downloadNewConfig()
        store.persistConfiguration(nil, forUserID: nil)
        let next = fixture.launch(Self.always())
        #expect(try await next.config.downloadNewConfig().outcome == .downloaded)
    }

    @Test(arguments: ["version", "signals", "mark"])
    func aChangeOfWhatTheAnswerDependsOnEndsTheInterval(cause: String) async throws {
        let version = Locked("1.0 1")
        let digest = Locked("d1")
        let fixture = UpdatesFixture(
            fetchPolicy: .make(
                minimumInterval: .seconds(3_600), version: { version.withLock { $0 } }))
        let downloader = Self.always()
        let config = ActiveConfig(
            configDownloader: DigestedDownloader(base: downloader, digest: digest),
            configStore: fixture.store, notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "listeners"), options: fixture.options,
            clock: ManualClock(), now: { fixture.time.now })
        try await config.downloadNewConfig()
        #expect(try await config.downloadNewConfig().outcome == .withinInterval)
        switch cause {
        case "version": version.withLock { $0 = "1.0 2" }
        case "signals": digest.withLock { $0 = "d2" }
        default: await config.markStale()
        }
        #expect(config.status.freshness == .stale(since: fixture.time.now))
        #expect(try await config.downloadNewConfig().outcome == .downloaded)
        #expect(try await config.downloadNewConfig().outcome == .withinInterval)
        #expect(downloader.requests.count == 2)
        #expect(config.status.freshness == .upToDate)
    }

    @Test func theMarkAsStaleIsKeptForEachUserAndAcrossLaunches() async throws {
        let folder = TemporaryFolder()
        let fixture = UpdatesFixture(
            FileDefaultsStore(directory: folder.url),
            fetchPolicy: .make(minimumInterval: .seconds(3_600)))
        let first = fixture.launch(Self.always())
        for userID in ["A", "B"] {
            first.config.currentUserID = userID
            try await first.config.downloadNewConfig()
        }
        await first.config.markStale()
        let second = fixture.launch(Self.always())
        for userID in ["A", "A", "B", "B"] {
            second.config.currentUserID = userID
            try await second.config.downloadNewConfig()
        }
        #expect(second.downloader.requests.map(\.userID) == ["A", "B"])
    }

    @Test func aDownloadThatWasRunningDoesNotTakeTheMarkAway() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(3_600)))
        let launch = fixture.launch(ScriptedDownloader { $0.number == 1 ? .held : Self.document })
        let download = Task { try await launch.config.downloadNewConfig() }
        try await launch.downloader.waitForRequests(1)
        await launch.config.markStale()
        launch.downloader.answer(1, with: Self.document)
        _ = try await download.value
        #expect(launch.config.status.freshness == .stale(since: fixture.time.now))
        #expect(try await launch.config.downloadNewConfig().outcome == .downloaded)
    }

    @Test func afterAFailureDownloadsAreThrottledAcrossLaunches() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(Self.always(Self.failure(503)))
        #expect(await error(of: launch)?.code == .httpStatus)
        let until = try #require(launch.config.status.throttledUntil)
        #expect(until > fixture.time.now && until <= fixture.time.now + 120)
        let throttled = await error(of: launch)
        #expect(throttled?.code == .throttled)
        let rest = try #require(throttled?.retryAfter)
        #expect(rest > .zero && rest <= .seconds(120))
        let next = fixture.launch(Self.always())
        #expect(await error(of: next)?.code == .throttled)
        #expect(next.config.status.throttledUntil == until)
        #expect(next.downloader.requests.isEmpty)
        fixture.time.advance(by: until.timeIntervalSince(fixture.time.now))
        #expect(next.config.status.throttledUntil == nil)
        #expect(try await next.config.downloadNewConfig().outcome == .downloaded)
        // A success ends the series of failures.
        #expect(next.config.status.throttledUntil == nil)
    }

    @Test(
        arguments: [
            (.seconds(600), 600...660), (.seconds(1_000_000_000), 14_400...15_840),
            (.zero, 0...120), (.seconds(-5), 0...120), (nil, 0...120),
        ] as [(Duration?, ClosedRange<TimeInterval>)])
    func retryAfterMakesTheWaitLonger(
        retryAfter: Duration?, seconds: ClosedRange<TimeInterval>
    ) async throws {
        for status in [408, 429, 500, 503] {
            let fixture = UpdatesFixture(fetchPolicy: .make())
            let launch = fixture.launch(Self.always(Self.failure(status, retryAfter: retryAfter)))
            #expect(await error(of: launch)?.status == status)
            let until = try #require(launch.config.status.throttledUntil)
            #expect(seconds.contains(until.timeIntervalSince(fixture.time.now)))
        }
    }

    @Test func aRefusalIsLoggedOnceAndTheNextDownloadAsks() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(Self.always(Self.failure(403)))
        for number in 1...5 {
            #expect(await error(of: launch)?.status == 403)
            #expect(launch.config.status.throttledUntil == nil)
            #expect(launch.downloader.requests.count == number)
        }
        #expect(launch.log.messages(ofLevel: .warning).count == 1)
    }

    @Test func theRefusalsOfSeveralUsersHoldNobodyBack() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let downloader = ScriptedDownloader { request in
            switch request.userID {
            case "A": Self.failure(403)
            case "B": Self.failure(404)
            default: Self.document
            }
        }
        for _ in 1...2 {
            let launch = fixture.launch(downloader)
            for userID in ["A", "B", "C", "A", "B", "C"] {
                launch.config.currentUserID = userID
                _ = try? await launch.config.downloadNewConfig()
                #expect(launch.config.status.throttledUntil == nil)
            }
            // One for each refused user.
            #expect(launch.log.messages(ofLevel: .warning).count == 2)
        }
        #expect(downloader.requests.count == 12)
    }

    @Test func aFailureOfTheServerHoldsForAllUsers() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(Self.always(Self.failure(503, retryAfter: .seconds(60))))
        #expect(await error(of: launch)?.status == 503)
        launch.config.currentUserID = "B"
        await launch.config.markStale()
        #expect(await error(of: launch)?.code == .throttled)
        #expect(launch.downloader.requests.count == 1)
    }

    @Test(arguments: [DownloadError.Code.cannotConnect, .noCredentials, .notHTTP])
    func aFailureBeforeTheServerIsReachedDoesNotThrottle(code: DownloadError.Code) async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(Self.always(.failure(DownloadError(code))))
        for number in 1...3 {
            #expect(await error(of: launch)?.code == code)
            #expect(launch.downloader.requests.count == number)
        }
        #expect(launch.config.status.throttledUntil == nil)
    }

    @Test func aDocumentThatCannotBeUsedThrottles() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(Self.always(.configuration(.make(sections: [:]))))
        await #expect(throws: ConfigurationFormatError.self) {
            try await launch.config.downloadNewConfig()
        }
        #expect(launch.config.status.throttledUntil != nil)
    }

    @Test("Setting the clock by a year neither extends the interval nor hides its end")
    func aClockThatIsSetDoesNotProlongTheInterval() async throws {
        for seconds in [-Self.year, Self.year] {
            let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(3_600)))
            let launch = fixture.launch(Self.always())
            try await launch.config.downloadNewConfig()
            fixture.time.advance(by: seconds)
            #expect(try await launch.config.downloadNewConfig().outcome == .downloaded)
            #expect(try await launch.config.downloadNewConfig().outcome == .withinInterval)
            fixture.time.advance(by: -seconds)
            #expect(try await launch.config.downloadNewConfig().outcome == .downloaded)
        }
    }

    @Test("A wait restarts once when the clock is set back by a year")
    func aClockThatIsSetBackRestartsTheWaitOnce() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(
            ScriptedDownloader {
                $0.number == 1 ? Self.failure(503, retryAfter: .seconds(600)) : Self.document
            })
        #expect(await error(of: launch)?.status == 503)
        fixture.time.advance(by: -Self.year)
        let until = try #require(launch.config.status.throttledUntil)
        let wait = until.timeIntervalSince(fixture.time.now)
        #expect((600...660).contains(wait))
        #expect(await error(of: launch)?.code == .throttled)
        fixture.time.advance(by: wait - 1)
        #expect(await error(of: launch)?.code == .throttled)
        fixture.time.advance(by: -Self.year)
        #expect(try await launch.config.downloadNewConfig().outcome == .downloaded)
    }

    @Test("A wait ends when the clock is set forward by a year, and the next failure starts one")
    func aClockThatIsSetForwardEndsTheWait() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(Self.always(Self.failure(503)))
        #expect(await error(of: launch)?.status == 503)
        fixture.time.advance(by: Self.year)
        #expect(await error(of: launch)?.status == 503)
        #expect(await error(of: launch)?.code == .throttled)
        #expect(launch.downloader.requests.count == 2)
    }

    /// Nor does it contain a key or a token; `RequestTests` checks errors.
    @Test func noMessageOfTheLogNamesAUser() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(), activation: .manual)
        let server = try LoopbackServer { request in
            request.target.contains("fail")
                ? LoopbackServer.response(503)
                : LoopbackServer.response(
                    body: #"{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#)
        }
        defer { server.stop() }
        let log = RecordingLog()
        var options = fixture.options
        options.log = log.log
        let config = ActiveConfig(
            configDownloader: JSONURLDownloader(
                backend: ActiveConfigBackend(
                    url: try server.url("/"), credentials: .apiKey("k3y-secret"))),
            configStore: fixture.store, notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "listeners"), options: options,
            clock: ManualClock())
        for userID in ["person-17", "person-17-fails"] {
            config.currentUserID = userID
            _ = try? await config.fetchAndActivate()
            _ = try? await config.fetchAndActivate()
            try await config.forgetUser(userID)
        }
        #expect(log.messages.count >= 8)
        for message in log.messages {
            #expect(!message.text.contains("person-17") && !message.text.contains("secret"))
        }
    }

    @Test func aThrottledDownloadIsReportedAndIsNoRequest() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(Self.always(Self.failure(503)))
        #expect(await error(of: launch)?.status == 503)
        let record = launch.config.status.lastDownload
        launch.drain()
        let recorder = NotificationRecorder(of: launch.config, in: launch.center)
        #expect(await error(of: launch)?.code == .throttled)
        launch.drain()
        #expect(recorder.entries.map(\.name) == [ActiveConfig.downloadFailedNotification])
        #expect(launch.config.status.lastDownload == record)
    }
}
