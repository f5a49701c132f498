import HTTPServing
import SeededRandomness
import ServerTestSupport
import Testing

/// The check of an address before a store is opened for the server.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct CheckedAddressTests {
    /// With an accepted connection and no answer it would wait until its own time limit.
    @Test func aClientThatConnectsDuringTheCheckIsReset() async throws {
        let (connections, connection) = AsyncStream.makeStream(of: Void.self)
        var request: Task<HTTPAnswer, any Error>?
        try await HTTPListener.checkAddress(hostname: "127.0.0.1", port: 0) { port in
            request = Task {
                try await HTTPConnection.open(port: port) { client in
                    connection.yield()
                    client.send(target: "/")
                    return try await client.receive()
                }
            }
            for await _ in connections { break }
        }
        await #expect(throws: (any Error).self) { try await request?.value }
    }
}
