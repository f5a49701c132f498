import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

/// Downloads after a 401, 403, 404 or another 4xx: the next call asks the server again, and the log
/// repeats no warning.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RefusalTests {
    private static let document = ScriptedDownloader.Answer.configuration(.titled(["Home": "a"]))
    private static let policies = [FetchPolicy.always, .make()]

    private static func failure(
        _ status: Int, retryAfter: Duration? = nil
    ) -> ScriptedDownloader.Answer {
        .failure(DownloadError(.httpStatus, status: status, retryAfter: retryAfter))
    }

    /// A downloader with an answer for each request; the last one is repeated.
    private static func script(_ answers: ScriptedDownloader.Answer...) -> ScriptedDownloader {
        ScriptedDownloader { answers[min($0.number, answers.count) - 1] }
    }

    private func error(
        of config: ActiveConfig, userID: String? = nil
    ) async -> DownloadError? {
        do {
            try await config.configuration(forUserID: userID).download()
            return nil
        } catch {
            return error as? DownloadError
        }
    }

    /// `retryAfter` is a number of seconds.
    @Test(arguments: [400, 401, 403, 404, 410, 421, 499], [nil, 3_600])
    func theNextCallAsksAgain(status: Int, retryAfter: Int?) async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make(minimumInterval: .seconds(3_600)))
        for _ in 1...2 {
            let launch = fixture.launch(
                Self.script(Self.failure(status, retryAfter: retryAfter.map { .seconds($0) })))
            for number in 1...3 {
                let refused = await error(of: launch.config)
                #expect(refused?.code == .httpStatus && refused?.status == status)
                #expect(refused?.retryAfter == retryAfter.map { .seconds($0) })
                #expect(launch.downloader.requests.count == number)
                #expect(launch.config.status.throttledUntil == nil)
            }
        }
        let launch = fixture.launch(Self.script(Self.document))
        #expect(try await launch.config.downloadNewConfig().outcome == .downloaded)
    }

    /// Nothing but the server has changed.
    @Test(arguments: [401, 403, 404])
    func aRefusalThatTheServerTakesBackEndsWithTheNextCall(status: Int) async throws {
        let isRefusing = Locked(true)
        let server = try LoopbackServer { _ in
            isRefusing.withLock { $0 }
                ? LoopbackServer.response(status)
                : LoopbackServer.response(
                    body: #"{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#)
        }
        defer { server.stop() }
        let backend = ActiveConfigBackend(url: try server.url("/"), credentials: .apiKey("key"))
        let config = ActiveConfig.make(
            downloader: JSONURLDownloader(backend: backend),
            options: ActiveConfigOptions(fetchPolicy: .make(), log: .disabled))
        for _ in 1...3 { #expect(await error(of: config)?.status == status) }
        isRefusing.withLock { $0 = false }
        #expect(try await config.downloadNewConfig().outcome == .downloaded)
        #expect(server.requests.count == 4)
    }

    /// The wait of an earlier failure of the server is neither ended nor prolonged.
    @Test func aRefusalLeavesTheWaitOfAFailure() throws {
        let (store, time) = (InMemoryStore(), DeviceTime())
        let history = DownloadHistory(
            store: store, policy: .make(), now: { time.now }, log: .disabled)
        func fail(_ status: Int, retryAfter: Duration?) {
            history.noteFailure(
                of: history.request(of: .generic, ""),
                DownloadError(.httpStatus, status: status, retryAfter: retryAfter), after: .zero)
        }
        fail(503, retryAfter: .seconds(600))
        let end = try #require(history.waitEnd)
        time.advance(by: 100)
        fail(403, retryAfter: .seconds(3_600))
        #expect(history.waitEnd == end)
    }

    @Test func noTokenIsRequestedForADownloadThatHasToWait() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(503, headers: ["Retry-After": "600"])
        }
        defer { server.stop() }
        let count = Locked(0)
        let credentials = ClientCredentials.userToken { _ in
            count.withLock { $0 += 1 }
            return "token"
        }
        let backend = ActiveConfigBackend(url: try server.url("/"), credentials: credentials)
        let config = ActiveConfig.make(
            downloader: JSONURLDownloader(backend: backend),
            options: ActiveConfigOptions(fetchPolicy: .make(), log: .disabled))
        #expect(await error(of: config)?.status == 503)
        credentials.tokensDidChange()
        #expect(await error(of: config)?.code == .throttled)
        #expect(config.status.throttledUntil != nil)
        #expect(count.withLock { $0 } == 1)
    }

    @Test(arguments: policies)
    func equalRefusalsAreOneWarningUntilASuccess(policy: FetchPolicy) async throws {
        let launch = UpdatesFixture(fetchPolicy: policy).launch(
            Self.script(
                Self.failure(403), Self.failure(403), Self.failure(404), Self.failure(404),
                Self.document, Self.failure(404), Self.failure(404)))
        let numbers = [1, 1, 2, 2, 2, 3, 3]
        for (index, number) in numbers.enumerated() {
            _ = await error(of: launch.config)
            #expect(launch.log.messages(ofLevel: .warning).count == number, "call \(index)")
        }
        #expect(launch.log.messages(ofLevel: .info).count { $0.contains("status 40") } == 3)
        #expect(launch.downloader.requests.count == numbers.count)
    }

    @Test(arguments: policies)
    func eachUserHasAWarning(policy: FetchPolicy) async throws {
        let launch = UpdatesFixture(fetchPolicy: policy).launch(Self.script(Self.failure(403)))
        for userID in ["A", "B", "A", "B", nil] {
            #expect(await error(of: launch.config, userID: userID)?.status == 403)
        }
        #expect(launch.log.messages(ofLevel: .warning).count == 3)
    }

    @Test func aFailureOfTheServerAndAWaitKeepARefusalReported() async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(
            Self.script(
                Self.failure(403), Self.failure(503, retryAfter: .seconds(600)),
                Self.failure(403)))
        #expect(await error(of: launch.config)?.status == 403)
        #expect(await error(of: launch.config)?.status == 503)
        #expect(await error(of: launch.config)?.code == .throttled)
        fixture.time.advance(by: 700)
        #expect(await error(of: launch.config)?.status == 403)
        let warnings = launch.log.messages(ofLevel: .warning)
        #expect(warnings.count == 2, "\(warnings)")
    }

    @Test func aCancelledDownloadKeepsARefusalReported() async throws {
        let launch = UpdatesFixture().launch(
            ScriptedDownloader { $0.number == 2 ? .held : Self.failure(403) })
        let config = launch.config
        #expect(await error(of: config)?.status == 403)
        let download = Task { try await config.downloadNewConfig() }
        try await launch.downloader.waitForRequests(2)
        download.cancel()
        await #expect(throws: CancellationError.self) { try await download.value }
        #expect(await error(of: config)?.status == 403)
        let warnings = launch.log.messages(ofLevel: .warning)
        #expect(warnings.count == 1, "\(warnings)")
    }

    @Test(arguments: [408, 429, 503])
    func theErrorOfAWaitNamesItsCauseAndItsEnd(status: Int) async throws {
        let fixture = UpdatesFixture(fetchPolicy: .make())
        let launch = fixture.launch(Self.script(Self.failure(status)))
        #expect(await error(of: launch.config)?.status == status)
        // Also in a later launch.
        let throttled = try #require(await error(of: fixture.launch().config))
        #expect(throttled.code == .throttled && throttled.status == status)
        let seconds = Int(try #require(throttled.retryAfter).inSeconds.rounded(.up))
        for part in [
            "status \(status)", "in \(seconds) second", "markStale() does not end the wait",
        ] {
            #expect(throttled.description.contains(part), "\(throttled)")
        }
    }

    @Test func theRecordHasNothingOfARefusedRequest() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(403) }
        defer { server.stop() }
        let store = InMemoryStore()
        let backend = ActiveConfigBackend(url: try server.url("/"), credentials: .apiKey("weak"))
        let config = ActiveConfig.make(
            downloader: JSONURLDownloader(backend: backend), store: store,
            options: ActiveConfigOptions(fetchPolicy: .make(), log: .disabled))
        #expect(await error(of: config)?.status == 403)
        let record = try #require(store.clientState(named: "downloads"))
        #expect(!String(decoding: record, as: UTF8.self).contains("weak"))
        let object = try #require(try SettingValue(jsonData: record).dictionaryValue)
        #expect(Set(object.keys) == ["last", "fetches", "staleCount", "failureCount"])
        #expect(object["failureCount"] == 0)
    }

    @Test func downloadsWaitAsLongAsTheServerAsksAnUpdaterTo() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(503, headers: ["Retry-After": "7200"])
        }
        defer { server.stop() }
        let (backend, time) = (ActiveConfigBackend(url: try server.url("/")), DeviceTime())
        let config = ActiveConfig(
            configDownloader: JSONURLDownloader(backend: backend), configStore: InMemoryStore(),
            notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "listeners"),
            options: ActiveConfigOptions(fetchPolicy: .make(), log: .disabled),
            clock: ManualClock(), now: { time.now })
        let updater = ActiveConfigUpdater(config, source: URLSessionEventSource(backend: backend))
        updater.start()
        defer { updater.stop() }
        for await update in updater.updates {
            if case .state(.waiting, _) = update { break }
        }
        let end = try #require(config.status.throttledUntil)
        #expect(end.timeIntervalSince(time.now) >= 7_200)
        #expect(await error(of: config)?.code == .throttled)
        #expect(server.requests.count == 1)
    }

    /// An updater waits by itself after a refusal, and holds no download of the app back.
    @Test func anUpdaterThatIsRefusedWaitsAloneAndHasAWarningOfItsOwn() async throws {
        let launch = UpdatesFixture(fetchPolicy: .make()).launch(Self.script(Self.failure(403)))
        let (config, clock, attempts) = (launch.config, ManualClock(), Locked(0))
        let source = PreparedSource { userID in
            PreparedConnection(userID) { _ in
                attempts.withLock { $0 += 1 }
                throw DownloadError(.httpStatus, status: 403)
            }
        }
        let updater = ActiveConfigUpdater.make(
            config, source: source, users: .fixed([nil]), clock: clock)
        let run = Task { await updater.run() }
        for await update in updater.updates {
            if case .state(.waiting, _) = update { break }
        }
        #expect(config.status.throttledUntil == nil)
        for number in 1...3 {
            #expect(await error(of: config)?.status == 403)
            #expect(launch.downloader.requests.count == number)
        }
        // Its clock stands still.
        #expect(attempts.withLock { $0 } == 1)
        run.cancel()
        _ = await run.value
        let warnings = launch.log.messages(ofLevel: .warning)
        #expect(warnings.count == 2, "\(warnings)")
    }
}
