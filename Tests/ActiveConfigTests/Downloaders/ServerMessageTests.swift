import ActiveConfig
import ActiveConfigRealtime
import ActiveConfigTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Details of an answer in error messages: the server's message, the status, and the URL without
/// secrets.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ServerMessageTests {
    private static let sentence = "There is no project \"shop\": publish a template to it first."
    private static let document =
        #"{"meta":{},"config_sections":{"S":{"settings":{"a":{"value":1}}}}}"#

    /// An error body as specified by the client protocol (PROTOCOL, overview).
    private static func body(_ status: Int = 404, _ message: String = sentence) -> String {
        let error: SettingValue = [
            "error": ["code": .integer(status), "status": "X", "message": .string(message)]
        ]
        return String(decoding: error.jsonData(), as: UTF8.self)
    }

    /// An answer after which the connection stays open, as the backend sends it.
    private static func kept(
        _ status: Int, _ fields: String = "", body: String = document
    ) -> [LoopbackServer.Step] {
        [
            .send(
                "HTTP/1.1 \(status) S\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Content-Type: application/json\r\n\(fields)\r\n\(body)")
        ]
    }

    private static func downloader(
        _ server: LoopbackServer, _ credentials: ClientCredentials = .none
    ) throws -> JSONURLDownloader {
        JSONURLDownloader(
            backend: ActiveConfigBackend(url: try server.url("/base"), credentials: credentials))
    }

    private static func error(
        of downloader: JSONURLDownloader, userID: String? = nil
    ) async -> any Error {
        do {
            _ = try await downloader.requestActiveConfig(forUserID: userID, lastKnown: nil)
            return CancellationError()
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (401, "WWW-Authenticate: Basic realm=\"x\"\r\n"),
            (401, "WWW-Authenticate: Bearer\r\n"), (403, ""), (404, ""), (429, ""), (503, ""),
        ])
    func anErrorSaysWhatTheServerSays(status: Int, fields: String) async throws {
        let server = try LoopbackServer(keepsAlive: true) { _ in
            Self.kept(status, fields, body: Self.body(status))
        }
        defer { server.stop() }
        let error = await Self.error(of: try Self.downloader(server))
        #expect("\(error)".contains(Self.sentence), "\(error)")
        #expect("\(error)".contains("The server says: "), "\(error)")
        #expect("\(error)".contains("status \(status)"))
        #expect("\(error)".contains("/base"))
        let connection = URLSessionEventSource(
            backend: ActiveConfigBackend(url: try server.url("/base"))
        ).connection(forUserID: "1")
        let refused = await #expect(throws: DownloadError.self) {
            try await connection.document(lastKnown: nil, wait: nil)
        }
        #expect("\(refused as Any)".contains(Self.sentence), "\(refused as Any)")
    }

    @Test(arguments: [401, 403, 404])
    func aRefusedStreamSaysWhatTheServerSays(status: Int) async throws {
        let server = try LoopbackServer(keepsAlive: true) { request in
            request.target.hasSuffix("/events")
                ? Self.kept(status, body: Self.body(status, "No stream for you."))
                : Self.kept(200, "ETag: \"7\"\r\n")
        }
        defer { server.stop() }
        let connection = URLSessionEventSource(
            backend: ActiveConfigBackend(url: try server.url(""))
        ).connection(forUserID: "1")
        _ = try await connection.document(lastKnown: nil, wait: nil)
        do {
            try await connection.openEvents(lastEventID: nil)
            Issue.record("no error")
        } catch {
            #expect("\(error)".contains("No stream for you."), "\(error)")
        }
    }

    @Test func whatTheServerSaysIsOneLineOfBoundedLength() async throws {
        let long = "First\nwarning: forged\r\u{2028}" + String(repeating: "é", count: 3_000)
        let server = try LoopbackServer { _ in
            LoopbackServer.response(404, body: Self.body(404, long))
        }
        defer { server.stop() }
        let error = await Self.error(of: try Self.downloader(server))
        let text = "\(error)"
        #expect(text.contains("First"), "\(text)")
        #expect(text.split(whereSeparator: \.isNewline).count == 1)
        #expect(text.count < 600)
    }

    /// Answers without a message, or whose message does not arrive, still result in errors.
    @Test(
        arguments: [
            ("HTML", "<html>\"error\"</html>", 0), ("nothing", "", 0),
            ("half", "{\"error\": {", 50),
            ("another shape", #"{"error": "no"}"#, 0), ("a number", #"{"error":{"message":7}}"#, 0),
            ("too long", "{\"x\": \"" + String(repeating: "x", count: 100_000) + "\"}", 0),
            ("too deep", String(repeating: "{\"a\":", count: 500), 0),
        ])
    func anAnswerWithoutASentenceIsAnErrorWithoutOne(
        name: String, body: String, missing: Int
    ) async throws {
        let server = try LoopbackServer { _ in
            [
                .send(
                    "HTTP/1.1 403 No\r\nContent-Length: \(body.utf8.count + missing)\r\n\r\n\(body)"
                ),
                .hang,
            ]
        }
        defer { server.stop() }
        let error = await Self.error(of: try Self.downloader(server))
        #expect((error as? DownloadError)?.status == 403)
        #expect(!"\(error)".contains("says"), "\(error)")
    }

    /// A server or a proxy may repeat parts of the request in its answer.
    @Test func whatTheServerRepeatsOfTheRequestIsNotInTheError() async throws {
        let server = try LoopbackServer { request in
            LoopbackServer.response(
                403,
                body: Self.body(
                    403,
                    "Not \(request.headers["authorization"] ?? "") on \(request.target), sorry."))
        }
        defer { server.stop() }
        let downloader = try Self.downloader(server, .bearerToken { _ in "s3cret-token" })
        let error = await Self.error(of: downloader, userID: "user-17")
        for text in ["\(error)", String(reflecting: error)] {
            #expect(!text.contains("s3cret") && !text.contains("user-17"), "\(text)")
        }
        #expect("\(error)".contains("sorry"))
    }

    /// A request with a credential, and forms of the credential in the server's message.
    struct Repetition: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var field = ("X-Harmless", "-")
        var query = ""
        let forms: [String]
    }

    @Test(arguments: [
        Repetition(
            testDescription: "cookies", field: ("Cookie", "session=c00kie-value; theme=dark-blue"),
            forms: ["c00kie-value", "dark-blue"]),
        Repetition(
            testDescription: "quoted parts",
            field: ("X-Auth", "key=\"quoted-1\",other=plain-2"), forms: ["quoted-1", "plain-2"]),
        Repetition(
            testDescription: "Basic",
            field: ("Authorization", "Basic \(Data("alice:pa55:word".utf8).base64EncodedString())"),
            forms: ["alice", "pa55:word", "alice:pa55:word", "alice%3Apa55%3Aword"]),
        Repetition(
            testDescription: "another case", field: ("Authorization", "Bearer Abc-Def-Ghi"),
            forms: ["ABC-DEF-GHI", "abc-def-ghi"]),
        Repetition(
            testDescription: "percent-encoded", field: ("X-API-Key", "a/b+c=d&efgh"),
            forms: ["a%2Fb%2Bc%3Dd%26efgh", "a%2fb%2bc%3dd%26efgh", "a/b+c%3Dd&efgh"]),
        Repetition(
            testDescription: "query", query: "?key=s3cr%2Ft%20x",
            forms: ["s3cr%2Ft%20x", "s3cr/t x", "s3cr/t+x", "s3cr%252Ft%2520x"]),
        Repetition(
            testDescription: "query without a value", query: "?only-a-key", forms: ["only-a-key"]),
    ])
    func noFormOfACredentialIsInTheError(repetition: Repetition) async throws {
        let message = "Sorry: \(repetition.forms.joined(separator: " | ")). It is over."
        let server = try LoopbackServer { _ in
            LoopbackServer.response(403, body: Self.body(403, message))
        }
        defer { server.stop() }
        let url = try #require(
            URL(string: try server.url("/config").absoluteString + repetition.query))
        let downloader = JSONURLDownloader { _ in
            var request = URLRequest(url: url)
            request.setValue(repetition.field.1, forHTTPHeaderField: repetition.field.0)
            return request
        }
        let error = try #require(await Self.error(of: downloader) as? DownloadError)
        let dots = Array(repeating: "…", count: repetition.forms.count)
        #expect(
            error.serverMessage == "Sorry: \(dots.joined(separator: " | ")). It is over.")
    }

    @Test func aShortValueOfTheRequestIsLeftInTheMessage() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(403, body: Self.body(403, "Grab the abacus."))
        }
        defer { server.stop() }
        let url = try server.url("/config?a=ab")
        let error = await Self.error(of: JSONURLDownloader { _ in URLRequest(url: url) })
        #expect((error as? DownloadError)?.serverMessage == "Grab the abacus.")
    }

    @Test(
        arguments: [
            (204, ""), (200, "<html>Log in to the Wi-Fi</html>"), (200, "{}"), (203, "[1"),
        ])
    func aFormatErrorOfAnAnswerNamesStatusAndURL(status: Int, body: String) async throws {
        let server = try LoopbackServer(keepsAlive: true) { _ in Self.kept(status, body: body) }
        defer { server.stop() }
        let address = try server.url("/base")
        let secret = try #require(
            URL(
                string: address.absoluteString.replacing("http://", with: "http://me:secret@")
                    + "?key=secret"))
        let errors = [
            await Self.error(of: JSONURLDownloader { _ in URLRequest(url: secret) }),
            await Self.error(
                of: JSONURLDownloader(backend: ActiveConfigBackend(url: address))),
        ]
        for error in errors {
            #expect(error is ConfigurationFormatError)
            #expect("\(error)".contains("status \(status)"), "\(error)")
            #expect("\(error)".contains(address.absoluteString), "\(error)")
            #expect(!String(reflecting: error).contains("secret"))
        }
        let connection = URLSessionEventSource(
            backend: ActiveConfigBackend(url: address)
        ).connection(forUserID: "1")
        let error = await #expect(throws: ConfigurationFormatError.self) {
            try await connection.document(lastKnown: nil, wait: nil)
        }
        #expect("\(error as Any)".contains("status \(status)"), "\(error as Any)")
    }

    @Test func aDocumentThatIsNoAnswerNamesNoServer() throws {
        let error = #expect(throws: ConfigurationFormatError.self) {
            try ConfigurationState(jsonData: Data("<".utf8))
        }
        #expect(error?.description.hasPrefix("Line 1, column 1") == true)
    }
}
