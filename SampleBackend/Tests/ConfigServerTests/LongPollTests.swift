import ClientAPI
import Foundation
import HTTPServing
import InMemoryTemplateStore
import JSONTree
import SQLiteTemplateStore
import SeededRandomness
import ServerTestSupport
import TemplateStore
import TemporaryFolders
import Testing

@testable import ConfigServer

/// Requests for a document that wait until it changes (HTTP 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LongPollTests {
    private static let target = "/activeconfig/user/1"

    private func run(
        _ options: ConfigServerOptions = ConfigServerOptions(),
        store: any TemplateStore = InMemoryTemplateStore(),
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(store: store, options: options) { server in
            try await server.publish(.sample)
            try await body(server)
        }
    }

    private func changed(_ text: String, of condition: String? = nil) -> JSONNode {
        var template = JSONNode.sample
        template.setTitle(of: condition, to: text)
        return template
    }

    @Test(arguments: [
        "/activeconfig", "/activeconfig/user/1", "/active_config?userID=1",
        "/projects/default/activeconfig", "/projects/default/activeconfig/user/1",
    ])
    func aPublishAnswersAWaitingRequest(target: String) async throws {
        try await run { server in
            try await server.poll(target) { connection in
                try await server.publish(changed("Hi"))
                let answer = try await connection.receive()
                #expect(answer.status == 200)
                #expect(answer.fields["preference-applied"] == "wait=60")
                #expect(try answer.json.setting("title", in: "Home") == "Hi")
                let document = try await server.answer(target)
                #expect(document.body == answer.body)
                #expect(document.fields["etag"] == answer.fields["etag"])
                #expect(try await server.connections()["connections"] == 0)
            }
        }
    }

    @Test func aFileOfTemplatesThatAnotherProcessChangesAnswersIt() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("test.sqlite")
        let store = try await SQLiteTemplateStore(path: path)
        let other = try await SQLiteTemplateStore(path: path)
        try await run(store: store) { server in
            try await server.poll(Self.target) { connection in
                try await RunningServer.with(store: other) { other in
                    _ = try await other.publish(changed("Hi"))
                }
                let answer = try await connection.receive()
                #expect(try answer.json.setting("title", in: "Home") == "Hi")
            }
        }
        await other.close()
        await store.close()
    }

    @Test func theTimeOverIsAnsweredWithTheSameTag() async throws {
        try await run { server in
            let tag = try await server.tag(of: Self.target)
            let start = ContinuousClock.now
            let answer = try await server.answer(
                Self.target, fields: ["If-None-Match: \(tag)", "Prefer: wait=1"])
            #expect(start.duration(to: .now) >= .seconds(1))  // deadline: a lower bound
            #expect(answer.status == 304)
            #expect(answer.body.isEmpty)
            #expect(answer.fields["etag"] == tag)
            #expect(answer.fields["preference-applied"] == "wait=1")
            #expect(answer.fields["retry-after"] == nil)
        }
    }

    @Test func aPublishThatChangesNothingForTheUserWakesNobody() async throws {
        try await run { server in
            let tag = try await server.tag(of: Self.target)
            try await server.poll(Self.target) { connection in
                try await server.publish(changed("Others", of: "third"))
                var found: JSONNode = [:]
                try await waitUntil {
                    found = try await server.connections()
                    return found["versions"] == ["2": 1] || found["connections"] == 0
                }
                // The poll has seen the version, and waits.
                #expect(found["versions"] == ["2": 1])
                #expect(found["connections"] == 1)
                try await connection.finishSending()
                let answer = try await connection.receive()
                #expect(answer.status == 304)
                #expect(answer.fields["etag"] == tag)
                #expect(answer.fields["activeconfig-template-version"] == "2")
            }
        }
    }

    @Test func aPublishThatChangesAnExperimentAloneAnswersAWaitingRequest() async throws {
        @Sendable func template(share: Int) -> JSONNode {
            var template = JSONNode.sample
            template.setMember(
                "conditions",
                [
                    ["name": "third", "expression": "user.id == '3'"],
                    ["name": "tokyo", "expression": "false"],
                    ["name": "half", "expression": .string("percent <= \(share)")],
                ])
            return template
        }
        try await run { server in
            try await server.publish(template(share: 0))
            try await server.poll(Self.target) { connection in
                try await server.publish(template(share: 100))
                var found: JSONNode = [:]
                try await waitUntil {
                    found = try await server.connections()
                    return found["versions"] == ["3": 1] || found["connections"] == 0
                }
                #expect(found["connections"] == 0)
                let answer = try await connection.receive()
                #expect(answer.status == 200)
                #expect(try answer.json["meta"]?["experiments"] == ["half": true])
            }
        }
    }

    @Test func theTimeOverNamesTheVersionThatWokeNobody() async throws {
        try await run { server in
            let tag = try await server.tag(of: Self.target)
            // Tries longer waits, for a machine that publishes too late.
            for (version, seconds) in [(2, 1), (3, 5), (4, 25)] {
                let answer = try await HTTPConnection.open(port: server.port) { connection in
                    let start = ContinuousClock.now
                    connection.send(
                        target: Self.target,
                        fields: ["If-None-Match: \(tag)", "Prefer: wait=\(seconds)"])
                    try await waitUntil {
                        try await server.connections()["connections"] == 1
                            // deadline: a poll that is over already is tried again
                            || start.duration(to: .now) > .seconds(seconds)
                    }
                    try await server.publish(changed("Others \(seconds)", of: "third"))
                    let answer = try await connection.receive()
                    // deadline: a lower bound
                    #expect(start.duration(to: .now) >= .seconds(seconds))
                    return answer
                }
                #expect(answer.status == 304)
                #expect(answer.fields["etag"] == tag)
                if answer.fields["activeconfig-template-version"] == "\(version)" { return }
            }
            Issue.record("No publish came while a poll was waiting.")
        }
    }

    @Test(arguments: [
        ["Prefer: wait=30"], ["If-None-Match: \"other\"", "Prefer: wait=30"],
        ["If-None-Match: \"other\"", "Prefer: wait=x"],
    ])
    func withoutTheTagOfNowItIsAnOrdinaryRequest(fields: [String]) async throws {
        try await run { server in
            let answer = try await server.answer(Self.target, fields: fields)
            #expect(answer.status == 200)
            #expect(answer.fields["preference-applied"] == nil)
            let unknown = try await server.answer("/projects/nothing/activeconfig", fields: fields)
            #expect(unknown.status == 404)
        }
    }

    @Test(arguments: [
        "Prefer: wait", "Prefer: wait=soon", "Prefer: respond-async", "Prefer: wait=-1",
    ])
    func aPreferenceThatCannotBeReadIsIgnored(field: String) async throws {
        try await run { server in
            let tag = try await server.tag(of: Self.target)
            let answer = try await server.answer(
                Self.target, fields: ["If-None-Match: \(tag)", field])
            #expect(answer.status == 304)
            #expect(answer.fields["preference-applied"] == nil)
            let head = try await server.answer(
                Self.target, method: "HEAD", fields: ["If-None-Match: \(tag)", "Prefer: wait=30"])
            #expect(head.status == 304)
        }
    }

    @Test func severalPreferencesInSeveralFieldsAreRead() async throws {
        try await run { server in
            let tag = try await server.tag(of: Self.target)
            let answer = try await server.answer(
                Self.target,
                fields: [
                    "If-None-Match: \"a\"", "Prefer: respond-async, return=minimal; x=\"a,b\"",
                    "If-None-Match: \(tag.dropFirst(2))", "prefer: Wait=\"1\"",
                ])
            #expect(answer.status == 304)
            #expect(answer.fields["preference-applied"] == "wait=1")
        }
    }

    @Test func whatIsPipelinedBehindItIsAnsweredAfterIt() async throws {
        try await run { server in
            let tag = try await server.tag(of: Self.target)
            try await HTTPConnection.open(port: server.port) { connection in
                let poll = server.pollText(Self.target, tag: tag)
                connection.send(
                    "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n" + poll
                        + "GET /activeconfig/user/2 HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await connection.receive().json == ["status": "ok"])
                try await server.waitForConnections(1)
                try await server.publish(changed("Hi ${user.id}"))
                let first = try await connection.receive()
                #expect(try first.json.setting("title", in: "Home") == "Hi 1")
                let second = try await connection.receive()
                #expect(try second.json.setting("title", in: "Home") == "Hi 2")
                // The connection serves on, also another poll.
                connection.send(
                    server.pollText(Self.target, tag: first.fields["etag"] ?? ""))
                try await server.waitForConnections(1)
                try await server.publish(changed("Ho"))
                #expect(try await connection.receive().status == 200)
            }
        }
    }

    @Test func aRequestThatIsCutAtEachByteWaitsNever() async throws {
        try await run { server in
            let text = server.pollText(Self.target, tag: try await server.tag(of: Self.target))
            for length in 0..<text.utf8.count {
                try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(Array(text.utf8.prefix(length)))
                }
            }
            #expect(try await server.connections()["connections"] == 0)
            try await HTTPConnection.open(port: server.port) { connection in
                for byte in text.utf8 { connection.send([byte]) }
                try await server.waitForConnections(1)
            }
            try await server.waitForConnections(0)
        }
    }

    @Test func aClientThatGoesAwayFreesItsPlace() async throws {
        var options = ConfigServerOptions()
        options.limits.streamsPerAddress = 2
        try await run(options) { server in
            let tag = try await server.tag(of: Self.target)
            let fields = ["If-None-Match: \(tag)", "Prefer: wait=60"]
            try await server.poll(Self.target) { _ in
                try await server.stream(ofUser: "2") { _ in
                    let refused = try await server.answer(Self.target, fields: fields)
                    #expect(refused.status == 429)
                    #expect(refused.fields["retry-after"].flatMap { Int($0) } ?? 0 > 0)
                    // An ordinary request needs no place.
                    #expect(try await server.answer(Self.target).status == 200)
                }
            }
            try await server.waitForConnections(0)
            try await server.poll(Self.target) { _ in }
        }
    }

    @Test func theServerRefusesMoreThanItsPlaces() async throws {
        var options = ConfigServerOptions()
        options.maximumConnections = 16
        try await run(options) { server in
            let tag = try await server.tag(of: Self.target)
            let text = server.pollText(Self.target, tag: tag)
            try await IdleConnections.open(Array(repeating: text, count: 8), port: server.port) {
                _ in
                try await server.waitForConnections(8)
                let refused = try await server.answer(
                    Self.target, fields: ["If-None-Match: \(tag)", "Prefer: wait=60"])
                #expect(refused.status == 503)
            }
        }
    }

    /// Nobody can tell a half-closed client from one that has gone.
    @Test func aClientThatClosesItsSendingSideIsAnsweredAtOnce() async throws {
        try await run { server in
            let tag = try await server.tag(of: Self.target)
            for isPipelined in [false, true] {
                try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(
                        server.pollText(Self.target, tag: tag)
                            + (isPipelined ? "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n" : ""))
                    try await server.waitForConnections(1)
                    try await connection.finishSending()
                    #expect(try await connection.receive().status == 304)
                    if isPipelined { #expect(try await connection.receive().status == 200) }
                    #expect(await connection.receiveEnd().isEmpty)
                }
                try await HTTPConnection.open(port: server.port) { connection in
                    connection.send(server.pollText(Self.target, tag: tag))
                    try await connection.finishSending()
                    #expect(try await connection.receive().status == 304)
                    #expect(await connection.receiveEnd().isEmpty)
                }
            }
        }
    }

    @Test func aShutdownAnswersItAtOnce() async throws {
        try await run { server in
            try await server.poll(Self.target) { connection in
                await server.shutDown()
                let answer = try await connection.receive()
                #expect(answer.status == 304)
                #expect((1...30).contains(answer.fields["retry-after"].flatMap { Int($0) } ?? 0))
                #expect(answer.fields["connection"] == "close")
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test func anExpiredTokenOfTheUserEndsIt() async throws {
        var options = ConfigServerOptions()
        options.clientAccess = ClientAccess(
            keys: [], userTokens: try await UserTokenVerifier(secret: Secret(UserToken.secret)))
        try await run(options) { server in
            let (field, tag) = try await server.tokenThatExpires(Self.target)
            let answer = try await server.answer(
                Self.target, fields: [field, "If-None-Match: \(tag)", "Prefer: wait=60"])
            #expect(answer.status == 401)
            #expect(answer.fields["www-authenticate"] == "Bearer")
            let other = try await server.answer(
                "/activeconfig/user/2", fields: [field, "If-None-Match: \(tag)", "Prefer: wait=60"])
            #expect(other.status == 401)
        }
    }

    @Test func pinnedValuesAnswerTheRequestsOfTheirUserAlone() async throws {
        try await run { server in
            try await server.poll(Self.target) { connection in
                try await server.poll("/activeconfig/user/2") { _ in
                    try await server.administer(
                        "PUT", "/v1/projects/default/users/1/overrides",
                        body: ["Home": ["title": "pinned"]])
                    let answer = try await connection.receive()
                    #expect(try answer.json.setting("title", in: "Home") == "pinned")
                    try await server.waitForConnections(1)
                }
            }
        }
    }

    @Test func aTimeThatAConditionWaitsForAnswersIt() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let date = Date(
                timeIntervalSince1970: (Date().timeIntervalSince1970 + 3).rounded(.down))
            let text = date.formatted(
                .iso8601.year().month().day().time(includingFractionalSeconds: false))
            var template = JSONNode.sample
            template.setMember(
                "conditions",
                [["name": "third", "expression": .string("dateTime >= dateTime('\(text)')")]])
            template.setMember("parameterGroups", [:])
            try await server.publish(template)
            var answer = try await server.answer(Self.target)
            while try answer.json.setting("isNew", in: "Default") == false {
                answer = try await server.answer(
                    Self.target,
                    fields: ["If-None-Match: \(answer.fields["etag"] ?? "")", "Prefer: wait=60"])
                #expect(answer.status == 200)
            }
            #expect(Date() >= date)  // deadline: a lower bound
        }
    }

    /// Publishes race with looks at the tag: whoever misses one waits for 60 s.
    @Test func noPublishIsMissed() async throws {
        try await run { server in
            let last = 60
            // Of the last publish.
            let end = Locked<ContinuousClock.Instant?>(nil)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for user in 0..<8 {
                    tasks.addTask {
                        try await HTTPConnection.open(port: server.port) { connection in
                            var tag = "\"\""
                            var title = ""
                            while title != "\(last)" {
                                connection.send(
                                    target: "/activeconfig/user/\(user)",
                                    fields: ["If-None-Match: \(tag)", "Prefer: wait=60"])
                                let answer = try await connection.receive()
                                try #require(answer.status == 200)
                                tag = answer.fields["etag"] ?? ""
                                title =
                                    try answer.json.setting("title", in: "Home")?.stringValue ?? ""
                            }
                            // deadline: one that is missed is found after 60 s
                            let late = end.withLock { $0?.duration(to: .now) } ?? .zero
                            #expect(late < .seconds(50))
                        }
                    }
                }
                tasks.addTask {
                    for number in 1...last {
                        var template = JSONNode.sample
                        template.setTitle(of: nil, to: "\(number)")
                        template.setTitle(of: "third", to: "\(number)")
                        template.setTitle(of: "tokyo", to: "\(number)")
                        try await server.publish(template)
                    }
                    end.withLock { $0 = .now }
                }
                try await tasks.waitForAll()
            }
        }
    }
}

extension RunningServer {
    /// The tag of a document.
    fileprivate func tag(of target: String) async throws -> String {
        try #require(try await answer(target).fields["etag"])
    }

    fileprivate func pollText(_ target: String, tag: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\nPrefer: wait=60\r\n\r\n"
    }

    /// Sends a request that waits, and calls `body` when it does.
    fileprivate func poll(
        _ target: String, _ body: (HTTPConnection) async throws -> Void
    ) async throws {
        let tag = try await tag(of: target)
        let before = try await connections()["connections"]?.integerValue ?? 0
        try await HTTPConnection.open(port: port) { connection in
            connection.send(pollText(target, tag: tag))
            try await waitForConnections(before + 1)
            try await body(connection)
        }
    }

    /// A token of user 1 that soon expires, with the tag that a target has for it.
    fileprivate func tokenThatExpires(_ target: String) async throws -> (String, tag: String) {
        // Tries longer lifetimes, for a busy machine.
        for lifetime in [2, 10, 50] as [TimeInterval] {
            let field = try await UserToken.field("1", lifetime: lifetime)
            let answer = try await answer(target, fields: [field])
            if let tag = answer.fields["etag"] { return (field, tag) }
        }
        throw CancellationError()
    }
}
