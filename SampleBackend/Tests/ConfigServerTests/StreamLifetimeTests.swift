import ConfigServer
import Foundation
import JSONTree
import JWTKit
import ServerTestSupport
import TemplateStore
import Testing

/// How long streams stay open, and how many.
@Suite(.timeLimit(.minutes(2)))
struct StreamLifetimeTests {
    @Test func endsAtItsMaximumAge() async throws {
        var configuration = ConfigServerConfiguration()
        configuration.limits.heartbeatInterval = .milliseconds(600)
        configuration.limits.streamMaximumAge = .milliseconds(400)
        try await RunningServer.with(
            store: InMemoryTemplateStore(), configuration: configuration
        ) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { stream in
                let goodbye = try await stream.next()
                #expect(goodbye.name == "retry")
                let delay = try #require(goodbye.data?["after_ms"]?.integerValue)
                #expect((0..<1_000).contains(delay))
                #expect(await stream.receiveEnd() == "")
            }
            // The server goes on, with new streams as well.
            try await server.stream(ofUser: "1") { _ in }
        }
    }

    @Test func endsWithTheTokenOfTheUser() async throws {
        var configuration = ConfigServerConfiguration()
        configuration.limits.heartbeatInterval = .milliseconds(600)
        configuration.clientAccess = ClientAccess(
            keys: [],
            userTokens: await JWTKeyCollection().add(
                hmac: HMACKey(from: UserToken.secret), digestAlgorithm: .sha256))
        try await RunningServer.with(
            store: InMemoryTemplateStore(), configuration: configuration
        ) { server in
            try await server.publish(.sample)
            // Long enough for a machine that is busy to open the stream.
            let end = Date() + 5
            let field = try await UserToken.field("1", lifetime: 5)
            try await server.stream(ofUser: "1", fields: [field]) { stream in
                let goodbye = try await stream.next()
                #expect(goodbye.name == "retry")
                #expect(Date() >= end - 1)
                #expect(await stream.receiveEnd() == "")
            }
            let other = try await UserToken.field("1")
            try await server.stream(ofUser: "1", fields: [other]) { _ in }
        }
    }

    @Test func refusesAnAddressThatHasItsStreams() async throws {
        var configuration = ConfigServerConfiguration()
        configuration.limits.streamsPerAddress = 2
        try await RunningServer.with(
            store: InMemoryTemplateStore(), configuration: configuration
        ) { server in
            try await server.publish(.sample)
            let target = "/activeconfig/user/9/events"
            try await server.stream(ofUser: "1") { _ in
                try await server.stream(ofUser: "2") { _ in
                    let refused = try await server.answer(target)
                    #expect(refused.status == 429)
                    #expect(refused.error?.status == "RESOURCE_EXHAUSTED")
                    #expect(refused.fields["retry-after"].flatMap { Int($0) } ?? 0 > 0)
                    #expect(try await server.answer("/activeconfig").status == 200)
                }
                // Others are let in as soon as one has left.
                while try await server.connections()["connections"] != 1 { await Task.yield() }
                try await server.stream(ofUser: "2") { _ in }
            }
        }
    }

    @Test func cutsOffWhoDoesNotReadWhenTheBacklogIsFull() async throws {
        var configuration = ConfigServerConfiguration()
        configuration.limits.clientBacklogBytes = 1 << 20
        // Neither of these is what cuts off.
        configuration.limits.streamQueueBytes = 1 << 30
        configuration.limits.unreadTime = .seconds(600)
        try await RunningServer.with(
            store: InMemoryTemplateStore(), configuration: configuration
        ) { server in
            func template(_ letter: String) -> JSONNode {
                let text = String(repeating: letter, count: 300_000)
                return [
                    "parameters": ["a": ["defaultValue": ["value": .string(text + "${user.id}")]]]
                ]
            }
            try await server.publish(template("a"))
            try await IdleConnections.open(
                (0..<12).map { "GET /activeconfig/user/u\($0)/events HTTP/1.1\r\nHost: a\r\n\r\n" },
                port: server.port, reads: false
            ) { _ in
                while try await server.connections()["connections"] != 12 { await Task.yield() }
                var number = 0
                while try await server.connections()["connections"] == 12 {
                    number += 1
                    // At most three events fit, besides what the sockets have taken.
                    try #require(number < 200)
                    try await server.publish(template("\(number % 10)"))
                }
                // Who was cut off comes back.
                try await EventStreamClient.open(
                    port: server.port, "/activeconfig/user/u1/events", fields: ["Last-Event-ID: 1"]
                ) { stream in
                    #expect(try await stream.next().name == "hello")
                    let update = try await stream.next()
                    #expect(update.name == "update")
                    #expect(update.id == "\(number + 1)")
                }
            }
        }
    }
}
