import ConfigServer
import EtcdTemplateStore
import EtcdTestSupport
import Foundation
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Several servers on one etcd cluster.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ReplicasTests {
    private static let connections = "/v1/projects/default/connections"

    private static func template(_ title: String) throws -> JSONNode {
        try JSONNode(jsonData: Data(AdministrationTarget.templateText(title: title).utf8))
    }

    private static func publish(_ title: String, at server: RunningServer) async throws {
        let answer = try await server.publish(template(title))
        #expect(answer.status == 200)
    }

    /// Runs two servers, each with its own store and its own members of the cluster.
    private static func with(
        _ cluster: EtcdCluster, members: [[Int]], options: ConfigServerOptions = .init(),
        _ body: @Sendable ([RunningServer], [EtcdTemplateStore]) async throws -> Void
    ) async throws {
        var location = cluster.location()
        location.members = members[0].map { cluster.members[$0] }
        let first = try await EtcdTemplateStore(location)
        location.members = members[1].map { cluster.members[$0] }
        let second = try await EtcdTemplateStore(location)
        try await RunningServer.with(store: first, options: options) { one in
            try await RunningServer.with(store: second, options: options) { other in
                try await body([one, other], [first, second])
            }
        }
        await first.close()
        await second.close()
    }

    private static func open(
        _ user: String, at server: RunningServer, fields: [String] = [],
        _ body: (EventStreamClient) async throws -> Void
    ) async throws {
        try await EventStreamClient.open(
            port: server.port, "/activeconfig/user/\(user)/events?signal.plan=gold", fields: fields
        ) { stream in
            #expect(try await stream.next().name == "hello")
            try await body(stream)
        }
    }

    @Test func eachServerCountsTheClientsOfAll() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        var options = ConfigServerOptions()
        options.acknowledgedShare = 1
        try await Self.with(cluster, members: [[0], [0]], options: options) { servers, stores in
            let (one, other) = (servers[0], servers[1])
            try await Self.publish("first", at: one)
            try await waitUntil { await other.status("/activeconfig") == 200 }
            try await Self.open("1", at: one) { _ in
                try await Self.open("2", at: other) { _ in
                    let said = try await other.answer(
                        "/activeconfig/user/2/acknowledgement", method: "POST",
                        body: #"{"template_version": 1}"#)
                    #expect(said.status == 204)
                    // The client used the first server before.
                    _ = try await one.answer(
                        "/activeconfig/user/2/acknowledgement", method: "POST",
                        body: #"{"template_version": 1}"#)
                    for server in servers {
                        try await waitUntil {
                            let counts = try await server.administer("GET", Self.connections).json
                            return counts["connections"] == 2
                                && counts["acknowledgements"]?["clients"] == 1
                        }
                        let counts = try await server.administer("GET", Self.connections).json
                        #expect(counts["versions"]?["1"] == 2)
                        #expect(counts["replicas"]?["count"] == 2)
                        #expect(counts["replicas"]?["silent"] == 0)
                        #expect(counts["replicas"]?["isComplete"] == true)
                    }
                    let body: JSONNode = [
                        "users": [["userID": "1"], ["userID": "2"]],
                        "template": try Self.template("second"),
                    ]
                    var preview: JSONNode = [:]
                    // The other server announces its clients some seconds later.
                    try await waitUntil {
                        preview = try await one.administer(
                            "POST", "/v1/projects/default/remoteConfig:preview", body: body
                        ).json
                        return preview["connected"]?["evaluated"] == 2
                    }
                    for user in preview["users"]?.arrayValue ?? [] {
                        #expect(user["connectedSignals"] == [["signal.plan": "gold"]])
                    }
                    let connected = preview["connected"]
                    #expect(connected?["connections"] == 2)
                    #expect(connected?["replicas"]?["count"] == 2)
                    let users = (connected?["users"]?.arrayValue ?? []).map(\.stringValue)
                    #expect(users.sorted { $0 ?? "" < $1 ?? "" } == ["1", "2"])
                }
            }
            // As a process does when it exits.
            await other.shutDown()
            await stores[1].close()
            try await waitUntil {
                let counts = try await one.administer("GET", Self.connections).json
                return counts["connections"] == 0 && counts["replicas"]?["count"] == 1
            }
        }
    }

    @Test func aClientIsNotSentBackByAServerThatIsBehind() async throws {
        let cluster = try await EtcdCluster(members: 3)
        defer { cluster.end() }
        try await Self.with(cluster, members: [[0, 1], [2]]) { servers, _ in
            let (one, behind) = (servers[0], servers[1])
            try await Self.publish("first", at: one)
            try await waitUntil { await behind.status("/activeconfig") == 200 }
            // The store of the second server receives no changes.
            cluster.signal(SIGSTOP, to: 2)
            try await Self.publish("second", at: one)
            try await Self.open("1", at: behind, fields: ["Last-Event-ID: 2"]) { stream in
                cluster.signal(SIGCONT, to: 2)
                try await Self.publish("third", at: one)
                let event = try await stream.next()
                #expect(event.name == "update")
                #expect(event.data?["template_version"] == 3)
            }
            // The store has no such version, as after a restore from an older backup.
            try await Self.open("1", at: behind, fields: ["Last-Event-ID: 9"]) { stream in
                let event = try await stream.next()
                #expect(event.name == "reset")
            }
        }
    }

    @Test func aClientResumesAtAnyServer() async throws {
        let cluster = try await EtcdCluster()
        defer { cluster.end() }
        try await Self.with(cluster, members: [[0], [0]]) { servers, _ in
            let one = servers[0]
            try await Self.publish("first", at: one)
            try await Self.publish("second", at: one)
            let pinned = try await one.administer(
                "PUT", "/v1/projects/default/users/7/overrides",
                body: ["Home": ["title": "pinned"]])
            #expect(pinned.status == 200)
            let document = try await one.answer("/activeconfig/user/7").body
            for server in servers {
                try await waitUntil {
                    try await server.answer("/activeconfig/user/7").body == document
                }
                try await Self.open("1", at: server, fields: ["Last-Event-ID: 1"]) { stream in
                    let event = try await stream.next()
                    #expect(event.name == "update")
                    #expect(event.data?["sections"]?["Home"] != nil)
                }
                try await Self.open("7", at: server, fields: ["Last-Event-ID: 2"]) { stream in
                    let event = try await stream.next()
                    #expect(event.name == "update" || event.name == "reset")
                    #expect(event.data?["template_version"] == 2)
                }
            }
        }
    }
}
