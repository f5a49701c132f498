import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asynchronous creation of requests, their credentials, and refused requests.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RequestTests {
    private static let document =
        #"{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#
    private static let secret = "s3cret-token"

    private struct AppError: Error, CustomStringConvertible {
        var description: String { "no token \(RequestTests.secret)" }
    }

    private enum TokenFault: LocalizedError {
        case localized
        var errorDescription: String? { "the vault is sealed" }
    }

    private enum PlainFault: Error { case sealed }

    /// The app's session: its token, and the number of refreshes.
    private actor Session {
        private(set) var token = "old"
        private(set) var refreshCount = 0

        func refresh(to token: String = "new") {
            refreshCount += 1
            self.token = token
        }
    }

    /// Server that accepts only the token "new".
    private static func strictServer() throws -> LoopbackServer {
        try LoopbackServer { request in
            request.headers["authorization"] == "Bearer new"
                ? LoopbackServer.response(body: document)
                : LoopbackServer.response(401, headers: ["WWW-Authenticate": "Bearer"])
        }
    }

    private static func request(_ url: URL, bearer token: String) -> URLRequest {
        var request = URLRequest(url: url)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return request
    }

    private static func error(of downloader: JSONURLDownloader) async throws -> DownloadError {
        let error = await #expect(throws: DownloadError.self) {
            try await downloader.requestActiveConfig(forUserID: "user-17", lastKnown: nil)
        }
        return try #require(error)
    }

    @Test func anAsyncRequestSeesTheUserTheSignalsAndTheHeadOfTheLastConfiguration() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(304) }
        defer { server.stop() }
        let url = try server.url("/config")
        let signals = ClientSignals(platform: { PlatformSignals() })
        try await signals.setCustomSignals(["plan": "pro"])
        let seen = Locked<[JSONURLDownloader.RequestContext]>([])
        let downloader = JSONURLDownloader(signals: signals) { context in
            await Task.yield()
            seen.withLock { $0.append(context) }
            return URLRequest(url: url)
        }
        var lastKnown = ConfigurationState.make(
            meta: ["template_version": 7], sections: ["S": ["a": 1]])
        lastKnown.entityTag = "\"t7\""
        let answer = try await downloader.requestActiveConfig(
            forUserID: "u", lastKnown: lastKnown)
        #expect(answer == nil)
        let context = try #require(seen.withLock { $0 }.first)
        #expect(context.userID == "u")
        #expect(context.signals == ["signal.plan": "pro"])
        #expect(context.entityTag == "\"t7\"")
        #expect(context.templateVersion == 7)
        #expect(server.requests.first?.headers["if-none-match"] == "\"t7\"")
    }

    @Test func aRequestThatThrowsFailsTheDownloadWithoutAskingTheServer() async throws {
        let downloader = JSONURLDownloader { _ in throw AppError() }
        await #expect(throws: AppError.self) {
            try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        }
    }

    @Test func a401IsAnsweredOnceByARefresh() async throws {
        let server = try Self.strictServer()
        defer { server.stop() }
        let url = try server.url("/")
        let session = Session()
        let downloader = JSONURLDownloader(
            refresh: { await session.refresh() },
            createRequest: { _ in await Self.request(url, bearer: session.token) })
        let state = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        #expect(state?["S"]?.integer(forKey: "a") == 1)
        #expect(server.requests.count == 2)
        #expect(await session.refreshCount == 1)
    }

    @Test func aSecond401IsTheAnswer() async throws {
        let server = try Self.strictServer()
        defer { server.stop() }
        let url = try server.url("/")
        let session = Session()
        let downloader = JSONURLDownloader(
            refresh: { await session.refresh(to: "wrong") },
            createRequest: { _ in await Self.request(url, bearer: session.token) })
        #expect(try await Self.error(of: downloader).status == 401)
        #expect(server.requests.count == 2)
        #expect(await session.refreshCount == 1)
    }

    @Test func withoutARefreshA401IsTheAnswer() async throws {
        let server = try Self.strictServer()
        defer { server.stop() }
        let downloader = JSONURLDownloader(
            backend: ActiveConfigBackend(url: try server.url("/"), credentials: .apiKey("k")))
        #expect(try await Self.error(of: downloader).status == 401)
        #expect(server.requests.count == 1)
    }

    @Test func parallelRequestsShareARefresh() async throws {
        let server = try Self.strictServer()
        defer { server.stop() }
        let url = try server.url("/")
        let session = Session()
        let refused = AsyncStream.makeStream(of: Void.self)
        let downloader = JSONURLDownloader(
            refresh: {
                // Waits until all requests have been refused.
                var count = 0
                for await _ in refused.stream {
                    count += 1
                    if count == 8 { break }
                }
                await session.refresh()
            },
            createRequest: { _ in
                let token = await session.token
                if token == "old" { refused.continuation.yield() }
                return Self.request(url, bearer: token)
            })
        try await withThrowingTaskGroup(of: ConfigurationState?.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await downloader.requestActiveConfig(
                        forUserID: "\(number)", lastKnown: nil)
                }
            }
            for try await state in group { #expect(state != nil) }
        }
        #expect(await session.refreshCount == 1)
        #expect(server.requests.count == 16)
    }

    @Test func aUserTokenIsSentAndRefreshedForItsUser() async throws {
        let server = try Self.strictServer()
        defer { server.stop() }
        let calls = Locked<[String]>([])
        let downloader = JSONURLDownloader(
            backend: ActiveConfigBackend(
                url: try server.url("/"),
                credentials: .userToken { request in
                    calls.withLock { $0.append("\(request.userID ?? "-") \(request.reason)") }
                    return request.reason == .refused ? "new" : "old"
                }))
        let state = try await downloader.requestActiveConfig(forUserID: "u", lastKnown: nil)
        #expect(state != nil)
        #expect(calls.withLock { $0 } == ["u first", "u refused"])
        #expect(
            server.requests.map { $0.headers["authorization"] } == ["Bearer old", "Bearer new"])
    }

    @Test func aKeyIsSentInItsHeaderField() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(body: Self.document) }
        defer { server.stop() }
        let downloader = JSONURLDownloader(
            backend: ActiveConfigBackend(
                url: try server.url("/"), credentials: .apiKey(Self.secret)))
        _ = try await downloader.requestActiveConfig(forUserID: "u", lastKnown: nil)
        let request = try #require(server.requests.first)
        #expect(request.headers["x-api-key"] == Self.secret)
        #expect(request.target == "/activeconfig/user/u")
    }

    @Test(arguments: ["", "a\r\nX-Other: b", "ä", "a b"])
    func aKeyThatAHeaderFieldCannotCarryIsNotSent(key: String) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(body: Self.document) }
        defer { server.stop() }
        let downloader = JSONURLDownloader(
            backend: ActiveConfigBackend(url: try server.url("/"), credentials: .apiKey(key)))
        #expect(try await Self.error(of: downloader).code == .noCredentials)
        #expect(server.requests.isEmpty)
    }

    /// The text of an error that is meant to be shown is in the description, which is logged.
    @Test(arguments: [
        (TokenFault.localized as any Error, "the vault is sealed"), (PlainFault.sealed, "sealed"),
        (
            CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: "/run/token"]),
            "/run/token"
        ),
        (CocoaError(.fileReadNoSuchFile), "NSCocoaErrorDomain, code 260"),
    ])
    func theErrorOfTheClosureIsInTheDescription(fault: any Error, text: String) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(401) }
        defer { server.stop() }
        for reason in [ClientCredentials.TokenRequest.Reason.first, .refused] {
            let downloader = JSONURLDownloader(
                backend: ActiveConfigBackend(
                    url: try server.url("/"),
                    credentials: .bearerToken { request in
                        if request.reason == reason { throw fault }
                        return "old"
                    }))
            let error = try await Self.error(of: downloader)
            #expect(error.code == .noCredentials)
            #expect("\(error)".contains(text), "\(error)")
            #expect(error.logDescription == "\(error)")
        }
    }

    @Test(arguments: [
        ("", "is empty"), ("secret\n", "byte 7 of the 7"), ("a b", "byte 2 of the 3"),
    ])
    func theFaultOfATokenIsInTheDescription(token: String, text: String) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(401) }
        defer { server.stop() }
        let downloader = JSONURLDownloader(
            backend: ActiveConfigBackend(
                url: try server.url("/"), credentials: .bearerToken { _ in token }))
        let error = try await Self.error(of: downloader)
        #expect("\(error)".contains(text), "\(error)")
        #expect(!"\(error)".contains("secret"))
        #expect(server.requests.isEmpty)
    }

    /// No description of any error contains the user, the key or the token.
    @Test(arguments: ["throws", "refreshThrows", "404", "refused"])
    func noErrorNamesTheUserOrTheToken(fault: String) async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(fault == "refreshThrows" ? 401 : 404)
        }
        let url = try server.url("/")
        if fault == "refused" { server.stop() }
        defer { if fault != "refused" { server.stop() } }
        let signals = ClientSignals(platform: { PlatformSignals() })
        try await signals.setCustomSignals(["mail": "a@example.com"])
        let downloader = JSONURLDownloader(
            backend: ActiveConfigBackend(
                url: url,
                credentials: .userToken { request in
                    if fault == "throws" || request.reason == .refused { throw AppError() }
                    return Self.secret
                }, signals: signals))
        let error = try await Self.error(of: downloader)
        for text in ["\(error)", String(reflecting: error), error.localizedDescription] {
            for secret in [Self.secret, "user-17", "example.com"] {
                // The error that the app itself threw is available to the app only.
                let isOwn = text == String(reflecting: error) && error.code == .noCredentials
                #expect(isOwn || !text.contains(secret), "\(text)")
            }
        }
        #expect(error.url?.path() == "/")
    }

    @Test func aSessionHasTheConfigurationOfItsPool() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(body: Self.document) }
        defer { server.stop() }
        let madeCount = Locked(0)
        let sessions = URLSessionPool {
            madeCount.withLock { $0 += 1 }
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpAdditionalHeaders = ["X-Proxy-Token": "p"]
            return configuration
        }
        let downloader = JSONURLDownloader(
            backend: ActiveConfigBackend(url: try server.url("/"), sessions: sessions))
        for _ in 0..<3 {
            _ = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        }
        #expect(server.requests.map { $0.headers["x-proxy-token"] } == ["p", "p", "p"])
        #expect((1...3).contains(madeCount.withLock { $0 }))
    }

    @Test(arguments: [429, 503, 500])
    func anErrorCarriesRetryAfter(status: Int) async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(status, headers: ["Retry-After": "120"])
        }
        defer { server.stop() }
        let error = try await Self.error(
            of: JSONURLDownloader(backend: ActiveConfigBackend(url: try server.url("/"))))
        #expect(error.retryAfter == .seconds(120))
        #expect(error.status == status)
        #expect(error.description.contains("120 seconds"))
    }

    @Test func aCancelledRequestLeavesTheRefreshToTheOthers() async throws {
        let server = try Self.strictServer()
        defer { server.stop() }
        let url = try server.url("/")
        let session = Session()
        let (begun, isReleased) = (AsyncStream.makeStream(of: Void.self), ManualClock())
        let downloader = JSONURLDownloader(
            refresh: {
                begun.continuation.yield()
                try await isReleased.sleep(for: .seconds(1))
                await session.refresh()
            },
            createRequest: { _ in Self.request(url, bearer: await session.token) })
        let tasks = (0..<2).map { number in
            Task {
                try await downloader.requestActiveConfig(forUserID: "\(number)", lastKnown: nil)
            }
        }
        for await _ in begun.stream { break }
        try await isReleased.waitForSleepers(1)
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        // The other request joins that refresh or, if it is refused after it, starts another.
        let driver = Task {
            while !Task.isCancelled {
                isReleased.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        defer { driver.cancel() }
        #expect(try await tasks[1].value != nil)
        #expect(await session.refreshCount == 1)
    }
}
