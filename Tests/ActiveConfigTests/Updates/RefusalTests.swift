import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Duration of waits after a 401, 403 or 404: they apply to the same URL and credentials, and last
/// only minutes if the cause may be temporary.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RefusalTests {
    private static let document =
        #"{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#

    private let store = InMemoryStore()
    private let time = DeviceTime()

    /// A launch of the app whose fetch policy draws waits with a seed.
    private func launch(
        _ downloader: any ActiveConfigDownloader, seed: UInt64 = 1
    ) -> ActiveConfig {
        let options = ActiveConfigOptions(fetchPolicy: .make(seed: seed), log: .disabled)
        return ActiveConfig(
            configDownloader: downloader, configStore: store,
            notificationCenter: NotificationCenter(),
            listenerQueue: DispatchQueue(label: "listeners"), options: options,
            clock: ManualClock(), now: { [time] in time.now })
    }

    private func error(of config: ActiveConfig) async -> DownloadError? {
        do {
            try await config.downloadNewConfig()
            return nil
        } catch {
            return error as? DownloadError
        }
    }

    /// A server that returns the document unless `isRefused` is true.
    private static func server(
        _ status: Int, refusing isRefused: @escaping @Sendable (LoopbackServer.Request) -> Bool
    ) throws -> LoopbackServer {
        try LoopbackServer { request in
            isRefused(request)
                ? LoopbackServer.response(status) : LoopbackServer.response(body: document)
        }
    }

    /// Expects a refusal, the wait in this launch and in the next, and its end through the change
    /// in `next`.
    private func expectAnEnd(
        of first: any ActiveConfigDownloader, status: Int, by next: any ActiveConfigDownloader,
        _ server: LoopbackServer
    ) async throws {
        for number in 0..<2 {
            let config = launch(first)
            if number == 0 { #expect(await error(of: config)?.status == status) }
            #expect(await error(of: config)?.code == .throttled)
            #expect(config.status.throttledUntil != nil)
        }
        let count = server.requests.count
        let config = launch(next)
        #expect(try await config.downloadNewConfig().outcome == .downloaded)
        #expect(config.status.throttledUntil == nil)
        #expect(server.requests.count == count + 1)
    }

    @Test(arguments: [401, 403, 404])
    func anotherURLEndsTheWait(status: Int) async throws {
        let server = try Self.server(status) { $0.target.hasPrefix("/wrong") }
        defer { server.stop() }
        func downloader(_ path: String) throws -> JSONURLDownloader {
            JSONURLDownloader(backend: ActiveConfigBackend(url: try server.url(path)))
        }
        try await expectAnEnd(
            of: downloader("/wrong"), status: status, by: downloader("/right"), server)
    }

    @Test(arguments: [401, 403, 404])
    func anotherKeyEndsTheWait(status: Int) async throws {
        let server = try Self.server(status) { $0.headers["x-api-key"] != "right-key" }
        defer { server.stop() }
        func downloader(_ key: String) throws -> JSONURLDownloader {
            JSONURLDownloader(
                backend: ActiveConfigBackend(url: try server.url("/"), credentials: .apiKey(key)))
        }
        try await expectAnEnd(
            of: downloader("wrong-key"), status: status, by: downloader("right-key"), server)
    }

    /// Also before any download of the launch.
    @Test func theEndOfAWaitIsKnownBeforeTheNextDownload() async throws {
        let server = try Self.server(403) { $0.headers["x-api-key"] != "right-key" }
        defer { server.stop() }
        let url = try server.url("/")
        func config(_ key: String) -> ActiveConfig {
            launch(
                JSONURLDownloader(
                    backend: ActiveConfigBackend(url: url, credentials: .apiKey(key))))
        }
        #expect(await error(of: config("wrong-key"))?.status == 403)
        #expect(config("wrong-key").status.throttledUntil != nil)
        #expect(config("right-key").status.throttledUntil == nil)
    }

    @Test(arguments: [401, 403])
    func anotherTokenEndsTheWait(status: Int) async throws {
        let server = try Self.server(status) { $0.headers["authorization"] != "Bearer new" }
        defer { server.stop() }
        let token = Locked("old")
        let backend = ActiveConfigBackend(
            url: try server.url("/"), credentials: .userToken { _ in token.withLock { $0 } })
        let config = launch(JSONURLDownloader(backend: backend))
        #expect(await error(of: config)?.status == status)
        for _ in 0..<3 { #expect(await error(of: config)?.code == .throttled) }
        let count = server.requests.count
        token.withLock { $0 = "new" }
        #expect(try await config.downloadNewConfig().outcome == .downloaded)
        #expect(server.requests.count == count + 1)
    }

    @Test func aRequestOfTheAppsOwnThatChangesEndsTheWait() async throws {
        let server = try Self.server(403) { !$0.target.contains("key=right") }
        defer { server.stop() }
        let url = try server.url("/config").absoluteString
        func downloader(_ key: String) throws -> JSONURLDownloader {
            let url = try #require(URL(string: "\(url)?key=\(key)"))
            return JSONURLDownloader { _ in URLRequest(url: url) }
        }
        try await expectAnEnd(
            of: downloader("wrong"), status: 403, by: downloader("right"), server)
    }

    /// Whatever the reason was, the same token may be accepted now.
    @Test(arguments: [false, true])
    func tokensDidChangeEndsTheWait(isNextLaunch: Bool) async throws {
        let isRefusing = Locked(true)
        let server = try Self.server(403) { _ in isRefusing.withLock { $0 } }
        defer { server.stop() }
        let credentials = ClientCredentials.userToken { _ in "token" }
        let backend = ActiveConfigBackend(url: try server.url("/"), credentials: credentials)
        var config = launch(JSONURLDownloader(backend: backend))
        #expect(await error(of: config)?.status == 403)
        if isNextLaunch { config = launch(JSONURLDownloader(backend: backend)) }
        #expect(await error(of: config)?.code == .throttled)
        isRefusing.withLock { $0 = false }
        #expect(config.status.throttledUntil != nil)
        credentials.tokensDidChange()
        #expect(config.status.throttledUntil == nil)
        #expect(try await config.downloadNewConfig().outcome == .downloaded)
    }

    /// Each request may differ, for example by a request ID.
    @Test func aRequestThatAlwaysDiffersIsHeldBackAllTheSame() async throws {
        let server = try Self.server(403) { _ in true }
        defer { server.stop() }
        let url = try server.url("/")
        let number = Locked(0)
        let config = launch(
            JSONURLDownloader { _ in
                var request = URLRequest(url: url)
                request.setValue(
                    number.withLock { number in
                        number += 1
                        return "\(number)"
                    }, forHTTPHeaderField: "X-Request-ID")
                return request
            })
        for _ in 0..<50 { _ = await error(of: config) }
        #expect(server.requests.count <= 10)
        #expect(config.status.throttledUntil != nil)
    }

    @Test(arguments: [401, 404])
    func aCauseThatMayEndAnyMinuteIsRetriedWithinMinutes(status: Int) async throws {
        var generator = SeededGenerator.printingItsSeed()
        for _ in 0..<100 {
            let config = launch(
                ScriptedDownloader { _ in
                    .failure(DownloadError(.httpStatus, status: status))
                }, seed: generator.next())
            try await config.forgetGenericUser()
            #expect(await error(of: config)?.status == status)
            let end = try #require(config.status.throttledUntil)
            #expect((60...600).contains(end.timeIntervalSince(time.now)))
        }
    }

    @Test(arguments: [(401, true), (403, true), (503, false)])
    func theErrorOfAWaitNamesItsCauseItsEndAndWhatEndsIt(
        status: Int, isRefusal: Bool
    ) async throws {
        let config = launch(
            ScriptedDownloader { _ in .failure(DownloadError(.httpStatus, status: status)) })
        #expect(await error(of: config)?.status == status)
        // Also in a later launch.
        let throttled = try #require(
            await error(of: launch(ScriptedDownloader(.unchanged))))
        #expect(throttled.code == .throttled && throttled.status == status)
        let seconds = Int(try #require(throttled.retryAfter).inSeconds.rounded(.up))
        for part in ["status \(status)", "in \(seconds) second", "markStale()"] {
            #expect(throttled.description.contains(part), "\(throttled)")
        }
        #expect(throttled.description.contains("does not end the wait") == !isRefusal)
    }

    @Test func theRecordHasNothingThatACredentialCouldBeFoundBy() async throws {
        let server = try Self.server(403) { _ in true }
        defer { server.stop() }
        let config = launch(
            JSONURLDownloader(
                backend: ActiveConfigBackend(
                    url: try server.url("/"), credentials: .apiKey("weak"))))
        #expect(await error(of: config)?.status == 403)
        let record = try #require(store.clientState(named: "downloads"))
        #expect(!String(decoding: record, as: UTF8.self).contains("weak"))
        // A fingerprint of 16 bits, of the URL and the key.
        let object = try #require(
            try SettingValue(jsonData: record)["refusals"]?["generic"]?.dictionaryValue)
        #expect(object["fingerprint"]?.stringValue?.utf8.count == 4)
        #expect(
            Set(object.keys) == ["scope", "status", "wait", "fingerprint", "earlyCount"])
    }

    @Test(arguments: [Int.max, Int.min])
    func aDamagedCountOfEarlyRequestsIsBounded(count: Int) async throws {
        let scope = DownloadHistory(
            store: InMemoryStore(), policy: .make(), now: Date.init, log: .disabled
        ).request(of: .generic, "").scope
        let start = time.now.timeIntervalSinceReferenceDate
        let record = """
            {"fetches": {}, "staleCount": 0, "failureCount": 0, "refusals": {"generic": \
            {"scope": "\(scope)", "status": 403, "fingerprint": "0000", "earlyCount": \(count), \
            "wait": {"start": \(start), "seconds": 7200, "isRestarted": false}}}}
            """
        store.updateClientState(named: "downloads") { _ in Data(record.utf8) }
        let server = try Self.server(403) { _ in true }
        defer { server.stop() }
        let credentials = ClientCredentials.apiKey("key")
        let config = launch(
            JSONURLDownloader(
                backend: ActiveConfigBackend(url: try server.url("/"), credentials: credentials)))
        for _ in 1...3 {
            credentials.tokensDidChange()
            #expect(await error(of: config)?.status == 403)
        }
    }

    /// Records of former versions have no fingerprint of the URL and credentials, and have waits of
    /// hours.
    @Test(arguments: [(401, 300.0), (404, 300.0), (403, 7_200.0)])
    func aRefusalInAnOldRecordIsReadAndBounded(status: Int, limit: Double) async throws {
        let scope = DownloadHistory(
            store: InMemoryStore(), policy: .make(), now: Date.init, log: .disabled
        ).request(of: .generic, "").scope
        let start = time.now.timeIntervalSinceReferenceDate
        let record = """
            {"fetches": {}, "staleCount": 0, "failureCount": 0, "refusals": {"generic": \
            {"scope": "\(scope)", "status": \(status), "wait": \
            {"start": \(start), "seconds": 7200, "isRestarted": false}}}}
            """
        store.updateClientState(named: "downloads") { _ in Data(record.utf8) }
        let config = launch(
            ScriptedDownloader { _ in .configuration(.titled(["Home": "a"])) })
        let end = try #require(config.status.throttledUntil)
        #expect(end.timeIntervalSince(time.now) == limit)
        #expect(await error(of: config)?.status == status)
        time.advance(by: limit)
        #expect(try await config.downloadNewConfig().outcome == .downloaded)
    }

    @Test func downloadsWaitAsLongAsTheServerAsksAnUpdaterTo() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(503, headers: ["Retry-After": "7200"])
        }
        defer { server.stop() }
        let backend = ActiveConfigBackend(url: try server.url("/"))
        let config = launch(JSONURLDownloader(backend: backend))
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

    /// A refusal of an updater blocks only those downloads of the app that use the same
    /// credentials.
    @Test func anUpdaterAndADownloadWithTheSameRequestHaveTheSameFingerprint() async throws {
        let server = try Self.server(403) { _ in true }
        defer { server.stop() }
        let url = try server.url("/")
        func fingerprints(_ key: String) async throws -> [String?] {
            let backend = ActiveConfigBackend(url: url, credentials: .apiKey(key))
            let download = await #expect(throws: DownloadError.self) {
                try await JSONURLDownloader(backend: backend)
                    .requestActiveConfig(forUserID: "1", lastKnown: nil)
            }
            let connection = URLSessionEventSource(backend: backend)
                .connection(forUserID: "1")
            let refused = await #expect(throws: DownloadError.self) {
                try await connection.document(lastKnown: nil, wait: nil)
            }
            return [download?.fingerprint, refused?.fingerprint]
        }
        let (first, second) = (try await fingerprints("a"), try await fingerprints("b"))
        #expect(first[0] != nil && first[0] == first[1])
        #expect(first[0] != second[0])
    }
}
