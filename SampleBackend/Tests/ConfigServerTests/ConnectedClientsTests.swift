import ClientAPI
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Users and signals in the response about connections (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConnectedClientsTests {
    @Test func connectedUsersAreFoundByAPartOfTheirID() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "Anna-2") { _ in
                try await server.stream(ofUser: "anna-1") { _ in
                    try await server.stream(ofUser: "anna-1") { _ in
                        try await server.stream(ofUser: nil) { _ in
                            let all = try await connections("?users=", on: server)
                            #expect(all["users"] == ["Anna-2", "anna-1"])
                            #expect(all["userCount"] == 2)
                            #expect(all["connections"] == 4)
                            let found = try await connections("?users=NA-1", on: server)
                            #expect(found["users"] == ["anna-1"])
                            #expect(found["userCount"] == 1)
                            let none = try await connections("?users=x%2Fy", on: server)
                            #expect(none["users"] == [])
                            let counts = try await connections("", on: server)
                            #expect(counts["users"] == nil)
                            #expect(counts["signals"] == nil)
                        }
                    }
                }
            }
        }
    }

    @Test func aValueThatFewUsersSendIsNotSuggested() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            for user in 1...SignalSample.commonUsers {
                let signals = try await connections("?signals=true", on: server)["signals"]
                #expect(signals == [:])
                let query = "device.os=ios&signal.mail=\(user)%40x.example"
                #expect(await server.status("/activeconfig/user/\(user)?\(query)") == 200)
            }
            let signals = try await connections("?signals=true", on: server)["signals"]
            #expect(signals == ["device.os": ["ios"]])
        }
    }

    @Test func clientsWithoutAUserIDCountAsOneUser() async throws {
        var options = ConfigServerOptions()
        options.samplesSignals = false
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(.sample)
            try await streams(6, on: server, "/activeconfig/events?signal.plan=gold") {
                let signals = try await connections("?signals=true", on: server)["signals"]
                #expect(signals == [:])
            }
            try await streams(5, on: server, "/activeconfig/user/USER/events?signal.plan=gold") {
                let signals = try await connections("?signals=true", on: server)["signals"]
                #expect(signals == ["signal.plan": ["gold"]])
            }
        }
    }

    @Test func aWrongFlagIsRefused() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer(
                "GET", "/v1/projects/default/connections?signals=all")
            #expect(answer.status == 400)
        }
    }

    /// Opens streams of a target, in which `USER` is a number.
    private func streams(
        _ count: Int, on server: RunningServer, _ target: String, _ body: () async throws -> Void
    ) async throws {
        guard count > 0 else { return try await body() }
        try await EventStreamClient.open(
            port: server.port, target.replacing("USER", with: "\(count)")
        ) { stream in
            #expect(try await stream.next().name == "hello")
            try await streams(count - 1, on: server, target, body)
        }
    }

    private func connections(_ query: String, on server: RunningServer) async throws -> JSONNode {
        try await server.administer("GET", "/v1/projects/default/connections\(query)").json
    }
}
