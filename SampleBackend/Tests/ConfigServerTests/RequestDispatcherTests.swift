import AdminAPI
import Foundation
import HTTPTypes
import InMemoryTemplateStore
import JSONTree
import Logging
import NIOConcurrencyHelpers
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct RequestDispatcherTests {
    @Test(arguments: [#"{"Home":{"title":"x"}}"#, ""])
    func aTokenThatIsRevokedWhileABodyArrivesCountsNoMore(body: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let created = try await server.administer(
                "POST", "/v1/tokens", body: ["name": "leaver", "role": "publisher"])
            let token = try #require(try created.json["token"]?.stringValue)
            let id = try #require(try created.json["id"]?.stringValue)
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    "PUT /v1/projects/default/users/bob/overrides HTTP/1.1\r\nHost: test\r\n"
                        + "Authorization: Bearer \(token)\r\nExpect: 100-continue\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n")
                // At this point the server has checked the head.
                _ = try await connection.receive(through: "100 Continue\r\n\r\n")
                let revoked = try await server.administer("DELETE", "/v1/tokens/\(id)")
                #expect(revoked.status == 200)
                let size = String(body.utf8.count, radix: 16)
                connection.send(body.isEmpty ? "0\r\n\r\n" : "\(size)\r\n\(body)\r\n0\r\n\r\n")
                #expect(await connection.receiveStatus() == 401)
            }
            let overrides = try await server.administer(
                "GET", "/v1/projects/default/users/bob/overrides")
            #expect(overrides.status == 404)
        }
    }

    @Test func aSignInIsNotBoundedByCredentialsThatDoNotCount() async throws {
        var options = ConfigServerOptions()
        options.administratorLimits.wrongTokensPerSecond = 1
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            let stale = ["Cookie: activeconfig_session=stale"]
            try await waitUntil {
                try await server.answer("/v1/projects", fields: stale).status == 429
            }
            let signIn = try await server.answer(
                "/console/session", method: "POST", fields: stale,
                body: #"{"token":"\#(RunningServer.administratorToken)"}"#)
            #expect(signIn.status == 200)
        }
    }

    @Test func aRequestWithoutAConnectionIsNotLogged() async throws {
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(label: "test") { _ in LineHandler(lines: lines) }
        let administration = try await LocalAdministration(
            store: InMemoryTemplateStore(), administratorName: "local:ada", logger: logger)
        let answer = await administration.answer(
            method: .get, path: "/v1/projects/none/remoteConfig")
        #expect(answer.status == .notFound)
        #expect(lines.withLockedValue { $0 } == [])
    }

    @Test func aKeyThatIsSentTwiceIsAccepted() async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(keys: ["key"], userTokens: nil)
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            let answer = try await server.answer(
                "/activeconfig", fields: ["X-API-Key: key", "X-API-Key: key"])
            #expect(answer.status == 200)
        }
    }

    @Test func theHeadOfAStreamLeavesTheConnectionOpen() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(method: "HEAD", target: "/activeconfig/events")
                let head = try await connection.receive(isHead: true)
                #expect(head.status == 200)
                #expect(head.fields["content-type"] == "text/event-stream")
                #expect(head.fields["connection"] == nil)
                #expect(head.fields["content-length"] == nil)
                connection.send(target: "/health/live")
                #expect(await connection.receiveStatus() == 200)
            }
        }
    }

    private struct LineHandler: LogHandler {
        let lines: NIOLockedValueBox<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.withLockedValue { $0.append("\(event.message)") }
        }
    }
}
