import ConfigServer
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Details by which administrators distinguish projects (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ProjectDetailsRoutesTests {
    private static let path = "/v1/projects/default/details"
    private static let shop: JSONNode = [
        "displayName": "Shop", "color": "RED", "environment": "PRODUCTION",
    ]

    private static func with(
        _ body: @Sendable (RunningServer, InMemoryTemplateStore) async throws -> Void
    ) async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(.sample)
            try await body(server, store)
        }
    }

    private static func put(
        _ body: JSONNode, ifMatch: String = "*", on server: RunningServer,
        token: String? = RunningServer.administratorToken
    ) async throws -> HTTPAnswer {
        try await server.administer(
            "PUT", path, body: body, token: token, fields: ["If-Match: \(ifMatch)"])
    }

    /// Details of the project `default` in the list of projects.
    private static func listed(on server: RunningServer) async throws -> JSONNode? {
        try await server.administer("GET", "/v1/projects").json["projects"]?.arrayValue?.first
    }

    @Test func theDetailsAreKeptAndListed() async throws {
        try await Self.with { server, _ in
            let empty = try await server.administer("GET", Self.path)
            #expect(empty.status == 200)
            #expect(try empty.json == [:])
            let tag = try #require(empty.fields["etag"])
            let put = try await Self.put(Self.shop, ifMatch: tag, on: server)
            #expect(put.status == 200)
            #expect(try put.json == Self.shop)
            let get = try await server.administer("GET", Self.path)
            #expect(try get.json == Self.shop)
            #expect(get.fields["etag"] == put.fields["etag"])
            #expect(get.fields["etag"] != tag)
            let project = try #require(try await Self.listed(on: server))
            #expect(project["displayName"] == "Shop")
            #expect(project["color"] == "RED")
            #expect(project["environment"] == "PRODUCTION")
            #expect(project["versionNumber"] == "1")
            let cleared = try await Self.put(["color": .null], on: server)
            #expect(try cleared.json == [:])
            let listed = try await Self.listed(on: server)
            #expect(listed?["displayName"] == nil)
        }
    }

    @Test func detailsThatChangedMeanwhileAreNotOverwritten() async throws {
        try await Self.with { server, _ in
            let first = try await server.administer("GET", Self.path).fields["etag"] ?? ""
            #expect(try await Self.put(Self.shop, ifMatch: first, on: server).status == 200)
            for tag in [first, "\"x\"", "x"] {
                let answer = try await Self.put(["color": "BLUE"], ifMatch: tag, on: server)
                #expect(answer.status == 412)
                #expect(try answer.json["error"]?["status"] == "PROJECT_DETAILS_MISMATCH")
            }
            #expect(try await server.administer("GET", Self.path).json == Self.shop)
            for fields in [[], ["If-Match:"]] {
                let answer = try await server.administer(
                    "PUT", Self.path, body: Self.shop, fields: fields)
                #expect(answer.status == 400)
            }
        }
    }

    static let wrong: [NamedRow<JSONNode>] = [
        NamedRow("an unknown colour", ["color": "red"]),
        NamedRow("an unknown environment", ["environment": "LIVE"]),
        NamedRow("a name of another type", ["displayName": 1]),
        NamedRow("a colour of another type", ["color": ["RED"]]),
        NamedRow("an empty name", ["displayName": ""]),
        NamedRow("blanks around the name", ["displayName": " Shop"]),
        NamedRow("a line break in the name", ["displayName": "Shop\nOther"]),
        NamedRow("a name that turns the text around", ["displayName": "Shop\u{202E}"]),
        NamedRow(
            "a long name of few characters",
            ["displayName": .string("e" + String(repeating: "\u{301}", count: 64))]),
        NamedRow("no object", []),
    ]

    @Test(arguments: wrong)
    func wrongDetailsAreRefused(row: NamedRow<JSONNode>) async throws {
        try await Self.with { server, _ in
            let answer = try await Self.put(row.value, on: server)
            #expect(answer.status == 400)
            #expect(try answer.json["error"]?["message"]?.stringValue?.contains(": ") == true)
            #expect(try await server.administer("GET", Self.path).json == [:])
        }
    }

    // An emoji that is joined of five counts as five.
    @Test(arguments: [String(repeating: "😀", count: 64), String(repeating: "👨‍👩‍👧", count: 12)])
    func aNameOfTheGreatestLengthIsTaken(name: String) async throws {
        try await Self.with { server, _ in
            let answer = try await Self.put(["displayName": .string(name)], on: server)
            #expect(try answer.json["displayName"] == .string(name))
        }
    }

    @Test func aPublisherSetsTheDetailsThatEverybodyReads() async throws {
        try await Self.with { server, _ in
            _ = try await Self.put(Self.shop, on: server)
            for role in ["viewer", "editor", "publisher"] {
                let token = try await server.administer(
                    "POST", "/v1/tokens", body: ["name": .string(role), "role": .string(role)]
                ).json["token"]?.stringValue
                let get = try await server.administer("GET", Self.path, token: token)
                #expect(try get.json == Self.shop)
                let put = try await Self.put(
                    ["displayName": .string(role)], on: server, token: token)
                #expect(put.status == (role == "publisher" ? 200 : 403))
            }
            #expect(try await server.administer("GET", Self.path, token: nil).status == 401)
            let audit = try await server.administer("GET", "/v1/projects/default/audit").json
            let entry = try #require(
                audit["entries"]?.arrayValue?.first { $0["action"] == "SET_PROJECT_DETAILS" })
            #expect(entry["actor"] == "publisher")
            #expect(entry["subject"] == "default")
            #expect(entry["detail"] == "publisher")
        }
    }

    @Test func aProjectHasNoDetailsBeforeItsFirstPublish() async throws {
        try await Self.with { server, _ in
            let path = "/v1/projects/new/details"
            #expect(try await server.administer("GET", path).status == 404)
            let put = try await server.administer(
                "PUT", path, body: Self.shop, fields: ["If-Match: *"])
            #expect(put.status == 404)
        }
    }

    @Test func anotherServerOfTheStoreListsTheDetails() async throws {
        try await Self.with { server, store in
            try await RunningServer.with(store: store) { other in
                _ = try await Self.put(Self.shop, on: server)
                var found: JSONNode?
                try await waitUntil {
                    found = try await Self.listed(on: other)
                    return found?["color"] != nil
                }
                #expect(found?["displayName"] == "Shop")
            }
            // A server that starts later reads the details with the rest of the snapshot.
            try await RunningServer.with(store: store) { later in
                let found = try await Self.listed(on: later)
                #expect(found?["displayName"] == "Shop")
            }
        }
    }
}
