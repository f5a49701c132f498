import Foundation
import InMemoryTemplateStore
import JSONTree
import JWTKit
import OrderedCollections
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// User IDs and project names have no special meaning in any path (PROTOCOL 1, 2, API 4).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UserIDsInPathsTests {
    /// Segments of all routes, other texts that are special in paths, and texts that are hard to
    /// encode.
    private static let userIDs: [String] = {
        let segments: [String] = ConfigServer.endpoints.flatMap { endpoint in
            endpoint.path.split(separator: "/").flatMap { segment -> [String] in
                [String(segment)] + segment.split(separator: ":").map(String.init)
            }
        }
        let others = [
            "", ".", "..", "/", "%2F", "a/events", "v1/events", "../v1", "ofrep/v1/events", "?",
            "#",
            "?userID=1", "targetingKey", "acknowledgement", "overrides/", "a b", "+", "é",
            "e\u{301}",
        ]
        return Array(OrderedSet(segments + others))
    }()

    /// Text as a path segment with every byte percent-encoded.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func title(of document: JSONNode) -> String? {
        document.setting("title", in: "Home")?.stringValue
    }

    /// Template with one title, which starts with `word`.
    private static func template(_ word: String) -> JSONNode {
        [
            "parameterGroups": [
                "Home": [
                    "parameters": [
                        "title": [
                            "defaultValue": ["value": .string("\(word) ${user.id}")],
                            "valueType": "STRING",
                        ]
                    ]
                ]
            ]
        ]
    }

    @Test func eachUserIDNamesItsUserOnEveryRoute() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("Old"))
            try await server.publish(Self.template("New"))
            #expect(Self.userIDs.count > 50)
            for userID in Self.userIDs {
                let segment = Self.encoded(userID)
                let document = try await server.document("/activeconfig/user/\(segment)")
                #expect(Self.title(of: document) == "New \(userID)")
                let old = try await server.document("/active_config?userID=\(segment)")
                #expect(Self.title(of: old) == "New \(userID)")
                let update = try await EventStreamClient.open(
                    port: server.port, "/activeconfig/user/\(segment)/events",
                    fields: ["Last-Event-ID: 1"]
                ) { stream in
                    _ = try await stream.next()
                    return try await stream.next()
                }
                #expect(
                    update.data?["sections"]?["Home"]?["settings"]?["title"]?["value"]
                        == .string("New \(userID)"), "\(userID): \(update)")
                let path = "/v1/projects/default/users/\(segment)/overrides"
                let pinned: JSONNode = ["Home": ["title": .string("Pinned \(userID)")]]
                #expect(try await server.administer("PUT", path, body: pinned).status == 200)
                let after = try await server.document("/activeconfig/user/\(segment)")
                #expect(Self.title(of: after) == "Pinned \(userID)")
                #expect(try await server.administer("DELETE", path).status == 200)
                #expect(
                    try await Self.title(of: server.document("/activeconfig")) == "New ",
                    "\(userID)")
            }
        }
    }

    @Test func theAdvertisedStreamOpensForEachUserID() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template("Old"))
            for userID in Self.userIDs {
                let body: JSONNode = ["context": ["targetingKey": .string(userID)]]
                let flags = try await server.administer(
                    "POST", "/ofrep/v1/evaluate/flags", body: body, token: nil)
                let uri = try #require(
                    try flags.json["eventStreams"]?.arrayValue?.first?["endpoint"]?["requestUri"]?
                        .stringValue)
                try await EventStreamClient.open(port: server.port, uri) { stream in
                    #expect(stream.head.hasPrefix("HTTP/1.1 200"), "\(userID)")
                }
            }
        }
    }

    private struct Claims: JWTPayload {
        let sub: SubjectClaim
        let exp: ExpirationClaim

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    @Test func aTokenIsComparedWithTheUserIDOfThePath() async throws {
        let secret = "a-secret-of-thirty-two-characters"
        let keys = await JWTKeyCollection()
            .add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256)
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [], userTokens: try await UserTokenVerifier(secret: Secret(secret)))
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(Self.template("Hi"))
            let end = ExpirationClaim(value: Date() + 600)
            let other = try await keys.sign(Claims(sub: "another", exp: end))
            for userID in Self.userIDs {
                let own = try await keys.sign(
                    Claims(sub: SubjectClaim(value: userID), exp: end))
                for path in ["", "/events"] {
                    let target = "/activeconfig/user/\(Self.encoded(userID))\(path)"
                    for (token, status) in [(own, 200), (other, 403)] {
                        let head = try await HTTPConnection.open(port: server.port) { connection in
                            connection.send(
                                target: target, fields: ["Authorization: Bearer \(token)"])
                            return try await connection.receive(through: "\r\n\r\n")
                        }
                        #expect(head.hasPrefix("HTTP/1.1 \(status)"), "\(target) \(head)")
                    }
                }
            }
        }
    }

    @Test func namesWithAMeaningInPathsAreProjectsLikeOthers() async throws {
        let names = [
            "v1", "events", "user", "users", "activeconfig", "projects", "ofrep", "overrides",
            "console", "session", "evaluate", "flags", "metrics", "...",
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for name in names {
                #expect(
                    try await server.publish(Self.template(name), project: name).status == 200)
            }
            for name in names {
                for user in ["v1", "events"] {
                    let document = try await server.document(
                        "/projects/\(name)/activeconfig/user/\(user)")
                    #expect(Self.title(of: document) == "\(name) \(user)")
                    try await EventStreamClient.open(
                        port: server.port, "/projects/\(name)/activeconfig/user/\(user)/events"
                    ) { stream in
                        let hello = try await stream.next()
                        #expect(hello.name == "hello", "\(name)")
                    }
                }
                let generic = try await server.document("/projects/\(name)/activeconfig")
                #expect(Self.title(of: generic) == "\(name) ")
            }
        }
    }
}
