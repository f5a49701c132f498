import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `JSONURLDownloader` over real connections to a scripted server.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct JSONURLDownloaderTests {
    private static let document =
        #"{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#

    /// Runs `body` with a downloader whose server gives `answer` to every request.
    private func withServer(
        timeout: Duration = .seconds(60), limits: ConfigurationLimits = .default,
        path: String = "/config?token=secret",
        answer: @escaping @Sendable (LoopbackServer.Request) -> [LoopbackServer.Step],
        body: (JSONURLDownloader, LoopbackServer) async throws -> Void
    ) async throws {
        let server = try LoopbackServer(answer)
        defer { server.stop() }
        let url = try server.url(path)
        let downloader = JSONURLDownloader(timeout: timeout, limits: limits) { userID in
            var request = URLRequest(url: url)
            request.setValue(userID, forHTTPHeaderField: "X-User")
            return request
        }
        try await body(downloader, server)
    }

    /// Downloads once and returns the error; nil on success.
    private func error(of downloader: JSONURLDownloader) async -> DownloadError? {
        do {
            _ = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
            return nil
        } catch {
            return error as? DownloadError
        }
    }

    @Test func theDownloaderGivesTheDocumentWithItsEntityTagToTheUserWhoAsked() async throws {
        try await withServer { _ in
            LoopbackServer.response(headers: ["ETag": "\"t\""], body: Self.document)
        } body: { downloader, server in
            let state = try await downloader.requestActiveConfig(forUserID: "u", lastKnown: nil)
            #expect(state?.section(named: "S")?.integer(forKey: "a") == 1)
            #expect(state?.entityTag == "\"t\"")
            #expect(server.requests.first?.headers["x-user"] == "u")
            #expect(server.requests.first?.headers["if-none-match"] == nil)
        }
    }

    @Test func theDownloaderSendsTheEntityTagOfTheLastKnownStateAndTakes304AsNothingNew()
        async throws
    {
        try await withServer { request in
            request.headers["if-none-match"] == "\"t\""
                ? LoopbackServer.response(304) : LoopbackServer.response(body: Self.document)
        } body: { downloader, _ in
            var known = ConfigurationState()
            known.entityTag = "\"t\""
            let again = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: known)
            #expect(again == nil)
            known.entityTag = nil
            let first = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: known)
            #expect(first != nil)
        }
    }

    /// The client has no document that a 304 could confirm.
    @Test(arguments: [(false, false), (true, false), (false, true)])
    func anUnrequested304IsAnError(isKnown: Bool, isConditional: Bool) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(304) }
        defer { server.stop() }
        let url = try server.url("/")
        let downloader = JSONURLDownloader { _ in
            var request = URLRequest(url: url)
            if isConditional { request.setValue("\"t\"", forHTTPHeaderField: "If-None-Match") }
            return request
        }
        let error = await #expect(throws: DownloadError.self) {
            try await downloader.requestActiveConfig(
                forUserID: nil, lastKnown: isKnown ? ConfigurationState() : nil)
        }
        #expect(error?.code == .httpStatus)
        #expect(error?.status == 304)
    }

    @Test(arguments: [#"Basic realm="x""#, "Bearer", #"Digest realm="a", nonce="b""#, "Negotiate"])
    func aStatusThatAsksForCredentialsIsAnError(challenge: String) async throws {
        try await withServer { _ in
            LoopbackServer.response(401, headers: ["WWW-Authenticate": challenge], body: "no")
        } body: { downloader, server in
            let error = await error(of: downloader)
            #expect(error?.code == .httpStatus)
            #expect(error?.status == 401)
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: [400, 401, 403, 404, 429, 500, 503])
    func theDownloaderTakesNoOtherStatusForADocument(status: Int) async throws {
        try await withServer { _ in
            LoopbackServer.response(status, body: Self.document)
        } body: {
            downloader, _ in
            let error = await error(of: downloader)
            #expect(error?.code == .httpStatus, "\(String(describing: error))")
            #expect(error?.status == status)
            #expect(error?.url?.path() == "/config")
        }
    }

    @Test func anErrorKeepsNoSecretOfItsURL() throws {
        let url = try #require(URL(string: "https://me:secret@a.example/x?token=secret#secret"))
        let error = DownloadError(.other, url: url)
        #expect(error.url?.absoluteString == "https://a.example/x")
    }

    @Test func anErrorDoesNotContainSecretsOfTheURL() async throws {
        try await withServer { _ in
            LoopbackServer.response(500)
        } body: { downloader, _ in
            let error = try #require(await error(of: downloader))
            #expect(!"\(error)".contains("secret"))
            #expect(error.url?.query() == nil)
        }
    }

    @Test func theDownloaderThrowsTheFormatErrorOfADocumentThatCannotBeUsed() async throws {
        try await withServer { _ in
            LoopbackServer.response(body: "<html>")
        } body: {
            downloader, _ in
            await #expect(throws: ConfigurationFormatError.self) {
                try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
            }
        }
    }

    /// The answers never end, so a reader that waited for the end would wait forever.
    @Test(arguments: [
        ("with its length", "Content-Length: 1000000000", 0),
        ("until the connection closes", "Connection: close", 2_000_000),
        ("chunked", "Transfer-Encoding: chunked", 2_000_000),
    ])
    func theDownloaderStopsABodyOverTheLimitWhileItArrives(name: String, field: String, size: Int)
        async throws
    {
        let text = String(repeating: " ", count: size)
        let body = field.hasSuffix("chunked") ? "\(String(size, radix: 16))\r\n\(text)\r\n" : text
        try await withServer(limits: ConfigurationLimits(maximumSize: 1_000_000)) { _ in
            [.send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n\(body)"), .hang]
        } body: { downloader, server in
            #expect(await error(of: downloader)?.code == .bodyTooLarge)
            await server.wait(for: .hangUp)
        }
    }

    @Test(arguments: ["with its length", "until the connection closes", "chunked"])
    func aBodyOfExactlyTheLimitIsADocumentAndOneByteMoreIsNot(form: String) async throws {
        let size = 100_000
        for excess in 0...1 {
            let text = Self.document.padding(toLength: size + excess, withPad: " ", startingAt: 0)
            let answer =
                switch form {
                case "with its length": "Content-Length: \(size + excess)\r\n\r\n\(text)"
                case "chunked":
                    "Transfer-Encoding: chunked\r\n\r\n"
                        + "\(String(size + excess, radix: 16))\r\n\(text)\r\n0\r\n\r\n"
                default: "Connection: close\r\n\r\n\(text)"
                }
            try await withServer(limits: ConfigurationLimits(maximumSize: size)) { _ in
                [.send("HTTP/1.1 200 OK\r\n\(answer)")]
            } body: { downloader, _ in
                let error = await error(of: downloader)
                #expect(error?.code == (excess == 0 ? nil : .bodyTooLarge))
                guard excess == 0 else { return }
                let state = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
                #expect(state?.section(named: "S")?.integer(forKey: "a") == 1)
            }
        }
    }

    @Test func anAnswerMayTakeThirtySecondsByDefault() {
        let url = URL(filePath: "/")
        let downloaders = [
            JSONURLDownloader { _ in URLRequest(url: url) },
            JSONURLDownloader(createRequest: { (_: JSONURLDownloader.RequestContext) in
                URLRequest(url: url)
            }),
            JSONURLDownloader(backend: ActiveConfigBackend(url: url)),
        ]
        for downloader in downloaders {
            let timeout = Mirror(reflecting: downloader).descendant("timeout") as? Duration
            #expect(timeout == .seconds(30))
        }
    }

    @Test func theDownloaderStopsWaitingForAServerThatIsSilent() async throws {
        // deadline: the server never answers
        try await withServer(timeout: .milliseconds(200)) { _ in
            [.hang]
        } body: { downloader, _ in
            #expect(await error(of: downloader)?.code == .timedOut)
        }
    }

    @Test(arguments: [
        Duration.seconds(Int64.max), Duration(secondsComponent: .max, attosecondsComponent: 0),
        .seconds(1 << 53),
    ])
    func theDownloaderTakesAnyLongTimeout(timeout: Duration) async throws {
        try await withServer(timeout: timeout) { _ in
            LoopbackServer.response(body: Self.document)
        } body: { downloader, _ in
            let state = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
            #expect(state != nil)
        }
    }

    @Test(arguments: [
        Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(1), .seconds(-1 << 53),
    ])
    func theDownloaderTimesOutWhenTheTimeoutIsNegativeOrNearZero(timeout: Duration) async throws {
        try await withServer(timeout: timeout) { _ in
            [.hang]
        } body: { downloader, _ in
            #expect(await error(of: downloader)?.code == .timedOut)
        }
    }

    /// On Linux, Foundation traps at some of these intervals, and treats less than a second as no
    /// timeout.
    @Test(arguments: [TimeInterval.infinity, .greatestFiniteMagnitude, 1e18, 0.9, .nan])
    func theDownloaderTakesAnyTimeoutIntervalOfARequest(interval: TimeInterval) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(body: Self.document) }
        defer { server.stop() }
        let url = try server.url("/")
        let downloader = JSONURLDownloader { _ in
            URLRequest(url: url, timeoutInterval: interval)
        }
        #expect(try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil) != nil)
    }

    @Test func theDownloaderStopsWaitingForAServerThatStopsInTheMiddle() async throws {
        // deadline: the server never answers
        try await withServer(timeout: .milliseconds(200)) { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), .hang]
        } body: { downloader, _ in
            #expect(await error(of: downloader)?.code == .timedOut)
        }
    }

    @Test func theDownloaderTakesHalfAnAnswerForNoDocument() async throws {
        try await withServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\(Self.document)")]
        } body: { downloader, _ in
            #expect(await error(of: downloader)?.code == .connectionLost)
        }
    }

    @Test func theDownloaderSaysThatAServerIsNotThere() async throws {
        let server = try LoopbackServer { _ in [] }
        let url = try server.url("/")
        server.stop()
        let downloader = JSONURLDownloader { _ in URLRequest(url: url) }
        #expect(await error(of: downloader)?.code == .cannotConnect)
    }

    @Test func theDownloaderFollowsARedirectOnTheSameHost() async throws {
        try await withServer { request in
            request.target == "/moved"
                ? LoopbackServer.response(body: Self.document)
                : LoopbackServer.response(302, headers: ["Location": "/moved"])
        } body: { downloader, server in
            let state = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
            #expect(state != nil)
            #expect(server.requests.count == 2)
        }
    }

    @Test(arguments: ["http://localhost:1/", "https://example.invalid/", "ftp://127.0.0.1/"])
    func theDownloaderRefusesARedirectToAnotherHostOrScheme(location: String) async throws {
        try await withServer { _ in
            LoopbackServer.response(301, headers: ["Location": location])
        } body: { downloader, server in
            #expect(await error(of: downloader)?.code == .redirectRefused)
            #expect(server.requests.count == 1)
        }
    }

    @Test func cancellingTheTaskCancelsTheRequest() async throws {
        try await withServer { _ in
            [.hang]
        } body: { downloader, server in
            let download = Task {
                try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
            }
            await server.wait(for: .request)
            download.cancel()
            await #expect(throws: CancellationError.self) { try await download.value }
            await server.wait(for: .hangUp)
        }
    }

    @Test func theDownloaderKeepsTheRulesOfADownloader() async throws {
        let servers = Locked<[LoopbackServer]>([])
        defer { for server in servers.withLock({ $0 }) { server.stop() } }
        try await DownloaderConformance { backend in
            let server = try LoopbackServer { request in
                backend.requestArrived()
                switch backend.conduct {
                case .fails: return LoopbackServer.response(500)
                case .hangs: return [.hang]
                case .answers:
                    let path = request.target.dropFirst("/activeconfig".count)
                    let user =
                        path.isEmpty
                        ? nil : String(path.dropFirst("/user/".count)).removingPercentEncoding
                    guard let state = backend.configuration(forUserID: user) else {
                        return LoopbackServer.response(404)
                    }
                    if request.headers["if-none-match"] == state.entityTag {
                        return LoopbackServer.response(304)
                    }
                    return LoopbackServer.response(
                        headers: ["ETag": state.entityTag ?? ""],
                        body: String(decoding: state.jsonData(), as: UTF8.self))
                }
            }
            servers.withLock { $0.append(server) }
            return JSONURLDownloader(backend: ActiveConfigBackend(url: try server.url("")))
        }.run()
    }

    @Test func theDownloaderAsksNothingOfAURLThatIsNotHTTP() async throws {
        let downloader = JSONURLDownloader { _ in URLRequest(url: URL(filePath: "/etc/hosts")) }
        #expect(await error(of: downloader)?.code == .notHTTP)
    }
}
