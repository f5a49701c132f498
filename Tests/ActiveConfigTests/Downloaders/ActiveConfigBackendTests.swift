import ActiveConfig
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// URLs of the client protocol.
struct ActiveConfigBackendTests {
    @Test(
        arguments: [
            (nil, "/activeconfig"), ("1", "/activeconfig/user/1"),
            ("a/b c?d#e%2F", "/activeconfig/user/a%2Fb%20c%3Fd%23e%252F"),
            ("🦊", "/activeconfig/user/%F0%9F%A6%8A"), ("e\u{301}", "/activeconfig/user/e%CC%81"),
            ("a\0b", "/activeconfig/user/a%00b"), ("...", "/activeconfig/user/..."),
            ("../..", "/activeconfig/user/..%2F.."), ("", "/active_config?userID="),
            (".", "/active_config?userID=."), ("..", "/active_config?userID=.."),
        ] as [(String?, String)])
    func theBackendHasAURLForEveryUserID(userID: String?, path: String) throws {
        for base in ["http://h:1", "http://h:1/", "http://h:1/api"] {
            let backend = ActiveConfigBackend(url: try #require(URL(string: base)))
            let root = base.hasSuffix("/") ? String(base.dropLast()) : base
            #expect(backend.configurationURL(forUserID: userID).absoluteString == root + path)
        }
    }

    private static let userIDs = [
        "1", "a+b", "a b", "a%2Bb", "..", ".", "", "...", "../..", "/../v1", "%2e%2e", "a&user=b",
        "#",
        "é", "e\u{301}", "🦊", "a\0b", "\r\nX: y", "user", "events",
    ]

    /// Checks the request target that arrives, after all changes that Foundation and its HTTP
    /// client make to a URL.
    @Test(.timeLimit(.minutes(Rounds.minutes)), arguments: userIDs)
    func theBackendAsksForEachUserByThatUserAlone(userID: String) async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(404) }
        defer { server.stop() }
        let backend = ActiveConfigBackend(url: try server.url("/api"))
        _ = try? await JSONURLDownloader(backend: backend).requestActiveConfig(
            forUserID: userID, lastKnown: nil)
        let target = try #require(server.requests.first?.target)
        let prefixes = ["/api/activeconfig/user/", "/api/active_config?userID="]
        let prefix = try #require(prefixes.first { target.hasPrefix($0) }, "\(target)")
        let rest = target.dropFirst(prefix.count)
        #expect(!rest.contains { "/?&+#".contains($0) })
        #expect(rest.removingPercentEncoding.map { Array($0.utf8) } == Array(userID.utf8))
    }

    /// The documentation's example of a downloader for other servers.
    @Test(.timeLimit(.minutes(Rounds.minutes)), arguments: userIDs)
    func theExampleForOtherServersAsksForEachUser(userID: String) async throws {
        let listener = try LoopbackServer { _ in LoopbackServer.response(404) }
        defer { listener.stop() }
        let server = try listener.url("/api/")
        let downloader = JSONURLDownloader { userID in
            let query = userID.map { "?user=\(ActiveConfigBackend.percentEncoded($0))" } ?? ""
            return URLRequest(url: URL(string: "config.json\(query)", relativeTo: server) ?? server)
        }
        _ = try? await downloader.requestActiveConfig(forUserID: userID, lastKnown: nil)
        let target = try #require(listener.requests.first?.target)
        let prefix = "/api/config.json?user="
        #expect(target.hasPrefix(prefix))
        // Servers decode a plus in a query as a space.
        let value = target.dropFirst(prefix.count).replacing("+", with: " ")
        #expect(value.removingPercentEncoding.map { Array($0.utf8) } == Array(userID.utf8))
    }

    @Test func theBackendPutsSignalsIntoTheQuery() throws {
        let backend = ActiveConfigBackend(url: try #require(URL(string: "http://h:1")))
        let signals = ["signal.a&b": "1+2=3", "app.version": "2.4.0"]
        #expect(
            backend.configurationURL(forUserID: "u", signals: signals).absoluteString
                == "http://h:1/activeconfig/user/u?app.version=2.4.0&signal.a%26b=1%2B2%3D3")
        #expect(
            backend.configurationURL(forUserID: "..", signals: signals).absoluteString
                == "http://h:1/active_config?userID=..&app.version=2.4.0&signal.a%26b=1%2B2%3D3")
        #expect(
            backend.configurationURL(forUserID: nil, signals: signals).absoluteString
                == "http://h:1/activeconfig?app.version=2.4.0&signal.a%26b=1%2B2%3D3")
    }
}
