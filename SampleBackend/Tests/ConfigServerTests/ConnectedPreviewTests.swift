import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Effects of a template on connected clients (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
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
                            .fields["etag"] == #""etag-default-1""#)
                    try await server.publish(["parameters": [:]])
                    #expect(try await third.next().id == "2")
                }
            }
        }
    }

    @Test func anExperimentThatChangesNoSettingChangesNobody() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { _ in
                var changed = JSONNode.sample
                changed.setMember(
                    "conditions",
                    .array(
                        (changed["conditions"]?.arrayValue ?? [])
                            + [["name": "few", "expression": "percent('few') <= 0"]]))
                let connected = try await preview(changed, on: server)["connected"]
                #expect(connected?["evaluated"] == 1)
                #expect(connected?["changed"] == 0)
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

    @Test func aPreviewHasTheSignalsOfTheConnectedClientsOfItsUsers() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let users: JSONNode = [["userID": "x"], ["userID": "y"], ["userID": .null]]
            @Sendable func signals() async throws -> [JSONNode?] {
                let answer = try await preview(.sample, users: users, on: server)
                return (answer["users"]?.arrayValue ?? []).map { $0["connectedSignals"] }
            }
            let gold = "app.version=2.0&signal.plan=gold&signal.app.version=mine"
            try await open(gold, ofUser: "x", on: server) {
                // A client of another user, and another client with the same signals.
                try await open("signal.plan=none", ofUser: "z", on: server) {
                    try await open(gold, ofUser: "x", on: server) {
                        let found = try await signals()
                        let expected: JSONNode = [
                            "app.version": "2.0", "signal.app.version": "mine",
                            "signal.plan": "gold",
                        ]
                        #expect(found == [[expected], nil, nil])
                    }
                }
                try await open("b=1", ofUser: "x", on: server) {
                    try await open("signal.b=2", ofUser: "x", on: server) {
                        try await open("signal.b=3", ofUser: "x", on: server) {
                            let found = try await signals()
                            #expect(found.first??.arrayValue?.count == 3)
                        }
                    }
                }
            }
            // The server keeps nothing of a client after it disconnects.
            try await server.waitForConnections(0)
            let left = try await signals()
            #expect(left == [nil, nil, nil])
        }
    }

    @Test func aPreviewHasTheRecentSignalsOfAUserWhoIsNotConnected() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            for user in 1...5 {
                let query = "signal.plan=gold&signal.mail=\(user)%40x.example"
                let path = "/projects/default/activeconfig/user/\(user)?\(query)"
                let status = await server.status(path)
                #expect(status == 200)
            }
            let users: JSONNode = [["userID": "2"], ["userID": "9"], ["userID": .null]]
            @Sendable func signals(_ name: String) async throws -> [JSONNode?] {
                let answer = try await preview(.sample, users: users, on: server)
                return (answer["users"]?.arrayValue ?? []).map { $0[name] }
            }
            // The address, which no other user sent, is left out.
            let recent = try await signals("recentSignals")
            #expect(recent == [["signal.plan": "gold"], nil, nil])
            try await open("signal.plan=none", ofUser: "2", on: server) {
                let hidden = try await signals("recentSignals")
                #expect(hidden == [nil, nil, nil])
                let connected = try await signals("connectedSignals")
                #expect(connected == [[["signal.plan": "none"]], nil, nil])
            }
        }
    }

    @Test func theConnectionsSayWhomTheLastPublishChanged() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.stream(ofUser: "1") { first in
                try await server.stream(ofUser: "3") { third in
                    #expect(try await server.connections()["lastPublish"] == nil)
                    var changed = JSONNode.sample
                    changed.setTitle(of: "third", to: "New")
                    try await server.publish(changed)
                    #expect(try await third.next().id == "2")
                    try await expectLastPublish("2", users: 2, changed: 1, on: server)
                    // Pinning values does not count as a publish.
                    _ = try await server.administer(
                        "PUT", "/v1/projects/default/users/1/overrides",
                        body: ["Home": ["title": "mine"]])
                    #expect(try await first.next().name == "update")
                    try await expectLastPublish("2", users: 2, changed: 1, on: server)
                    changed.setMember("unknown", ["kept": [2]])
                    try await server.publish(changed)
                    try await expectLastPublish("3", users: 2, changed: 0, on: server)
                    try await server.publish(["parameters": [:]])
                    try await expectLastPublish("4", users: 2, changed: 2, on: server)
                }
            }
        }
    }

    /// Waits until all threads have evaluated their clients.
    private func expectLastPublish(
        _ version: String, users: Int, changed: Int, on server: RunningServer
    ) async throws {
        var found: JSONNode?
        try await waitUntil {
            found = try await server.connections()["lastPublish"]
            return found?["version"]?.stringValue == version
                && found?["users"] == .number("\(users)")
        }
        #expect(found?["changed"] == .number("\(changed)"))
    }

    /// Opens a stream with a query.
    private func open(
        _ query: String, ofUser userID: String, on server: RunningServer,
        _ body: () async throws -> Void
    ) async throws {
        try await EventStreamClient.open(
            port: server.port, "/activeconfig/user/\(userID)/events?\(query)"
        ) { stream in
            #expect(try await stream.next().name == "hello")
            try await body()
        }
    }

    /// Previews a template.
    private func preview(
        _ template: JSONNode, users: JSONNode = [], on server: RunningServer
    ) async throws -> JSONNode {
        try await server.administer(
            "POST", "/v1/projects/default/remoteConfig:preview",
            body: ["template": template, "users": users]
        ).json
    }
}
