import ActiveConfig
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The redirects that a download follows, and the header fields that it forwards.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RedirectTests {
    private static let document =
        #"{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#
    private static let credentials = [
        "Authorization": "Bearer secret", "Cookie": "session=secret", "X-API-Key": "secret",
        "Proxy-Authorization": "Basic secret", "X-Anything": "secret",
    ]

    /// Downloads from a server that redirects every request to `location`.
    ///
    /// - Returns: The download's error; nil on success.
    private static func download(
        redirectedTo location: String, status: Int = 302, user: String = "", method: String = "GET",
        headers: [String: String] = credentials, lastKnown: ConfigurationState? = nil
    ) async throws -> DownloadError? {
        let server = try LoopbackServer { request in
            request.target.hasSuffix("moved")
                ? LoopbackServer.response(body: Self.document)
                : LoopbackServer.response(status, headers: ["Location": location])
        }
        defer { server.stop() }
        var components = try #require(
            URLComponents(url: server.url("/start"), resolvingAgainstBaseURL: true))
        if !user.isEmpty {
            components.user = user
            components.password = "secret"
        }
        let url = try #require(components.url)
        let downloader = JSONURLDownloader { _ in
            var request = URLRequest(url: url)
            request.httpMethod = method
            if method != "GET" { request.httpBody = Data("secret".utf8) }
            for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
            return request
        }
        do {
            #expect(
                try await downloader.requestActiveConfig(forUserID: nil, lastKnown: lastKnown)
                    != nil)
            return nil
        } catch {
            return try #require(error as? DownloadError)
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func theDownloaderTakesNoCredentialToAnotherPort(status: Int) async throws {
        let other = try LoopbackServer { _ in LoopbackServer.response(body: Self.document) }
        defer { other.stop() }
        let location = try other.url("/moved").absoluteString
        var headers = Self.credentials
        headers["Accept-Language"] = "de"
        var known = ConfigurationState()
        known.entityTag = "\"t\""
        let error = try await Self.download(
            redirectedTo: location, status: status, headers: headers, lastKnown: known)
        #expect(error == nil)
        let request = try #require(other.requests.first)
        #expect(!"\(request)".contains("secret"))
        #expect(request.headers["accept-language"] == "de")
        #expect(request.headers["if-none-match"] == "\"t\"")
    }

    @Test(arguments: ["http:", ""])
    func theDownloaderTakesNoPasswordOfTheURLToAnotherPort(scheme: String) async throws {
        let other = try LoopbackServer { _ in LoopbackServer.response(body: Self.document) }
        defer { other.stop() }
        let location = try other.url("/moved").absoluteString.dropFirst("http:".count)
        let error = try await Self.download(
            redirectedTo: scheme + location, user: "me", headers: [:])
        #expect(error == nil)
        #expect(other.requests.first?.headers["authorization"] == nil)
        #expect(other.requests.count == 1)
    }

    @Test func theDownloaderTakesNoCookieThatAServerSetsAnywhere() async throws {
        let server = try LoopbackServer { request in
            request.target == "/moved"
                ? LoopbackServer.response(body: Self.document)
                : LoopbackServer.response(
                    302, headers: ["Location": "/moved", "Set-Cookie": "a=b; path=/"])
        }
        defer { server.stop() }
        let url = try server.url("/start")
        let downloader = JSONURLDownloader { _ in URLRequest(url: url) }
        _ = try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        #expect(server.requests.last?.target == "/moved")
        #expect(server.requests.last?.headers["cookie"] == nil)
    }

    @Test func theDownloaderSendsNoBodyToAnotherPort() async throws {
        let other = try LoopbackServer { _ in LoopbackServer.response(body: Self.document) }
        defer { other.stop() }
        let error = try await Self.download(
            redirectedTo: try other.url("/moved").absoluteString, status: 307, method: "POST")
        #expect(error?.code == .redirectRefused)
        #expect(other.requests.isEmpty)
    }

    @Test(arguments: ["/moved", "moved", "?moved"])
    func theDownloaderKeepsCredentialsAtTheOriginThatWasAsked(location: String) async throws {
        let server = try LoopbackServer { request in
            request.target.hasSuffix("moved")
                ? LoopbackServer.response(body: Self.document)
                : LoopbackServer.response(302, headers: ["Location": location])
        }
        defer { server.stop() }
        let url = try server.url("/start")
        let downloader = JSONURLDownloader { _ in
            var request = URLRequest(url: url)
            request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
            return request
        }
        #expect(try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil) != nil)
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.headers["authorization"] == "Bearer secret")
    }

    @Test func theDownloaderGivesUpAfterManyRedirects() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(302, headers: ["Location": "/again"])
        }
        defer { server.stop() }
        let url = try server.url("/")
        let downloader = JSONURLDownloader { _ in URLRequest(url: url) }
        await #expect(throws: DownloadError.self) {
            try await downloader.requestActiveConfig(forUserID: nil, lastKnown: nil)
        }
        #expect(server.requests.count <= 30)
    }
}
