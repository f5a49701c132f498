import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ClientAPI
@testable import ConfigServer
@testable import HTTPServing

/// Maximum age and number of streams.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StreamLifetimeTests {
    @Test func aStreamEndsAtItsMaximumAge() async throws {
        var options = ConfigServerOptions()
        // deadline: only the interval of the server's checks
        options.clientLimits.heartbeatInterval = .milliseconds(600)
        // deadline: a stream that is too old receives the first event as well
        options.clientLimits.streamMaximumAge = .milliseconds(400)
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { stream in
                let goodbye = try await stream.next()
                #expect(goodbye.name == "retry")
                let delay = try #require(goodbye.data?["after_ms"]?.integerValue)
                #expect((0..<1_000).contains(delay))
                #expect(try await stream.receiveEnd().isEmpty)
            }
            // The server still runs, and accepts new streams.
            try await server.stream(ofUser: "1") { _ in }
        }
    }

    /// This happens when a token expires while the stream is being opened.
    @Test func aStreamBeginsWithAHeadThoughItsTimeIsOver() async throws {
        var options = ConfigServerOptions()
        // deadline: only the interval of the server's checks
        options.clientLimits.heartbeatInterval = .milliseconds(600)
        options.clientLimits.streamMaximumAge = .zero
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { stream in
                #expect(stream.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
                let goodbye = try await stream.next()
                #expect(goodbye.name == "retry")
            }
        }
    }

    @Test func aStreamEndsWhenTheUsersTokenExpires() async throws {
        var options = ConfigServerOptions()
        // deadline: only the interval of the server's checks
        options.clientLimits.heartbeatInterval = .milliseconds(600)
        options.clientAccess = ClientAccess(
            keys: [],
            userTokens: try await UserTokenVerifier(secret: Secret(UserToken.secret)))
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            try await server.publish(.sample)
            // Retries with longer lifetimes, for a machine that opens the stream too late.
            for lifetime in [3, 15, 60] as [TimeInterval] {
                let end = Date() + lifetime
                let field = try await UserToken.field("1", lifetime: lifetime)
                let hasOpened = try await EventStreamClient.open(
                    port: server.port, "/activeconfig/user/1/events", fields: [field]
                ) { stream in
                    guard stream.head.hasPrefix("HTTP/1.1 200 ") else { return false }
                    #expect(try await stream.next().name == "hello")
                    let goodbye = try await stream.next()
                    #expect(goodbye.name == "retry")
                    #expect(Date() >= end - 1)  // deadline: a lower bound
                    #expect(try await stream.receiveEnd().isEmpty)
                    return true
                }
                if hasOpened { break }
                try #require(lifetime < 60)
            }
            let other = try await UserToken.field("1")
            try await server.stream(ofUser: "1", fields: [other]) { _ in }
        }
    }

    @Test func theServerRefusesAnAddressThatHasAllItsStreams() async throws {
        var options = ConfigServerOptions()
        options.clientLimits.streamsPerAddress = 2
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
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
                // Other streams are accepted as soon as one has ended.
                try await server.waitForConnections(1)
                try await server.stream(ofUser: "2") { _ in }
            }
        }
    }
}
