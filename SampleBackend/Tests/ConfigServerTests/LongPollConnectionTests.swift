import ClientAPI
import Foundation
import HTTPServing
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// Header fields, connections and the end of long polls (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LongPollConnectionTests {
    private static let target = "/activeconfig/user/1"

    @Test(arguments: [
        ["Prefer: wait=30"], ["If-None-Match: \"other\"", "Prefer: wait=30"],
        ["If-None-Match: \"other\"", "Prefer: wait=x"],
    ])
    func withoutTheTagOfNowItIsAnOrdinaryRequest(fields: [String]) async throws {
        try await RunningServer.withSample { server in
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
        try await RunningServer.withSample { server in
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
        try await RunningServer.withSample { server in
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

    @Test func requestsPipelinedAfterItAreAnsweredAfterIt() async throws {
        try await RunningServer.withSample { server in
            let tag = try await server.tag(of: Self.target)
            try await HTTPConnection.open(port: server.port) { connection in
                let poll = server.pollText(Self.target, tag: tag)
                connection.send(
                    "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n" + poll
                        + "GET /activeconfig/user/2 HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await connection.receive().json == ["status": "ok"])
                try await server.waitForConnections(1)
                try await server.publish(.titled("Hi ${user.id}"))
                let first = try await connection.receive()
                #expect(try first.json.setting("title", in: "Home") == "Hi 1")
                let second = try await connection.receive()
                #expect(try second.json.setting("title", in: "Home") == "Hi 2")
                // The connection continues to serve requests, including another poll.
                connection.send(
                    server.pollText(Self.target, tag: first.fields["etag"] ?? ""))
                try await server.waitForConnections(1)
                try await server.publish(.titled("Ho"))
                #expect(try await connection.receive().status == 200)
            }
        }
    }

    @Test func aRequestThatIsCutAtEachByteWaitsNever() async throws {
        try await RunningServer.withSample { server in
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
        options.clientLimits.streamsPerAddress = 2
        try await RunningServer.withSample(options) { server in
            let tag = try await server.tag(of: Self.target)
            let fields = ["If-None-Match: \(tag)", "Prefer: wait=60"]
            try await server.poll(Self.target) { _ in
                try await server.stream(ofUser: "2") { _ in
                    let refused = try await server.answer(Self.target, fields: fields)
                    #expect(refused.status == 429)
                    #expect(refused.fields["retry-after"].flatMap { Int($0) } ?? 0 > 0)
                    // An ordinary request does not count toward the limit.
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
        try await RunningServer.withSample(options) { server in
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

    /// The server cannot distinguish a half-closed client from a disconnected one.
    @Test func aClientThatClosesItsSendingSideIsAnsweredAtOnce() async throws {
        try await RunningServer.withSample { server in
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
        try await RunningServer.withSample { server in
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
        try await RunningServer.withSample(options) { server in
            let (field, tag) = try await server.tokenThatExpires(Self.target)
            let answer = try await server.answer(
                Self.target, fields: [field, "If-None-Match: \(tag)", "Prefer: wait=60"])
            #expect(answer.status == 401)
            #expect(answer.fields["www-authenticate"] == "Bearer")
            #expect(answer.error?.message.contains("has expired") == true)
            let other = try await server.answer(
                "/activeconfig/user/2", fields: [field, "If-None-Match: \(tag)", "Prefer: wait=60"])
            #expect(other.status == 401)
        }
    }
}

extension RunningServer {
    /// A token of user 1 that expires soon, with the tag that a target has for it.
    fileprivate func tokenThatExpires(_ target: String) async throws -> (String, tag: String) {
        // Retries with longer lifetimes, for a busy machine.
        for lifetime in [2, 10, 50] as [TimeInterval] {
            let field = try await UserToken.field("1", lifetime: lifetime)
            let answer = try await answer(target, fields: [field])
            if let tag = answer.fields["etag"] { return (field, tag) }
        }
        throw CancellationError()
    }
}
