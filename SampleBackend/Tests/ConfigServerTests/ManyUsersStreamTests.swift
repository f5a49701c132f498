import ClientAPI
import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import AdminAPI
@testable import ConfigServer

/// Streams for many users, as services open them (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ManyUsersStreamTests {
    private static let key = "a-key-of-a-service"
    private static let target = "/activeconfig/events"

    private func run(
        _ options: ConfigServerOptions = ConfigServerOptions(),
        store: any TemplateStore = InMemoryTemplateStore(),
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        var options = options
        options.serviceKeys = [SecretHash(of: "another"), SecretHash(of: Self.key)]
        try await RunningServer.with(store: store, options: options) { server in
            try await server.publish(.sample)
            try await body(server)
        }
    }

    private func user(
        _ id: String?, _ signals: JSONNode? = nil, lastEventID: String? = nil
    ) -> JSONNode {
        var user: JSONNode = ["user_id": id.map { .string($0) } ?? .null]
        user.setMember("signals", signals)
        user.setMember("last_event_id", lastEventID.map { .string($0) })
        return user
    }

    /// Opens a stream, and reads the `hello` event of each user.
    private func open(
        _ users: [JSONNode], of server: RunningServer, target: String = Self.target,
        _ body: (EventStreamClient) async throws -> Void
    ) async throws {
        try await EventStreamClient.open(
            port: server.port, target, method: "POST", fields: ["X-API-Key: \(Self.key)"],
            content: (["users": .array(users)] as JSONNode).description
        ) { stream in
            #expect(stream.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
            for user in users {
                let hello = try await stream.next()
                #expect(hello.name == "hello")
                #expect(hello.data?["user_id"] == user["user_id"])
                #expect(hello.data?["template_version"]?.integerValue ?? 0 > 0)
            }
            try await body(stream)
        }
    }

    @Test(arguments: ["/activeconfig/events", "/projects/default/activeconfig/events"])
    func eachUserReceivesOnlyTheirOwnChanges(target: String) async throws {
        try await run { server in
            let users = [
                user("1"), user("3"), user(nil), user("t", ["city": "Tokyo", "age": 7]),
                user("ü/\"\n"),
            ]
            try await open(users, of: server, target: target) { stream in
                #expect(try await server.connections()["connections"] == 5)
                var template = JSONNode.sample
                template.setTitle(of: "third", to: "For three")
                try await server.publish(template)
                let third = try await stream.next()
                #expect(third.name == "update")
                #expect(third.id == "2")
                #expect(third.data?["user_id"] == "3")
                template.setTitle(of: nil, to: "Hi ${user.id}")
                try await server.publish(template)
                var titles: [JSONNode: JSONNode] = [:]
                for _ in 0..<3 {
                    let event = try await stream.next()
                    let data = try #require(event.data)
                    titles[data["user_id"] ?? "none"] =
                        data["sections"]?["Home"]?["settings"]?["title"]?["value"]
                    #expect(data["etag"] != nil)
                }
                #expect(titles == ["1": "Hi 1", .null: "Hi ", "ü/\"\n": "Hi ü/\"\n"])
                #expect(try await server.connections()["versions"] == ["3": 5])
            }
            try await server.waitForConnections(0)
        }
    }

    @Test func eachUserResumesWhereTheyWere() async throws {
        try await run { server in
            var template = JSONNode.sample
            template.setTitle(of: "third", to: "For three")
            try await server.publish(template)
            let users = [
                user("1", lastEventID: "1"), user("3", lastEventID: "1"),
                user("4", lastEventID: "9"), user("5", lastEventID: "x"), user("6"),
                user("7", lastEventID: "2"),
            ]
            try await open(users, of: server) { stream in
                var events: [JSONNode: String] = [:]
                for _ in 0..<3 {
                    let event = try await stream.next()
                    events[event.data?["user_id"] ?? .null] = event.name
                }
                #expect(events == ["3": "update", "4": "reset", "5": "reset"])
            }
        }
    }

    @Test func aThousandUsersShareWhatIsRendered() async throws {
        try await run { server in
            let users = (0..<1_000).map { user("u\($0)", ["city": "Tokyo"]) }
            try await open(users, of: server) { stream in
                var template = JSONNode.sample
                template.setTitle(of: "tokyo", to: "Hai")
                try await server.publish(template)
                var seen: Set<String> = []
                for _ in 0..<1_000 {
                    let event = try await stream.next()
                    #expect(event.name == "update")
                    seen.insert(event.data?["user_id"]?.stringValue ?? "")
                }
                #expect(seen.count == 1_000)
                #expect(try await server.connections()["versions"] == ["2": 1_000])
            }
        }
    }

    /// The replica learns of the revocation from the store.
    @Test(arguments: [false, true])
    func aStreamEndsWhenItsTokenIsRevoked(isReplica: Bool) async throws {
        let store = InMemoryTemplateStore()
        try await run(store: store) { server in
            try await RunningServer.with(store: store) { replica in
                let created = try await server.administer(
                    "POST", "/v1/tokens", body: ["name": "service", "role": "viewer"]
                ).json
                let token = try #require(created["token"]?.stringValue)
                let asked = isReplica ? replica : server
                try await waitUntil {
                    try await asked.administer("GET", "/v1/projects", token: token).status == 200
                }
                let users: JSONNode = ["users": .array([user("1"), user("2")])]
                try await EventStreamClient.open(
                    port: asked.port, Self.target, method: "POST",
                    fields: ["Authorization: Bearer \(token)"], content: users.description
                ) { stream in
                    for _ in 0..<2 { #expect(try await stream.next().name == "hello") }
                    let id = try #require(created["id"]?.stringValue)
                    let revoked = try await server.administer("DELETE", "/v1/tokens/\(id)")
                    #expect(revoked.status == 200)
                    var template = JSONNode.sample
                    template.setTitle(of: nil, to: "Secret")
                    try await server.publish(template)
                    #expect(try await stream.next().name == "retry")
                    #expect(try await stream.receiveEnd().isEmpty)
                }
                // The end of one token is not that of others.
                try await open([user("1")], of: server) { stream in
                    let other = try await server.administer(
                        "POST", "/v1/tokens", body: ["name": "other", "role": "viewer"]
                    ).json["id"]?.stringValue
                    try await server.administer("DELETE", "/v1/tokens/\(other ?? "")")
                    var template = JSONNode.sample
                    template.setTitle(of: nil, to: "Public")
                    try await server.publish(template)
                    #expect(try await stream.next().name == "update")
                }
            }
        }
    }

    /// Sending one `reset` per user bounds the memory for a service that does not read.
    @Test func aServiceThatReadsSlowlyGetsAReset() async throws {
        var options = ConfigServerOptions()
        options.clientLimits.usersStreamQueueBytes = 256 << 10
        @Sendable func template(_ number: Int) -> JSONNode {
            let text = String(repeating: "\(number % 10)", count: 20_000)
            return ["parameters": ["a": ["defaultValue": ["value": .string(text)]]]]
        }
        try await run(options) { server in
            try await server.publish(template(0))
            let users = (0..<500).map { user("\($0)") }
            let body: JSONNode = ["users": .array(users)]
            try await HTTPConnection.open(port: server.port, reads: false) { connection in
                connection.send(
                    method: "POST", target: Self.target, fields: ["X-API-Key: \(Self.key)"],
                    body: body.description)
                try await server.waitForConnections(500)
                for number in 1...4 { try await server.publish(template(number)) }
                try await connection.startReading()
                var text = ""
                var resets: Set<Substring> = []
                while resets.count < 100 {
                    text += try await connection.receive(through: "\n\n")
                    guard let end = text.firstRange(of: "\n\n") else { continue }
                    let event = text[..<end.lowerBound]
                    if event.contains("event: reset") {
                        let start = try #require(event.firstRange(of: "\"user_id\":"))
                        resets.insert(event[start.upperBound...].prefix { $0 != "," })
                    }
                    text = ""
                }
                // The stream stays open.
                #expect(try await server.connections()["connections"] == 500)
            }
        }
    }

    @Test func theServerClosesAServiceThatReadsNothing() async throws {
        var options = ConfigServerOptions()
        // deadline: the interval of the server's checks
        options.clientLimits.heartbeatInterval = .milliseconds(50)
        // deadline: the sockets hold the events sent before the publish
        options.limits.unreadTime = .milliseconds(500)
        let text = String(repeating: "x", count: 20_000)
        try await run(options) { server in
            let users = (0..<1_000).map { user("\($0)") }
            let body: JSONNode = ["users": .array(users)]
            try await HTTPConnection.open(port: server.port, reads: false) { connection in
                connection.send(
                    method: "POST", target: Self.target, fields: ["X-API-Key: \(Self.key)"],
                    body: body.description)
                try await server.waitForConnections(1_000)
                try await server.publish(
                    ["parameters": ["a": ["defaultValue": ["value": .string(text)]]]])
                try await server.waitForConnections(0)
            }
        }
    }

    // MARK: Credentials

    @Test func onlyServicesAndAdministratorsMayListenForMany() async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: ["client"],
            userTokens: try await UserTokenVerifier(secret: Secret(UserToken.secret)))
        let body = #"{"users": [{"user_id": "1"}]}"#
        try await run(options) { server in
            let refused = [
                ([], 401), (["X-API-Key: wrong"], 401), (["Authorization: Bearer wrong"], 401),
                (["X-API-Key: client"], 403), ([try await UserToken.field("1")], 403),
                ([try await UserToken.field("1", lifetime: -5)], 401),
            ]
            for (fields, status) in refused {
                for body in [body, "{", ""] {
                    for target in [Self.target, "/projects/nothing/activeconfig/events?signal.=1"] {
                        let answer = try await server.answer(
                            target, method: "POST", fields: fields, body: body)
                        #expect(answer.status == status, "\(fields)")
                    }
                }
            }
            let allowed = [
                "X-API-Key: \(Self.key)", "Authorization: Bearer \(Self.key)",
                "X-API-Key: another", "Authorization: Bearer \(RunningServer.administratorToken)",
            ]
            for field in allowed {
                try await EventStreamClient.open(
                    port: server.port, Self.target, method: "POST", fields: [field], content: body
                ) { stream in
                    let hello = try await stream.next()
                    #expect(hello.name == "hello")
                }
                let unknown = try await server.answer(
                    "/projects/nothing/activeconfig/events", method: "POST", fields: [field],
                    body: body)
                #expect(unknown.status == 404)
            }
            // The key of a service is not valid for clients.
            #expect(
                try await server.answer("/activeconfig", fields: ["X-API-Key: \(Self.key)"]).status
                    == 401)
        }
    }

    @Test func anOpenServerNeedsTheKeyOfAServiceToo() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.answer(
                Self.target, method: "POST", body: #"{"users": [{"user_id": "1"}]}"#)
            #expect(answer.status == 401)
        }
    }

    @Test func aTokenThatIsRevokedEndsTheStream() async throws {
        var options = ConfigServerOptions()
        // deadline: the interval of the server's checks
        options.clientLimits.heartbeatInterval = .milliseconds(150)
        let store = InMemoryTemplateStore()
        let token = AccessToken(name: "test", role: .viewer, date: Date(), expirationDate: nil)
        try await store.addToken(token.stored, actor: "test")
        try await run(options, store: store) { server in
            try await EventStreamClient.open(
                port: server.port, Self.target, method: "POST",
                fields: ["Authorization: Bearer \(token.text)"],
                content: #"{"users": [{"user_id": "1"}, {"user_id": "2"}]}"#
            ) { stream in
                for _ in 0..<2 { #expect(try await stream.next().name == "hello") }
                try await server.administer("DELETE", "/v1/tokens/\(token.stored.id)")
                let goodbye = try await stream.next()
                #expect(goodbye.name == "retry")
                #expect(try await stream.receiveEnd().isEmpty)
            }
        }
    }

    @Test func aShutdownEndsTheStreamOnce() async throws {
        try await run { server in
            try await open([user("1"), user("2")], of: server) { stream in
                await server.shutDown()
                let goodbye = try await stream.next()
                #expect(goodbye.name == "retry")
                #expect(try await stream.receiveEnd().isEmpty)
            }
        }
    }

    // MARK: Limits

    @Test func asManyUsersAsAllowedAndNoMore() async throws {
        var options = ConfigServerOptions()
        options.clientLimits.streamUsers = 1_500
        try await run(options) { server in
            func status(_ count: Int) async throws -> Int {
                let body: JSONNode = ["users": .array((0..<count).map { user("\($0)") })]
                return try await server.answer(
                    Self.target, method: "POST", fields: ["X-API-Key: \(Self.key)"],
                    body: body.description
                ).status
            }
            let empty = try await status(0)
            #expect(empty == 400)
            #expect(try await status(1_001) == 400)
            try await open((0..<1_000).map { user("\($0)") }, of: server) { _ in
                let beyond = try await status(501)
                #expect(beyond == 503)
                try await open((0..<500).map { user("\($0)") }, of: server) { _ in }
            }
        }
    }

    @Test func aLargeBodyIsForServicesAlone() async throws {
        let limits = ServerLimits()
        let rows = [
            (limits.bodyBytes, [] as [String], 401), (limits.bodyBytes + 1, [], 401),
            (ClientLimits().usersBodyBytes, [], 401), (ClientLimits().usersBodyBytes + 1, [], 413),
            (ClientLimits().usersBodyBytes + 1, ["X-API-Key: \(Self.key)"], 413),
        ]
        try await run { server in
            for (length, fields, status) in rows {
                try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(
                        method: "POST", target: Self.target,
                        fields: fields + ["Content-Length: \(length)"])
                    if length <= limits.bodyBytes {
                        connection.send(String(repeating: " ", count: length))
                    }
                    let answer = try await connection.receive()
                    #expect(answer.status == status, "\(length)")
                }
            }
            let padding = String(repeating: " ", count: 100_000)
            try await EventStreamClient.open(
                port: server.port, Self.target, method: "POST",
                fields: ["X-API-Key: \(Self.key)"],
                content: padding + #"{"users": [{"user_id": "1"}]}"#
            ) { stream in
                let hello = try await stream.next()
                #expect(hello.name == "hello")
            }
        }
    }

    private static let wrongBodies: [NamedRow<(String, String)>] = [
        NamedRow("no JSON", ("{", "JSON")), NamedRow("no object", ("[]", "object")),
        NamedRow("no users", ("{}", "users")),
        NamedRow("users null", (#"{"users": null}"#, "users")),
        NamedRow("an unknown member", (#"{"users": [], "x": 1}"#, "x is unknown")),
        NamedRow("a user that is not an object", (#"{"users": [1]}"#, "users[0]")),
        NamedRow("no ID", (#"{"users": [{"user_id": "1"}, {}]}"#, "users[1].user_id")),
        NamedRow("a number as ID", (#"{"users": [{"user_id": 1}]}"#, "users[0].user_id")),
        NamedRow(
            "an unknown member of a user",
            (#"{"users": [{"user_id": "1", "userID": "1"}]}"#, "users[0].userID is unknown")),
        NamedRow(
            "a user twice",
            (
                #"{"users": [{"user_id": "1"}, {"user_id": "2"}, {"user_id": "1"}]}"#,
                "users[2].user_id is the same as that of users[0]"
            )),
        NamedRow(
            "the generic user twice",
            (#"{"users": [{"user_id": null}, {"user_id": null}]}"#, "users[1].user_id")),
        NamedRow(
            "signals that are no object",
            (#"{"users": [{"user_id": "1", "signals": []}]}"#, "users[0].signals")),
        NamedRow(
            "a signal that is null",
            (#"{"users": [{"user_id": "1", "signals": {"a": null}}]}"#, "users[0].signals.a")),
        NamedRow(
            "a long signal",
            (
                #"{"users": [{"user_id": "1", "signals": {"a": ""#
                    + String(repeating: "x", count: 501) + #""}}]}"#, "users[0].signals"
            )),
        NamedRow(
            "a number as last event",
            (#"{"users": [{"user_id": "1", "last_event_id": 5}]}"#, "users[0].last_event_id")),
    ]

    @Test(arguments: wrongBodies)
    func aWrongBodyIsRefusedWithThePlace(row: NamedRow<(String, String)>) async throws {
        try await run { server in
            let answer = try await server.answer(
                Self.target, method: "POST", fields: ["X-API-Key: \(Self.key)"],
                body: row.value.0)
            #expect(answer.status == 400)
            #expect(answer.error?.message.contains(row.value.1) ?? false, "\(answer)")
        }
    }

    @Test func composedAndDecomposedNamesAreTwoUsers() async throws {
        try await run { server in
            try await open([user("\u{E9}"), user("e\u{301}")], of: server) { _ in }
        }
    }

    @Test func aRequestThatIsCutAtEachByteOpensNothing() async throws {
        try await run { server in
            let body = #"{"users": [{"user_id": "1"}]}"#
            let text =
                "POST /activeconfig/events HTTP/1.1\r\nHost: a\r\nX-API-Key: \(Self.key)\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
            for length in 0..<text.utf8.count {
                try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(Array(text.utf8.prefix(length)))
                }
            }
            #expect(try await server.connections()["connections"] == 0)
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send("GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
                for byte in text.utf8 { connection.send([byte]) }
                #expect(try await connection.receive().json == ["status": "ok"])
                _ = try await connection.receive(through: "event: hello")
            }
        }
    }
}
