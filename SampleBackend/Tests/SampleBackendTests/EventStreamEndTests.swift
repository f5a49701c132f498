import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Streams while the process shuts down (PROTOCOL 2).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EventStreamEndTests {
    /// Number of open streams, high enough that they take longer to end than the rest of the
    /// server.
    private static let count = 500

    @Test func aStoppingServerTellsEveryClientWhenToComeBack() async throws {
        let backend = try await RunningBackend(["--log-level", "error"])
        let published = try await backend.administer(
            "PUT", "/v1/projects/default/remoteConfig", ifMatch: "*",
            body: AdministrationTarget.templateText(title: "Hello"))
        #expect(published.status == 200)
        let (hellos, continuation) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...Self.count {
                group.addTask {
                    try await EventStreamClient.open(
                        port: backend.port, "/activeconfig/user/\(number)/events"
                    ) { stream in
                        let hello = try await stream.next()
                        #expect(hello.name == "hello")
                        continuation.yield()
                        let goodbye = try await stream.next()
                        #expect(goodbye.name == "retry")
                        #expect(try await stream.receiveEnd().isEmpty)
                        #expect(stream.isComplete)
                    }
                }
            }
            var open = 0
            for await _ in hellos {
                open += 1
                if open == Self.count { break }
            }
            backend.process.send(signal: SIGTERM)
            try await group.waitForAll()
        }
        #expect(await backend.process.exitCode() == 0)
    }
}
