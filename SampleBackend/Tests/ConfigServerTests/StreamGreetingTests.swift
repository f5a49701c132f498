import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// The IDs that a resumed stream sends before and after the missed changes (PROTOCOL 2): a client
/// keeps the last ID that it received, wherever the stream is cut off.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct StreamGreetingTests {
    /// Runs a server whose version 2 changes only the document of user 3.
    private func run(_ body: @Sendable (RunningServer) async throws -> Void) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            var changed = JSONNode.sample
            changed.setTitle(of: "third", to: "Second")
            try await server.publish(changed)
            try await body(server)
        }
    }

    @Test(arguments: ["/activeconfig/user/3/events", "/ofrep/v1/evaluate/events?targetingKey=3"])
    func helloRepeatsTheVersionOfAClientThatHasMissedAChange(target: String) async throws {
        try await run { server in
            try await EventStreamClient.open(
                port: server.port, target, fields: ["Last-Event-ID: 1"]
            ) { stream in
                let hello = try await stream.next()
                #expect(hello.name == "hello")
                #expect(hello.id == "1")
                #expect(hello.data == ["template_version": 2])
                #expect(try await stream.next().id == "2")
            }
        }
    }

    @Test func helloRepeatsTheVersionOfEachUserOfAStreamOfMany() async throws {
        try await run { server in
            let users: JSONNode = [
                "users": [
                    ["user_id": "3", "last_event_id": "1"], ["user_id": "4"],
                    ["user_id": "5", "last_event_id": "2"],
                ]
            ]
            try await EventStreamClient.open(
                port: server.port, "/activeconfig/events", method: "POST",
                fields: ["Authorization: Bearer \(RunningServer.administratorToken)"],
                content: String(decoding: users.jsonData(), as: UTF8.self)
            ) { stream in
                var ids: [String?] = []
                for _ in 0..<3 { ids.append(try await stream.next().id) }
                #expect(ids == ["1", "2", "2"])
                let update = try await stream.next()
                #expect(update.data?["user_id"] == "3")
                #expect(update.id == "2")
            }
        }
    }

    @Test func aClientThatHasMissedNothingIsGivenTheNewID() async throws {
        try await run { server in
            try await HTTPConnection.open(port: server.port) { connection in
                connection.send(
                    target: "/activeconfig/user/1/events", fields: ["Last-Event-ID: 1"])
                let hello = try await connection.receive(through: "event: hello\nid: 1\n")
                #expect(hello.hasPrefix("HTTP/1.1 200 "))
                // An ID without data is not an event.
                let rest = try await connection.receive(through: "id: 2\n\n")
                #expect(!rest.contains("event:"))
            }
        }
    }

    @Test(arguments: ["0", "abc", "-1"])
    func helloGivesAClientWithAnUnreadableIDNoVersion(lastEventID: String) async throws {
        try await run { server in
            let fields = ["Last-Event-ID: \(lastEventID)"]
            try await EventStreamClient.open(
                port: server.port, "/activeconfig/user/1/events", fields: fields
            ) { stream in
                #expect(try await stream.next().id == "0")
                let reset = try await stream.next()
                #expect(reset.name == "reset")
                #expect(reset.id == "2")
            }
        }
    }
}
