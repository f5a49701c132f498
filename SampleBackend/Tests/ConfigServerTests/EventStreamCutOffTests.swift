import ClientAPI
import ConfigServer
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import HTTPServing

/// Streams whose clients do not read.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct EventStreamCutOffTests {
    @Test func theServerCutsOffAClientThatDoesNotReadAndNoOther() async throws {
        var options = ConfigServerOptions()
        options.clientLimits.streamQueueBytes = 64 << 10
        try await RunningServer.with(
            store: InMemoryTemplateStore(), options: options
        ) { server in
            func template(_ number: Int) -> JSONNode {
                let text = String(repeating: "\(number % 10)", count: 200_000)
                return ["parameters": ["a": ["defaultValue": ["value": .string(text)]]]]
            }
            try await server.publish(template(0))
            try await UnreadClient.open(
                port: server.port, target: "/activeconfig/user/9/events"
            ) {
                try await server.waitForConnections(1)
                try await server.stream(ofUser: "1") { stream in
                    var number = 0
                    // deadline: publishes until no socket accepts more bytes
                    while try await server.connections()["connections"] == 2 {
                        number += 1
                        try #require(number < 200)
                        try await server.publish(template(number))
                        #expect(try await stream.next().id == "\(number + 1)")
                    }
                    #expect(try await server.connections()["connections"] == 1)
                }
            }
        }
    }

    @Test func theServerCutsOffAClientThatReadsNothingForTooLong() async throws {
        var options = ConfigServerOptions()
        // The queue limit alone does not disconnect any client.
        options.clientLimits.streamQueueBytes = 1 << 30
        // deadline: the interval of the server's checks
        options.clientLimits.heartbeatInterval = .milliseconds(50)
        // deadline: the sockets hold the events of other clients, and the first ones of this client
        options.limits.unreadTime = .seconds(1)
        let store = InMemoryTemplateStore()
        @Sendable func template(_ text: String) -> JSONNode {
            ["parameters": ["a": ["defaultValue": ["value": .string(text)]]]]
        }
        try await RunningServer.with(store: store, options: options) { server in
            try await server.publish(template("small"))
            try await UnreadClient.open(port: server.port, target: "/activeconfig/events") {
                try await server.waitForConnections(1)
                // Publishes through another server: the short `unreadTime` of this one could
                // disconnect publishers while they read its large responses.
                try await RunningServer.with(store: store) { publisher in
                    // More than the buffers of both sockets hold.
                    for number in 1...20 {
                        let text = String(repeating: "\(number % 10)", count: 900_000)
                        try await publisher.publish(template(text))
                    }
                }
                try await server.waitForConnections(0)
            }
        }
    }
}
