import ClientAPI
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Acknowledgements of versions by clients (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct AcknowledgementTests {
    private func run(
        _ options: ConfigServerOptions = ConfigServerOptions(), share: Double? = 1,
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        var options = options
        options.acknowledgedShare = share
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(.sample)
            try await server.publish(.sample)
            try await body(server)
        }
    }

    @Test func eachUserCountsByTheirLastWord() async throws {
        try await run { server in
            let wrong: JSONNode = ["section": "Home", "key": "size", "message": "it is a string"]
            for user in ["1", "2", "3", "a/b"] {
                #expect(try await server.acknowledge(1, user: user).status == 204)
            }
            #expect(try await server.acknowledge(1, user: nil).status == 204)
            // Each acknowledgement counts once, however often it is sent.
            try await server.acknowledge(1, user: "1")
            try await server.acknowledge(2, user: "1")
            try await server.acknowledge(2, user: "2", problems: [wrong, wrong])
            try await server.acknowledge(
                2, user: "3", problems: [wrong, ["section": "Gone", "key": .null]])
            let counts = try await server.acknowledgements()
            #expect(counts["clients"] == 5)
            #expect(
                counts["versions"] == [
                    [
                        "version": "2", "inForce": 1, "withProblems": 2,
                        "problems": [
                            [
                                "section": "Home", "key": "size", "clients": 2,
                                "message": "it is a string",
                            ],
                            ["section": "Gone", "key": .null, "clients": 1, "message": ""],
                        ],
                    ],
                    // Clients that cannot use version 2 still use version 1.
                    ["version": "1", "inForce": 4, "withProblems": 0, "problems": []],
                ])
            try await server.acknowledge(2, user: "2")
            try await server.acknowledge(2, user: "3")
            let better = try await server.acknowledgements()["versions"]?.arrayValue?.first
            #expect(better?["inForce"] == 3)
            #expect(better?["withProblems"] == 0)
            #expect(better?["problems"] == [])
        }
    }

    @Test(arguments: ["", ".", "..", "a/b", "1"])
    func aUserIDThatAPathCannotCarryIsInTheQuery(userID: String) async throws {
        try await run { server in
            let target = "/active_config/acknowledgement?userID=\(userID.percentEncoded)"
            let body = #"{"template_version": 2}"#
            #expect(try await server.answer(target, method: "POST", body: body).status == 204)
            // User 1 is the same user in either form; the generic user is another one.
            try await server.acknowledge(2, user: "1")
            try await server.acknowledge(2, user: nil)
            let count: JSONNode = userID == "1" ? 2 : 3
            #expect(try await server.acknowledgements()["clients"] == count)
        }
    }

    @Test func aVersionThatTheServerDoesNotKnowIsNotCounted() async throws {
        try await run { server in
            let next = try await server.acknowledge(3, user: "1")
            #expect(next.status == 204)
            #expect(try await server.acknowledge(999_999_999, user: "2").status == 204)
            #expect(try await server.acknowledgements()["clients"] == 0)
        }
    }

    /// Clients can have versions that the store lost in a restore, below those since.
    @Test func aVersionThatTheStoreLacksIsNotCounted() async throws {
        let store = InMemoryTemplateStore()
        var options = ConfigServerOptions()
        options.acknowledgedShare = 1
        try await RunningServer.with(store: store, options: options) { server in
            try await server.publish(.sample)
            let next = try await store.raiseVersions(VersionRaise(reason: "test"))
            try await server.publish(.sample)
            for (user, version) in [("1", 1), ("2", 8), ("3", next)] {
                #expect(try await server.acknowledge(version, user: user).status == 204)
            }
            let counts = try await server.acknowledgements()
            #expect(counts["clients"] == 2)
            let versions = counts["versions"]?.arrayValue?.map { $0["version"] }
            #expect(versions == [.string("\(next)"), "1"])
        }
    }

    @Test func documentsAndStreamsAskForThem() async throws {
        try await run(share: 0.25) { server in
            let document = try await server.answer("/activeconfig/user/1")
            #expect(document.fields["activeconfig-acknowledge"] == "0.25")
            let known = try await server.answer(
                "/activeconfig/user/1",
                fields: ["If-None-Match: \(document.fields["etag"] ?? "")"])
            #expect(known.fields["activeconfig-acknowledge"] == "0.25")
            try await EventStreamClient.open(port: server.port, "/activeconfig/events") { stream in
                #expect(stream.head.contains("ActiveConfig-Acknowledge: 0.25\r\n"))
                let hello = try await stream.next()
                #expect(hello.data?["acknowledge"]?.doubleValue == 0.25)
            }
        }
    }

    @Test func theyAreSwitchedOffUnlessWanted() async throws {
        try await run(share: nil) { server in
            #expect(try await server.acknowledge(1, user: "1").status == 404)
            let document = try await server.answer("/activeconfig/user/1")
            #expect(document.fields["activeconfig-acknowledge"] == nil)
            let connections = try await server.connections()
            #expect(connections == ["connections": 0, "versions": [:]])
            try await server.stream(ofUser: "1") { stream in
                #expect(!stream.head.contains("Acknowledge"))
            }
        }
    }

    @Test func anotherProjectHasItsOwn() async throws {
        try await run { server in
            try await server.publish(.sample, project: "other")
            let body = #"{"template_version": 1}"#
            let answer = try await server.answer(
                "/projects/other/activeconfig/user/1/acknowledgement", method: "POST", body: body)
            #expect(answer.status == 204)
            #expect(try await server.acknowledgements()["clients"] == 0)
            let missing = try await server.answer(
                "/projects/none/activeconfig/acknowledgement", method: "POST", body: body)
            #expect(missing.status == 404)
        }
    }

    @Test func onlyTheUserThemselvesMayAcknowledge() async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [], userTokens: try await UserTokenVerifier(secret: Secret(UserToken.secret)))
        try await run(options) { server in
            let field = try await UserToken.field("1")
            #expect(try await server.acknowledge(1, user: "1").status == 401)
            #expect(try await server.acknowledge(1, user: "2", fields: [field]).status == 403)
            #expect(try await server.acknowledge(1, user: "1", fields: [field]).status == 204)
        }
    }

    @Test func theRateOfAnAddressIsLimited() async throws {
        var options = ConfigServerOptions()
        options.clientLimits.acknowledgementsPerSecond = 1
        try await run(options) { server in
            var statuses: Set<Int> = []
            while !statuses.contains(429) {
                statuses.insert(try await server.acknowledge(1, user: "1").status)
            }
            #expect(statuses == [204, 429])
        }
    }

    private static func body(problems: Int = 0, length: Int = 0, name: Int = 1) -> String {
        let problem: JSONNode = [
            "section": .string(String(repeating: "s", count: name)),
            // Each character consists of two scalars and more bytes.
            "message": .string(String(repeating: "e\u{301}", count: length / 2)),
        ]
        let body: JSONNode = [
            "template_version": 1, "etag": "\"x\"",
            "problems": .array(Array(repeating: problem, count: problems)), "unknown": [1],
        ]
        return body.description
    }

    private static let bodies: [NamedRow<(String, Int)>] = [
        NamedRow("no JSON", ("{", 400)), NamedRow("no object", ("[]", 400)),
        NamedRow("no version", ("{}", 400)),
        NamedRow("version 0", (#"{"template_version": 0}"#, 400)),
        NamedRow("a text as version", (#"{"template_version": "1"}"#, 400)),
        NamedRow("a fraction", (#"{"template_version": 1.5}"#, 400)),
        NamedRow("the version alone", (#"{"template_version": 1}"#, 204)),
        NamedRow("a number as tag", (#"{"template_version": 1, "etag": 5}"#, 400)),
        NamedRow("problems that are no array", (#"{"template_version": 1, "problems": {}}"#, 400)),
        NamedRow("a problem without section", (#"{"template_version": 1, "problems": [{}]}"#, 400)),
        NamedRow("a problem as a string", (#"{"template_version": 1, "problems": ["x"]}"#, 400)),
        NamedRow("as many problems as allowed", (body(problems: 50), 204)),
        NamedRow("one more", (body(problems: 51), 400)),
        NamedRow("the longest message", (body(problems: 1, length: 500), 204)),
        NamedRow("a longer one", (body(problems: 1, length: 502), 400)),
        NamedRow("the longest name", (body(problems: 1, name: 256), 204)),
        NamedRow("a longer one", (body(problems: 1, name: 257), 400)),
    ]

    @Test(arguments: bodies)
    func aBodyIsReadWithinItsLimits(row: NamedRow<(String, Int)>) async throws {
        try await run { server in
            let answer = try await server.answer(
                "/activeconfig/user/1/acknowledgement", method: "POST", body: row.value.0)
            #expect(answer.status == row.value.1)
        }
    }
}

extension RunningServer {
    @discardableResult
    fileprivate func acknowledge(
        _ version: Int, user: String?, problems: [JSONNode] = [], fields: [String] = []
    ) async throws -> HTTPAnswer {
        let path = user.map { "/activeconfig/user/\($0.percentEncoded)" } ?? "/activeconfig"
        let body: JSONNode = [
            "template_version": .number("\(version)"), "problems": .array(problems),
        ]
        return try await answer(
            path + "/acknowledgement", method: "POST", fields: fields, body: body.description)
    }

    fileprivate func acknowledgements() async throws -> JSONNode {
        try #require(try await connections()["acknowledgements"])
    }
}
