import AdminAPI
import ConfigServer
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Drafts of administrators (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DraftRoutesTests {
    private static let path = "/v1/projects/default/draft"
    private static let new = ["If-None-Match: *"]
    private static let patchType = "Content-Type: application/json-patch+json"

    /// Template with the parameter `title` in the section `Home`.
    private static func template(_ title: String) -> JSONNode {
        [
            "parameterGroups": [
                "Home": ["parameters": ["title": ["defaultValue": ["value": .string(title)]]]]
            ]
        ]
    }

    private static func draft(_ title: String, base: String = "1") -> JSONNode {
        ["baseVersion": .string(base), "template": template(title)]
    }

    private static func replacement(_ title: String) -> JSONNode {
        [
            [
                "op": "replace",
                "path": "/parameterGroups/Home/parameters/title/defaultValue/value",
                "value": .string(title),
            ]
        ]
    }

    private static func with(
        _ body: @Sendable (RunningServer, InMemoryTemplateStore) async throws -> Void
    ) async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(template("a"))
            try await body(server, store)
        }
    }

    /// Creates a token, and returns its text.
    private static func token(
        _ role: StoredToken.Role, in store: InMemoryTemplateStore, on server: RunningServer
    ) async throws -> (text: String, id: String) {
        let answer = try await server.administer(
            "POST", "/v1/tokens",
            body: ["name": .string("\(UUID())"), "role": .string(role.rawValue)])
        return (
            try #require(try answer.json["token"]?.stringValue),
            try #require(try answer.json["id"]?.stringValue)
        )
    }

    @Test func aDraftIsKeptWithWhatItChanges() async throws {
        try await Self.with { server, _ in
            #expect(try await server.administer("GET", Self.path).status == 204)
            let put = try await server.administer(
                "PUT", Self.path, body: Self.draft("b"), fields: Self.new)
            #expect(put.status == 200)
            #expect(try put.json["template"] == nil)
            let get = try await server.administer("GET", Self.path)
            #expect(get.status == 200)
            #expect(get.fields["etag"] == put.fields["etag"])
            let json = try get.json
            #expect(json["baseVersion"] == "1")
            #expect(json["template"] == Self.template("b"))
            #expect(json["problems"] == [])
            #expect(
                json["changes"]?["parameters"] == [
                    [
                        "section": "Home", "key": "title", "change": "CHANGED",
                        "parts": [
                            [
                                "name": "defaultValue", "old": ["value": "a"],
                                "new": ["value": "b"],
                            ]
                        ],
                    ]
                ])
            #expect(json["updateTime"]?.stringValue.flatMap { Date(timestamp: $0) } != nil)
            let tag = try #require(get.fields["etag"])
            let same = try await server.administer(
                "GET", Self.path, fields: ["If-None-Match: \(tag)"])
            #expect(same.status == 304)
            #expect(try await server.administer("DELETE", Self.path).status == 200)
            #expect(try await server.administer("DELETE", Self.path).status == 404)
            #expect(try await server.administer("GET", Self.path).status == 204)
        }
    }

    @Test func aDraftOfAnUnpublishedProjectBeginsWithNothing() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let path = "/v1/projects/new/draft"
            let answer = try await server.administer(
                "PATCH", path, body: [["op": "add", "path": "/parameters", "value": [:]]],
                fields: Self.new + [Self.patchType])
            #expect(answer.status == 200)
            #expect(try answer.json["baseVersion"] == "0")
            let name = try await server.administer(
                "PUT", "/v1/projects/a%20b/draft", body: Self.draft("a", base: "0"),
                fields: Self.new)
            #expect(name.status == 400)
        }
    }

    @Test func aDraftThatChangedIsNotOverwritten() async throws {
        try await Self.with { server, _ in
            let first = try await server.administer(
                "PUT", Self.path, body: Self.draft("b"), fields: Self.new)
            let old = try #require(first.fields["etag"])
            let second = try await server.administer(
                "PUT", Self.path, body: Self.draft("c"), fields: ["If-Match: \(old)"])
            #expect(second.status == 200)
            #expect(second.fields["etag"] != old)
            for fields in [["If-Match: \(old)"], Self.new, ["If-Match: \"x\""]] {
                for (method, body) in [
                    ("PUT", Self.draft("d")), ("PATCH", Self.replacement("d")), ("DELETE", nil),
                ] {
                    let answer = try await server.administer(
                        method, Self.path, body: body, fields: fields + [Self.patchType])
                    #expect(answer.status == 412, "\(method) \(fields)")
                    #expect(try answer.json["error"]?["status"] == "DRAFT_MISMATCH")
                }
            }
            let kept = try await server.administer("GET", Self.path)
            #expect(try kept.json["template"] == Self.template("c"))
            #expect(
                try await server.administer(
                    "PUT", Self.path, body: Self.draft("e"), fields: ["If-Match: *"]
                ).status == 200)
        }
    }

    @Test func aPatchChangesTheDraftOrStartsOne() async throws {
        try await Self.with { server, _ in
            let started = try await server.administer(
                "PATCH", Self.path, body: Self.replacement("b"),
                fields: Self.new + [Self.patchType])
            #expect(started.status == 200)
            #expect(try started.json["baseVersion"] == "1")
            #expect(try started.json["changes"]?["parameters"]?.arrayValue?.count == 1)
            try await server.publish(Self.template("x"))
            let tag = try #require(started.fields["etag"])
            let changed = try await server.administer(
                "PATCH", Self.path, body: Self.replacement("c"),
                fields: ["If-Match: \(tag)", Self.patchType + "; charset=utf-8"])
            #expect(changed.status == 200)
            let json = try await server.administer("GET", Self.path).json
            #expect(json["template"] == Self.template("c"))
            #expect(json["baseVersion"] == "1", "a publish does not change what a draft began with")
            _ = try await server.administer("DELETE", Self.path)
            let fromFirst = try await server.administer(
                "PATCH", Self.path + "?baseVersion=1",
                body: [
                    [
                        "op": "test", "path": "/parameterGroups/Home/parameters/title/defaultValue",
                        "value": ["value": "a"],
                    ]
                ], fields: Self.new + [Self.patchType])
            #expect(fromFirst.status == 200)
            #expect(try fromFirst.json["baseVersion"] == "1")
        }
    }

    @Test func aCheckStoresNothingAndListsProblems() async throws {
        try await Self.with { server, _ in
            let path = Self.path + "?validateOnly=true"
            let fields = Self.new + [Self.patchType]
            let good = try await server.administer(
                "PATCH", path, body: Self.replacement("b"), fields: fields)
            #expect(good.status == 200)
            #expect(try good.json == ["warnings": []])
            let bad = try await server.administer(
                "PATCH", path,
                body: [
                    [
                        "op": "add", "path": "/conditions",
                        "value": [["name": "c", "expression": "device.os = 'ios'"]],
                    ]
                ], fields: fields)
            #expect(bad.status == 400)
            let details = try bad.json["error"]?["details"]?.arrayValue
            #expect(details?.first?["path"] == "conditions[0].expression")
            #expect(details?.first?["column"] != nil)
            #expect(try await server.administer("GET", Self.path).status == 204)
        }
    }

    @Test func aDraftThatCannotBePublishedIsKeptWithItsProblems() async throws {
        try await Self.with { server, _ in
            let broken: JSONNode = [
                "conditions": [["name": "c", "expression": "("]], "more": .number("1.0"),
            ]
            let put = try await server.administer(
                "PUT", Self.path, body: ["baseVersion": 1, "template": broken], fields: Self.new)
            #expect(put.status == 200)
            let json = try await server.administer("GET", Self.path).json
            #expect(json["template"] == broken)
            #expect(json["problems"]?.arrayValue?.first?["path"] == "conditions[0].expression")
        }
    }

    @Test(arguments: [
        ("PUT", "{}", ["If-None-Match: *"], 400),
        ("PUT", #"{"baseVersion":"1"}"#, ["If-None-Match: *"], 400),
        ("PUT", #"{"baseVersion":"1","template":[]}"#, ["If-None-Match: *"], 400),
        ("PUT", #"{"baseVersion":"9","template":{}}"#, ["If-None-Match: *"], 400),
        ("PUT", #"{"baseVersion":"1","template":{}}"#, [], 400),
        ("PUT", #"{"baseVersion":"1","template":{}}"#, ["If-Match: "], 400),
        ("PUT", #"{"baseVersion":"1","template":{}}"#, ["If-Match: *", "If-None-Match: *"], 400),
        ("PUT", #"{"baseVersion":"1","template":{}}"#, ["If-None-Match: \"x\""], 400),
        ("PUT", #"{"baseVersion":"1","template":{}}"#, ["If-Match: *"], 412),
        ("PATCH", "[]", ["If-None-Match: *"], 415),
        ("PATCH", "{}", ["If-None-Match: *", patchType], 400),
        ("PATCH", "[", ["If-None-Match: *", patchType], 400),
        ("PATCH", "[]", [patchType], 400),
        ("PATCH", #"[{"op":"remove","path":"/x"}]"#, ["If-None-Match: *", patchType], 409),
        ("PATCH", #"[{"op":"add","path":"","value":[]}]"#, ["If-None-Match: *", patchType], 400),
        ("PATCH", "[]", ["If-Match: *", patchType], 412),
    ])
    func aWrongRequestIsRefused(
        method: String, body: String, fields: [String], status: Int
    ) async throws {
        try await Self.with { server, _ in
            let answer = try await server.answer(
                Self.path, method: method,
                fields: ["Authorization: Bearer \(RunningServer.administratorToken)"] + fields,
                body: body)
            #expect(answer.status == status)
            #expect(try await server.administer("GET", Self.path).status == 204)
        }
    }

    @Test func aDraftBelongsToOneAdministrator() async throws {
        try await Self.with { server, store in
            let ada = try await Self.token(.editor, in: store, on: server)
            let bob = try await Self.token(.publisher, in: store, on: server)
            for (token, title) in [(ada.text, "ada"), (bob.text, "bob")] {
                let answer = try await server.administer(
                    "PUT", Self.path, body: Self.draft(title), token: token, fields: Self.new)
                #expect(answer.status == 200)
            }
            let found = try await server.administer("GET", Self.path, token: ada.text)
            #expect(try found.json["template"] == Self.template("ada"))
            #expect(try await server.administer("GET", Self.path).status == 204)
            let viewer = try await Self.token(.viewer, in: store, on: server)
            let refused = try await server.administer("GET", Self.path, token: viewer.text)
            #expect(refused.status == 403)
            // A new token with the same name belongs to another administrator.
            _ = try await server.administer("DELETE", "/v1/tokens/\(ada.id)")
            let revoked = try await server.administer("GET", Self.path, token: ada.text)
            #expect(revoked.status == 401)
            let names = try await store.tokens().filter { $0.id == ada.id }.map(\.name)
            let again = try await server.administer(
                "POST", "/v1/tokens",
                body: ["name": .string(try #require(names.first)), "role": "editor"]
            ).json["token"]?.stringValue
            let other = try await server.administer("GET", Self.path, token: again)
            #expect(other.status == 204)
        }
    }

    @Test func allSessionsOfATokenShareItsDraft() async throws {
        try await Self.with { server, _ in
            let first = try await server.signIn()
            let second = try await server.signIn()
            let put = try await server.administer(
                "PUT", Self.path, body: Self.draft("b"), token: nil,
                fields: Self.new + first.changingFields)
            #expect(put.status == 200)
            let get = try await server.administer(
                "GET", Self.path, token: nil, fields: second.fields)
            #expect(try get.json["template"] == Self.template("b"))
            let byToken = try await server.administer("GET", Self.path)
            #expect(byToken.status == 200)
        }
    }

    @Test func anInvalidNameOfAProjectHasNoDraft() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer("GET", "/v1/projects/%C2%84/draft")
            #expect(answer.status == 400)
        }
    }

    @Test func draftsAreNotInTheAuditTrail() async throws {
        try await Self.with { server, _ in
            _ = try await server.administer(
                "PUT", Self.path, body: Self.draft("b"), fields: Self.new)
            let audit = try await server.administer("GET", "/v1/projects/default/audit").json
            #expect(audit["entries"]?.arrayValue?.count == 1)
        }
    }

    @Test func theNumberOfDraftsIsLimited() async throws {
        try await Self.with { server, _ in
            for number in 0..<TemplateStoreLimits.drafts {
                let answer = try await server.administer(
                    "PUT", "/v1/projects/p\(number)/draft", body: Self.draft("b", base: "0"),
                    fields: Self.new)
                #expect(answer.status == 200)
            }
            let answer = try await server.administer(
                "PUT", Self.path, body: Self.draft("b"), fields: Self.new)
            #expect(answer.status == 400)
            #expect(try answer.json["error"]?["message"]?.stringValue?.contains("p0") == true)
        }
    }
}
