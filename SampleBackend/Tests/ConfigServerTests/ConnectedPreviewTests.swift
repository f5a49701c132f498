import InMemoryTemplateStore
import JSONTree
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Effects of a template on connected clients (HTTP 3).
@Suite(.timeLimit(.minutes(5)))
struct ConnectedPreviewTests {
    @Test func aPreviewCountsTheConnectedClientsWhoseValuesChange() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { _ in
                try await server.stream(ofUser: "3") { third in
                    var changed = JSONNode.sample
                    changed.setTitle(of: "third", to: "New")
                    let connected = try await preview(changed, on: server)["connected"]
                    let expected: JSONNode = [
                        "connections": 2, "evaluated": 2, "changed": 1, "isComplete": true,
                        "users": ["3"],
                    ]
                    #expect(connected == expected)
                    changed.setTitle(of: nil, to: "All")
                    let all = try await preview(changed, on: server)["connected"]
                    #expect(all?["changed"] == 2)
                    // The preview stores nothing, and no client is notified.
                    #expect(
                        try await server.administer("GET", "/v1/projects/default/remoteConfig")
                            .fields["etag"] == "etag-default-1")
                    try await server.publish(["parameters": [:]])
                    #expect(try await third.next().id == "2")
                }
            }
        }
    }

    @Test func aPreviewNamesEachUserOnceAndTheGenericUserAsNull() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: nil) { _ in
                try await server.stream(ofUser: "x") { _ in
                    try await server.stream(ofUser: "x") { _ in
                        let connected = try await preview(["parameters": [:]], on: server)[
                            "connected"]
                        #expect(connected?["changed"] == 3)
                        let users = try #require(connected?["users"]?.arrayValue)
                        #expect(Set(users) == [.null, "x"])
                        #expect(users.count == 2)
                    }
                }
            }
        }
    }

    /// Previews a template without a user.
    private func preview(
        _ template: JSONNode, on server: RunningServer
    ) async throws -> JSONNode {
        try await server.administer(
            "POST", "/v1/projects/default/remoteConfig:preview",
            body: ["template": template, "users": []]
        ).json
    }
}
