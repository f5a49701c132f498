import Foundation
import InMemoryTemplateStore
import JSONTree
import SQLiteTemplateStore
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import TemporaryFolders
import Testing

@testable import AdminAPI
@testable import ConfigServer

/// The use of apps and settings over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UsageRoutesTests {
    private static let path = "/v1/projects/default/usage"

    /// A setting that everybody gets, and one that depends on the app.
    private static let template: JSONNode = [
        "conditions": [["name": "c", "expression": "device.os == 'ios'"]],
        "parameterGroups": [
            "S": [
                "parameters": [
                    "same": ["defaultValue": ["value": "1"]],
                    "other": [
                        "defaultValue": ["value": "1"],
                        "conditionalValues": ["c": ["value": "2"]],
                    ],
                ]
            ]
        ],
    ]

    /// Publishes a template a hundred days ago, and says that use is recorded since then.
    private static func publish(in store: any TemplateStore) async throws {
        let date = Date() - 100 * 86_400
        _ = try await store.publish(
            TemplateSubmission(
                project: "default", content: template.jsonData(), expectation: .any, date: date,
                user: .init(name: "ada")))
        try await store.recordUsage(UsageBatch(day: UsageDay(date)), inProject: "default")
    }

    private static func usage(
        _ server: RunningServer, _ query: String = "", project: String = "default"
    ) async throws -> JSONNode {
        let answer = try await server.administer("GET", "/v1/projects/\(project)/usage\(query)")
        #expect(answer.status == 200, "\(answer)")
        return try answer.json
    }

    private static func setting(_ key: String, in usage: JSONNode) throws -> JSONNode {
        try #require(
            usage["settings"]?.arrayValue?.first { $0["key"]?.stringValue == key })
    }

    private static func names(_ usage: JSONNode) -> [String?] {
        usage["settings"]?.arrayValue?.map { $0["key"]?.stringValue } ?? []
    }

    private static func apps(_ usage: JSONNode) -> [String] {
        (usage["apps"]?.arrayValue ?? []).map { app in
            [app["kind"], app["id"], app["version"], app["templateVersion"]]
                .compactMap { $0?.stringValue }.joined(separator: " ")
        }.sorted()
    }

    /// True for the current day, or the one before if the day has just changed.
    private static func isToday(_ node: JSONNode?) -> Bool {
        let today = UsageDay(Date())
        return [today, today.advanced(by: -1)].contains { $0.text == node?.stringValue }
    }

    @Test func documentsAreDeliveriesToApps() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template)
            #expect(Self.apps(try await Self.usage(server)) == [])
            let first = try await server.answer("/activeconfig?app.id=a&app.version=1.0")
            let tag = try #require(first.fields["etag"])
            try await server.publish(Self.template)
            _ = try await server.answer("/activeconfig/user/1?app.id=a&app.version=2.0")
            _ = try await server.answer("/activeconfig?app.id=b")
            _ = try await server.answer("/activeconfig")
            // A client with the same content takes the version of the 304.
            let same = try await server.answer(
                "/activeconfig?app.id=c&app.version=1", fields: ["If-None-Match: \(tag)"])
            #expect(same.status == 304)
            _ = try await server.answer("/v1/projects/default/evaluation/activeconfig")
            try await server.administer("GET", "/v1/projects/default/evaluation/activeconfig")
            let bulk = try await server.answer(
                "/ofrep/v1/evaluate/flags", method: "POST",
                body: #"{"context":{"app.id":"d","app.version":"1"}}"#)
            #expect(bulk.status == 200)
            _ = try await server.answer("/projects/none/activeconfig?app.id=none")
            let usage = try await Self.usage(server)
            #expect(
                Self.apps(usage) == [
                    "APP 2", "APP a 1.0 1", "APP a 2.0 2", "APP b 2", "APP c 1 2", "APP d 1 2",
                    "SERVICE 2",
                ])
            let setting = try Self.setting("same", in: usage)
            #expect(Self.isToday(setting["delivered"]))
            #expect(setting["read"] == "unknown")
            #expect(setting["use"] == "delivered, reads unknown")
        }
    }

    @Test func streamsAreDeliveries() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(Self.template)
            try await EventStreamClient.open(
                port: server.port, "/activeconfig/events?app.id=closed&app.version=1"
            ) { stream in
                let hello = try await stream.next()
                #expect(hello.name == "hello")
            }
            try await waitUntil {
                Self.apps(try await Self.usage(server)) == ["APP closed 1 1"]
            }
            try await EventStreamClient.open(
                port: server.port, "/activeconfig/events?app.id=open&app.version=1"
            ) { stream in
                #expect(try await stream.next().name == "hello")
                await server.shutDown()
                try await waitUntil {
                    try await store.usage(inProject: "default")
                        .deliveries[UsedApp(id: "open", version: "1")] != nil
                }
            }
        }
    }

    @Test func aWaitingRequestIsADelivery() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template)
            let tag = try #require(try await server.answer("/activeconfig").fields["etag"])
            async let answer = server.answer(
                "/activeconfig?app.id=poll", fields: ["If-None-Match: \(tag)", "Prefer: wait=60"])
            try await waitUntil {
                Self.apps(try await Self.usage(server)) == ["APP 1", "APP poll 1"]
            }
            try await waitUntil {
                try await server.administer("GET", "/v1/projects/default/connections")
                    .json["connections"] == 1
            }
            var changed = Self.template
            changed.setMember("parameters", ["new": ["defaultValue": ["value": "1"]]])
            try await server.publish(changed)
            let changedAnswer = try await answer
            #expect(changedAnswer.status == 200)
            try await waitUntil {
                Self.apps(try await Self.usage(server)) == ["APP 1", "APP poll 2"]
            }
        }
    }

    @Test func anEvaluationOfAFlagIsARead() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template)
            let flags = "/ofrep/v1/evaluate/flags/"
            let read = try await server.answer(flags + "S.same", method: "POST", body: "{}")
            #expect(read.status == 200)
            for name in ["S.gone", "S.gone", "none", String(repeating: "x", count: 300)] {
                let answer = try await server.answer(flags + name, method: "POST", body: "{}")
                #expect(answer.status == 404)
            }
            let usage = try await Self.usage(server)
            let same = try Self.setting("same", in: usage)
            #expect(Self.isToday(same["read"]))
            #expect(same["use"] == "read")
            #expect(same["delivered"] == .null, "A read is no delivery.")
            #expect(try Self.setting("other", in: usage)["read"] == "unknown")
            #expect(Self.apps(usage) == [])
            let unknown = usage["unknownNames"]?.arrayValue?.map { $0["name"]?.stringValue }
            #expect(Set(unknown ?? []) == ["S.gone", "none"])
        }
    }

    @Test("T40 List, filter and count agree on what is stale")
    func listAndFilterAgree() async throws {
        let store = InMemoryTemplateStore()
        try await Self.publish(in: store)
        try await RunningServer.with(store: store) { server in
            let unused = try await Self.usage(server, "?stale=true")
            #expect(Self.names(unused) == ["same", "other"])
            for setting in unused["settings"]?.arrayValue ?? [] {
                #expect(setting["stale"]?["reason"] == "UNUSED")
                #expect(setting["use"] == "not delivered")
            }
            _ = try await server.answer("/activeconfig?app.id=a&app.version=1")
            let all = try await Self.usage(server)
            #expect(Self.names(all) == ["same", "other"])
            #expect(all["staleCount"] == 1)
            let same = try Self.setting("same", in: all)
            #expect(same["use"] == "delivered, reads unknown")
            #expect(same["stale"]?["reason"] == "SAME_FOR_EVERYBODY")
            #expect(same["sameForEverybodySince"]?["version"] == "1")
            let other = try Self.setting("other", in: all)
            #expect(other["stale"] == nil)
            #expect(other["sameForEverybodySince"] == nil)
            let stale = try await Self.usage(server, "?stale=true")
            #expect(stale["settings"] == .array([same]))
            // A pinned value is not the same for everybody.
            let pin = try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides", body: ["S": ["same": "2"]])
            #expect(pin.status == 200, "\(pin)")
            #expect(Self.names(try await Self.usage(server, "?stale=true")) == [])
        }
    }

    @Test func listsHavePages() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template)
            let first = try await Self.usage(server, "?pageSize=1")
            #expect(Self.names(first) == ["same"])
            let token = try #require(first["nextPageToken"]?.stringValue)
            let second = try await Self.usage(server, "?pageSize=1&pageToken=\(token)")
            #expect(Self.names(second) == ["other"])
            #expect(second["nextPageToken"] == nil)
            #expect(second["apps"] == nil)
            let refused = [
                "?pageSize=0", "?pageSize=1001", "?pageToken=x", "?pageToken=-1", "?stale=no",
            ]
            for query in refused {
                #expect(try await server.administer("GET", Self.path + query).status == 400)
            }
            #expect(try await server.administer("GET", "/v1/projects/none/usage").status == 404)
        }
    }

    @Test func replicasAreMergedAndARestartKeepsUsage() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.path("usage.sqlite")
        let store = try await SQLiteTemplateStore(path: path)
        let other = try await SQLiteTemplateStore(path: path)
        try await Self.publish(in: store)
        try await RunningServer.with(store: store) { first in
            try await RunningServer.with(store: other) { second in
                _ = try await first.answer("/activeconfig?app.id=first&app.version=1")
                _ = try await first.answer("/activeconfig?app.id=both&app.version=1")
                _ = try await second.answer("/activeconfig?app.id=second&app.version=1")
                _ = try await second.answer("/activeconfig?app.id=both&app.version=1")
                _ = try await second.answer(
                    "/ofrep/v1/evaluate/flags/S.same", method: "POST", body: "{}")
            }
            // The second one stores its use at its end, which a busy machine may delay.
            try await waitUntil {
                Self.apps(try await Self.usage(first)) == [
                    "APP both 1 1", "APP first 1 1", "APP second 1 1",
                ]
            }
        }
        try await waitUntil { try await store.usage(inProject: "default").deliveries.count == 3 }
        await store.close()
        await other.close()
        let again = try await SQLiteTemplateStore(path: path)
        try await RunningServer.with(store: again) { server in
            let usage = try await Self.usage(server)
            #expect(Self.apps(usage).count == 3)
            #expect(Self.isToday(try Self.setting("same", in: usage)["read"]))
        }
        await again.close()
    }

    @Test func aDeletedProjectLosesItsUsage() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(Self.template, project: "shop")
            _ = try await server.answer("/projects/shop/activeconfig?app.id=a")
            _ = try await server.answer(
                "/projects/shop/ofrep/v1/evaluate/flags/gone", method: "POST", body: "{}")
            #expect(Self.apps(try await Self.usage(server, project: "shop")).count == 1)
            _ = try await store.setProjectDetails(
                ProjectDetailsChange(
                    project: "shop", details: ProjectDetails(isArchived: true), date: Date(),
                    actor: "a"))
            try await store.deleteProject(
                ProjectDeletion(project: "shop", date: Date(), actor: "a"))
            try await waitUntil {
                try await server.administer("GET", "/v1/projects/shop/usage").status == 404
            }
            try await server.publish(Self.template, project: "shop")
            let usage = try await Self.usage(server, project: "shop")
            #expect(Self.apps(usage) == [])
            #expect(usage["unknownNames"] == [])
            #expect(usage["recordedSince"] == nil)
        }
        #expect(try await store.usage(inProject: "shop").deliveries == [:])
    }

    @Test func theShareOfClientsIsShown() async throws {
        var options = ConfigServerOptions()
        options.acknowledgedShare = 1
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(Self.template)
            #expect(try await Self.usage(server)["now"] == nil)
            try await server.publish(Self.template)
            for (user, version) in [("1", 1), ("2", 2), ("3", 2)] {
                let answer = try await server.answer(
                    "/activeconfig/user/\(user)/acknowledgement", method: "POST",
                    body: #"{"template_version":\#(version)}"#)
                #expect(answer.status == 204)
            }
            #expect(
                try await Self.usage(server)["now"] == [
                    "version": "2", "clients": 3, "current": 2,
                ])
        }
    }
}
