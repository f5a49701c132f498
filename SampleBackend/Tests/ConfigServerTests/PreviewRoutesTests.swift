import ConfigServer
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Previews over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PreviewRoutesTests {
    private static let path = "/v1/projects/default/remoteConfig"

    @Test func aPreviewShowsTheEffectsOfATemplate() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            var changed = JSONNode.sample
            changed.setMember("parameters", [:])
            let answer = try await server.administer(
                "POST", Self.path + ":preview",
                body: [
                    "template": changed,
                    "users": [
                        ["userID": "3", "signals": ["app.version": "2.0", "city": "Tokyo"]],
                        ["userID": "4"],
                    ],
                ])
            #expect(answer.status == 200)
            let users = try #require(try answer.json["users"]?.arrayValue)
            #expect(users.count == 2)
            #expect(users[0]["changes"] == ["Default": ["isNew"]])
            #expect(users[0]["settings"]?["Home"]?["title"]?["condition"] == "third")
            #expect(users[1]["settings"]?["Home"]?["title"]?["source"] == "DEFAULT")
            #expect(
                users[1]["settings"]?["Home"]?["title"]?["falseConditions"]
                    == ["third", "tokyo"])
            let conditions = try #require(users[1]["conditions"]?.arrayValue)
            #expect(conditions[0]["failedRule"]?.stringValue?.contains("user.id") == true)
            #expect(conditions[2]["percentiles"]?.arrayValue?.count == 1)
            let template = try await server.administer("GET", Self.path)
            #expect(template.fields["etag"] == #""etag-default-1""#)
        }
    }

    @Test func membersThatDoNotExistAreRefused() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let rows: [(call: String, body: JSONNode, member: String)] = [
                (":merge", ["base": "1", "resolution": .emptyObject], "\"resolution\""),
                (":preview", ["users": [], "tempalte": .emptyObject], "\"tempalte\""),
                (":preview", ["users": [["userID": "1"], ["userId": "1"]]], "\"users[1].userId\""),
                (":preview", ["users": [["signal": .emptyObject]]], "\"users[0].signal\""),
                (":import", ["file": .emptyObject, "setion": "a"], "\"setion\""),
            ]
            for row in rows {
                let answer = try await server.administer(
                    "POST", Self.path + row.call, body: row.body)
                #expect(answer.status == 400, "\(row)")
                #expect(answer.error?.message.contains(row.member) == true, "\(row)")
            }
        }
    }

    /// Template with a value for all clients above one for iOS.
    private static func shadowed(_ expression: String) -> JSONNode {
        [
            "conditions": [
                ["name": "known", "expression": "device.os in ['ios', 'android']"],
                ["name": "ios", "expression": .string(expression)],
            ],
            "parameters": [
                "title": [
                    "defaultValue": ["value": "d"],
                    "conditionalValues": ["known": ["value": "k"], "ios": ["value": "i"]],
                ]
            ],
        ]
    }

    @Test(arguments: [true, false])
    func aPreviewEstimatesWhomTheTemplateReaches(samples: Bool) async throws {
        var options = ConfigServerOptions()
        options.samplesSignals = samples
        try await RunningServer.with(store: InMemoryTemplateStore(), options: options) { server in
            try await server.publish(["parameters": ["title": ["defaultValue": ["value": "d"]]]])
            for user in 0..<8 {
                let system = user < 6 ? "ios" : "android"
                _ = try await server.answer("/activeconfig/user/\(user)?device.os=\(system)")
            }
            let json = try await server.administer(
                "POST", Self.path + ":preview",
                body: ["template": Self.shadowed("device.os == 'iOS'"), "users": []]
            ).json
            #expect(json["doubts"]?.arrayValue?.map { $0["likely"] } == ["ios"])
            #expect(json["doubts"]?.arrayValue?.map { $0["condition"] } == ["ios"])
            let repaired = try await server.administer(
                "POST", Self.path + ":preview",
                body: ["template": Self.shadowed("device.os == 'ios'"), "users": []]
            ).json
            #expect(repaired["doubts"] == [])
            let values = repaired["reach"]?["values"]?.arrayValue
            #expect(values?.map { $0["condition"] } == ["known", "ios"])
            guard samples else {
                #expect(repaired["estimate"] == nil)
                #expect(repaired["reach"]?["users"] == 0)
                return
            }
            // Too few users have sent 'android' for the value to count.
            #expect(repaired["estimate"] == ["sampled": 8, "evaluated": 8, "changed": 6])
            #expect(values?.first?["reached"] == 6)
            #expect(values?.last?["matching"] == 6)
            #expect(values?.last?["reached"] == 0)
            #expect(values?.last?["takenBy"] == ["known": 6])
        }
    }

    @Test func aPreviewThatIsOverLeavesItsPlace() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            // More previews of each kind than may run at once.
            for users in [[["userID": "1"]], "wrong"] as [JSONNode] {
                for _ in 0..<10 {
                    let answer = try await server.administer(
                        "POST", Self.path + ":preview", body: ["users": users])
                    #expect(answer.status == (users == "wrong" ? 400 : 200))
                }
            }
        }
    }

    @Test func aPreviewNamesTheSignalsThatItCouldNotLookAt() async throws {
        let published: JSONNode = [
            "conditions": [
                ["name": "new", "expression": "app.version.>=(['2.0']) && user.id == '1'"],
                ["name": "Japan", "expression": "device.country in ['JP']"],
            ]
        ]
        let proposed: JSONNode = [
            "conditions": [
                ["name": "gold", "expression": "app.customSignal['plan'].contains(['gold'])"],
                // True for any operating system.
                ["name": "all", "expression": "device.os == 'ios' || user.id in ['1', '9']"],
            ]
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.publish(published).status == 200)
            let answer = try await server.administer(
                "POST", Self.path + ":preview",
                body: [
                    "template": proposed,
                    "users": [
                        ["userID": "1"], ["userID": "9"],
                        [
                            "userID": "1",
                            "signals": ["app.version": "1.0", "plan": "gold"],
                        ],
                        [
                            "userID": "1",
                            "signals": [
                                "app.version": "1.0", "plan": "none", "device.country": "DE",
                            ],
                        ],
                    ],
                ]
            ).json
            let missing = try #require(answer["users"]?.arrayValue).map { $0["missingSignals"] }
            #expect(
                missing == [
                    ["app.version", "device.country", "signal.plan"],
                    ["device.country", "signal.plan"], ["device.country"], [],
                ])
            #expect(answer["versionNumber"] == "1")
        }
    }

    @Test func aPreviewOfAProposedTemplateKeepsPinnedValues() async throws {
        @Sendable func template(_ title: String) -> JSONNode {
            [
                "parameterGroups": [
                    "Home": [
                        "parameters": [
                            "title": ["defaultValue": ["value": .string(title)]]
                        ]
                    ]
                ]
            ]
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(template("old"))
            let pinned = try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides", body: ["Home": ["title": "mine"]])
            #expect(pinned.status == 200)
            let answer = try await server.administer(
                "POST", Self.path + ":preview",
                body: ["template": template("new"), "users": [["userID": "1"], ["userID": "2"]]]
            ).json
            let users = try #require(answer["users"]?.arrayValue)
            let titles = users.map {
                $0["proposed"]?["config_sections"]?["Home"]?["settings"]?["title"]?["value"]
            }
            #expect(titles == ["mine", "new"])
            let sources = users.map { $0["settings"]?["Home"]?["title"]?["source"] }
            #expect(sources == ["OVERRIDE", "DEFAULT"])
            #expect(users.map { $0["changes"] } == [[:], ["Home": ["title"]]])
        }
    }

    @Test(arguments: [true, false])
    func aPreviewWithALongIDInManyPlacesIsRefused(isPublished: Bool) async throws {
        let shown = String(repeating: "${user.id}", count: 1_000)
        let template: JSONNode = [
            "parameters": ["title": ["defaultValue": ["value": .string(shown)]]]
        ]
        @Sendable func body(idLength: Int) -> JSONNode {
            let userID = JSONNode.string(String(repeating: "u", count: idLength))
            var body: JSONNode = ["users": [["userID": userID]]]
            if !isPublished { body.setMember("template", template) }
            return body
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            if isPublished { try await server.publish(template) }
            let path = Self.path + ":preview"
            let short = try await server.administer("POST", path, body: body(idLength: 100))
            #expect(short.status == 200)
            let long = try await server.administer("POST", path, body: body(idLength: 40_000))
            #expect(long.status == 413)
            #expect(long.error?.message.contains("a shorter ID") == true)
        }
    }
}
