import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer
@testable import HTTPServing

/// Graceful shutdown (API 5), in this process.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ShutdownTests {
    @Test func theServerFinishesTheRequestInFlight() async throws {
        let source = GatedSource()
        try await RunningServer.with(source: source) { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: "/health/ready")
                await source.arrival()
                await server.shutDown()
                await source.open()
                #expect(await connection.receiveStatus() == 200)
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test func theServerClosesIdleConnectionsAtOnce() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(target: "/activeconfig")
                #expect(await connection.receiveStatus() == 200)
                await server.shutDown()
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test func theServerFinishesARequestWhoseBodyIsOnItsWay() async throws {
        try await RunningServer.with { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    target: "/activeconfig",
                    fields: ["Expect: 100-continue", "Content-Length: 4"])
                #expect(await connection.receiveStatus() == 100)
                await server.shutDown()
                connection.send("{  }")
                #expect(await connection.receiveStatus() == 200)
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }

    @Test func theServerDoesNotWaitForeverForTheRestOfARequest() async throws {
        var limits = ServerLimits()
        limits.shutdownTime = .milliseconds(200)  // deadline: the rest never arrives
        try await RunningServer.with(limits: limits) { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    target: "/activeconfig",
                    fields: ["Expect: 100-continue", "Content-Length: 4"])
                #expect(await connection.receiveStatus() == 100)
                await server.shutDown()
                #expect(await connection.receiveEnd().isEmpty)
            }
        }
    }
}
