import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Merging an edit with the versions published since its base, and the list of projects (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct MergeRoutesTests {
    private static let path = "/v1/projects/default/remoteConfig:merge"

    /// Template with a parameter for each value, in the section `Home page`.
    private static func template(_ values: [String: String]) -> JSONNode {
        var parameters = JSONNode.emptyObject
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            parameters.setMember(key, ["defaultValue": ["value": .string(value)]])
        }
        return ["parameterGroups": ["Home page": ["parameters": parameters]]]
    }

    /// Default value of a parameter in the section `Home page`.
    private static func value(of key: String, in template: JSONNode?) -> JSONNode? {
        template?["parameterGroups"]?["Home page"]?["parameters"]?[key]?["defaultValue"]?["value"]
    }

    /// Runs a server on which `theirs` was published after `base`.
    private static func with(
        base: [String: String], theirs: [String: String],
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(template(base))
            try await server.publish(template(theirs))
            try await body(server)
        }
    }

    @Test func aMergeLosesNoEditOfEitherSide() async throws {
        try await Self.with(
            base: ["a": "1", "b": "1", "c": "1"], theirs: ["a": "1", "b": "2", "d": "2"]
        ) { server in
            let answer = try await server.administer(
                "POST", Self.path,
                body: [
                    "base": "1", "mine": Self.template(["a": "3", "b": "1", "c": "1", "e": "3"]),
                ])
            #expect(answer.status == 200)
            #expect(answer.fields["etag"] == #""etag-default-2""#)
            let json = try answer.json
            #expect(json["versionNumber"] == "2")
            #expect(json["etag"] == "etag-default-2")
            #expect(json["conflicts"] == [])
            #expect(json["problems"] == [])
            let template = json["template"]
            for (key, value) in [("a", "3"), ("b", "2"), ("d", "2"), ("e", "3")] {
                #expect(Self.value(of: key, in: template) == .string(value), "\(key)")
            }
            #expect(Self.value(of: "c", in: template) == nil)
            let keys = ["mine", "theirs"].map { side in
                json["changes"]?[side]?["parameters"]?.arrayValue?.compactMap { $0["key"] }
            }
            #expect(keys == [["a", "e"], ["b", "c", "d"]])
            let published = try await server.publish(
                try #require(template), ifMatch: try #require(json["etag"]?.stringValue))
            #expect(published.status == 200)
        }
    }

    @Test func aMergeAsksAboutConflictsAndAppliesTheResolutions() async throws {
        try await Self.with(
            base: ["title": "old", "words": "old"], theirs: ["title": "theirs", "words": "theirs"]
        ) { server in
            let mine = Self.template(["title": "mine", "words": "mine"])
            let open = try await server.administer(
                "POST", Self.path, body: ["base": 1, "mine": mine]
            ).json
            let conflicts = try #require(open["conflicts"]?.arrayValue)
            var first = try #require(conflicts.first)
            #expect(first["changedBy"]?["versionNumber"] == "2")
            #expect(first["changedBy"]?["updateUser"]?["name"] == "environment")
            first.removeMember("changedBy")
            #expect(
                first == [
                    "path": "parameterGroups[\"Home page\"].parameters.title.defaultValue",
                    "kind": "PARAMETER", "section": "Home page", "key": "title",
                    "field": "defaultValue", "base": ["value": "old"], "mine": ["value": "mine"],
                    "theirs": ["value": "theirs"],
                ])
            #expect(conflicts.count == 2)
            #expect(Self.value(of: "title", in: open["template"]) == "theirs")
            var resolutions = JSONNode.emptyObject
            resolutions.setMember(try #require(conflicts.last?["path"]?.stringValue), "mine")
            let decided = try await server.administer(
                "POST", Self.path,
                body: ["base": "1", "mine": mine, "resolutions": resolutions]
            ).json
            #expect(Self.value(of: "title", in: decided["template"]) == "theirs")
            #expect(Self.value(of: "words", in: decided["template"]) == "mine")
            let sides = decided["conflicts"]?.arrayValue?.map { $0["resolution"] }
            #expect(sides == [nil, "mine"])
        }
    }

    @Test func aMergeNamesTheAuthorOfEachChangedFieldOverSeveralPublishes() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(Self.template(["a": "1", "b": "1"]))
            for (name, values) in [
                ("ada", ["a": "2", "b": "1"]), ("bob", ["a": "2", "b": "2"]),
                ("eve", ["a": "2", "b": "2", "c": "1"]),
            ] {
                let token = try await server.administer(
                    "POST", "/v1/tokens", body: ["name": .string(name), "role": "publisher"]
                ).json["token"]?.stringValue
                let answer = try await server.administer(
                    "PUT", "/v1/projects/default/remoteConfig", body: Self.template(values),
                    token: token, fields: ["If-Match: *"])
                #expect(answer.status == 200)
            }
            let json = try await server.administer(
                "POST", Self.path,
                body: ["base": "1", "mine": Self.template(["a": "3", "b": "3"])]
            ).json
            let authors = json["conflicts"]?.arrayValue?.map {
                [$0["key"], $0["changedBy"]?["updateUser"]?["name"]]
            }
            #expect(authors == [["a", "ada"], ["b", "bob"]])
        }
    }

    @Test func aMergeNamesTheAuthorWhoMovedConditionsNotOneWhoAddedOrRemovedOne() async throws {
        @Sendable func template(_ names: String...) -> JSONNode {
            [
                "conditions": .array(
                    names.map { ["name": .string($0), "expression": "true"] as JSONNode })
            ]
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(template("a", "b", "c", "d"))
            try await server.publish(template("b", "a", "c", "d"))
            try await server.publish(template("new", "b", "a", "c", "d"))
            try await server.publish(template("new", "b", "a", "c"))
            let json = try await server.administer(
                "POST", Self.path,
                body: ["base": "1", "mine": template("c", "a", "b", "d")]
            ).json
            let order = json["conflicts"]?.arrayValue?.first { $0["kind"] == "CONDITION_ORDER" }
            #expect(order?["changedBy"]?["versionNumber"] == "2")
        }
    }

    @Test func aMergeNamesConflictsOutsideOfParameters() async throws {
        @Sendable func template(_ names: [String], _ description: String, _ field: Int) -> JSONNode
        {
            [
                "conditions": .array(
                    names.map {
                        [
                            "name": .string($0),
                            "expression": .string("user.id == '\(description)'"),
                        ]
                    }),
                "parameterGroups": ["Home": ["description": .string(description)]],
                "more": .number("\(field)"),
            ]
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(template(["a", "b", "c"], "base", 1))
            try await server.publish(template(["b", "a", "c"], "theirs", 2))
            let json = try await server.administer(
                "POST", Self.path,
                body: ["base": "1", "mine": template(["c", "a", "b"], "mine", 3)]
            ).json
            let names = json["conflicts"]?.arrayValue?.map { [$0["kind"], $0["name"]] }
            let order = json["conflicts"]?.arrayValue?.first
            #expect(order?["mine"] == ["c", "a", "b"])
            #expect(
                Set(names ?? []) == [
                    ["CONDITION_ORDER", nil], ["CONDITION", "a"], ["CONDITION", "b"],
                    ["CONDITION", "c"], ["GROUP", "Home"], ["FIELD", "more"],
                ])
        }
    }

    @Test func aMergeTakesAnEditThatBeganBeforeTheFirstPublish() async throws {
        try await Self.with(base: ["a": "1"], theirs: ["a": "1"]) { server in
            let json = try await server.administer(
                "POST", Self.path, body: ["base": "0", "mine": Self.template(["b": "2"])]
            ).json
            #expect(Self.value(of: "a", in: json["template"]) == "1")
            #expect(Self.value(of: "b", in: json["template"]) == "2")
        }
    }

    @Test func aMergeTellsWhenTheMergedTemplateCannotBePublished() async throws {
        @Sendable func template(_ prefix: String) -> JSONNode {
            Self.template(
                Dictionary(
                    uniqueKeysWithValues: (0..<2_000).map { ("\(prefix)\($0)", "x") }))
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template([:]))
            try await server.publish(template("a"))
            let answer = try await server.administer(
                "POST", Self.path, body: ["base": "1", "mine": template("b")])
            #expect(answer.status == 200)
            #expect(try answer.json["problems"]?.arrayValue?.isEmpty == false)
        }
    }

    @Test func theServerReportsTheProblemsOfAMergeRequest() async throws {
        try await Self.with(base: ["a": "1"], theirs: ["a": "2"]) { server in
            let mine = Self.template(["a": "3"])
            let rows: [(JSONNode, Int, String)] = [
                (["mine": mine], 400, "base"), (["base": "x", "mine": mine], 400, "base"),
                (["base": "-1", "mine": mine], 400, "base"), (["base": "1"], 400, "mine"),
                (["base": "1", "mine": mine, "resolutions": []], 400, "resolutions"),
                (["base": "1", "mine": mine, "resolutions": ["a": "ours"]], 400, "\"a\""),
                (["base": "9", "mine": mine], 404, "Version 9"),
            ]
            for (body, status, word) in rows {
                let answer = try await server.administer("POST", Self.path, body: body)
                #expect(answer.status == status, "\(body)")
                #expect(answer.error?.message.contains(word) == true, "\(body)")
            }
            let wrong = try await server.administer(
                "POST", Self.path,
                body: [
                    "base": "1", "mine": ["conditions": [["name": "c", "expression": "true ||"]]],
                ])
            #expect(wrong.status == 400)
            let problem = try wrong.json["error"]?["details"]?.arrayValue?.first
            #expect(problem?["path"] == "conditions[0].expression")
            #expect(problem?["column"] != nil)
            let unknown = try await server.administer(
                "POST", "/v1/projects/none/remoteConfig:merge", body: ["base": "1", "mine": mine])
            #expect(unknown.status == 404)
        }
    }

    @Test func theServerListsProjectsByName() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.administer("GET", "/v1/projects").json == ["projects": []])
            for project in ["b", "default", "a", "b"] {
                try await server.publish(Self.template(["x": "1"]), project: project)
            }
            let projects = try await server.administer("GET", "/v1/projects").json["projects"]
            let rows = projects?.arrayValue?.map { [$0["name"], $0["versionNumber"]] }
            #expect(rows == [["a", "1"], ["b", "2"], ["default", "1"]])
            let template = try await server.administer("GET", "/v1/projects/b/remoteConfig")
            #expect(
                try projects?.arrayValue?[1]["updateTime"]
                    == template.json["version"]?["updateTime"])
        }
    }
}
