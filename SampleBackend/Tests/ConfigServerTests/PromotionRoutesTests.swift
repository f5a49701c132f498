import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Comparing two projects, and copying settings from one to the other, over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PromotionRoutesTests {
    private static let path = "/v1/projects/shop/remoteConfig"

    /// Template with the setting `Home.title`, and a value of it for the condition `beta`.
    private static func template(
        _ title: String, beta: String = "percent <= 50",
        extra: KeyValuePairs<String, JSONNode> = [:]
    ) -> JSONNode {
        var parameters: JSONNode = [
            "title": [
                "defaultValue": ["value": .string(title)],
                "conditionalValues": ["beta": ["value": .string(title + " beta")]],
            ]
        ]
        for (key, parameter) in extra { parameters.setMember(key, parameter) }
        return [
            "conditions": [["name": "beta", "expression": .string(beta)]],
            "parameterGroups": ["Home": ["parameters": parameters]],
        ]
    }

    /// Runs a server with a template in `shop` and one in `staging`.
    private static func with(
        shop: JSONNode, staging: JSONNode,
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(shop, project: "shop")
            try await server.publish(staging, project: "staging")
            try await body(server)
        }
    }

    private static func promote(
        _ server: RunningServer, _ body: JSONNode = [:], token: String? = nil,
        fields: [String] = []
    ) async throws -> HTTPAnswer {
        var body = body
        if body["from"] == nil { body.setMember("from", "staging") }
        return try await server.administer(
            "POST", path + ":promote", body: body,
            token: token ?? RunningServer.administratorToken, fields: fields)
    }

    private static func document(
        _ server: RunningServer, _ project: String, user: String, signals: String = ""
    ) async throws -> JSONNode? {
        try await server.document(
            "/projects/\(project)/activeconfig/user/\(user)?\(signals)")["config_sections"]
    }

    @Test func aComparisonHasBothSidesAndTheirTags() async throws {
        let same: JSONNode = [
            "defaultValue": ["value": "s"], "conditionalValues": ["beta": ["value": "b"]],
        ]
        try await Self.with(
            shop: Self.template("old", beta: "percent <= 5", extra: ["same": same]),
            staging: Self.template("new", extra: ["same": same])
        ) { server in
            let answer = try await server.administer("GET", Self.path + ":compare?with=staging")
            #expect(answer.status == 200)
            #expect(answer.fields["etag"] == #""etag-shop-1""#)
            let json = try answer.json
            #expect(json["etag"] == "etag-shop-1" && json["versionNumber"] == "1")
            #expect(json["with"] == "staging")
            #expect(json["withETag"] == "etag-staging-1" && json["withVersionNumber"] == "1")
            let settings = json["parameters"]?.arrayValue
            #expect(settings?.map { $0["key"] } == ["title"])
            #expect(
                settings?.first?["parts"]?.arrayValue?.first == [
                    "name": "defaultValue", "old": ["value": "old"], "new": ["value": "new"],
                ])
            #expect(json["conditions"]?.arrayValue?.map { $0["name"] } == ["beta"])
            // The setting itself does not differ, but the condition on which it depends.
            #expect(json["affectedSettings"] == [["section": "Home", "key": "same"]])
        }
    }

    /// T36.
    @Test func aConditionWithAnotherExpressionIsAskedAbout() async throws {
        let other: JSONNode = [
            "defaultValue": ["value": "o"], "conditionalValues": ["beta": ["value": "b"]],
        ]
        try await Self.with(
            shop: Self.template("old", beta: "user.id == '7'", extra: ["other": other]),
            staging: Self.template("new")
        ) { server in
            let asked = try await Self.promote(server).json
            #expect(asked["conflicts"]?.arrayValue?.map { $0["path"] } == ["conditions.beta"])
            #expect(asked["conflicts"]?.arrayValue?.first?["resolution"] == nil)
            #expect(asked["conditions"]?["different"] == ["beta"])
            #expect(asked["affectedSettings"] == [])
            let taken = try await Self.promote(
                server, ["resolutions": ["conditions.beta": "mine"]]
            ).json
            #expect(taken["conflicts"]?.arrayValue?.first?["resolution"] == "mine")
            #expect(taken["affectedSettings"] == [["section": "Home", "key": "other"]])
            for (answer, expression) in [
                (asked, "user.id == '7'"), (taken, "percent <= 50"),
            ] {
                #expect(
                    answer["template"]?["conditions"]?.arrayValue?.first?["expression"]
                        == .string(expression))
            }
            // Nothing was stored.
            let current = try await server.administer("GET", Self.path)
            #expect(current.fields["etag"] == #""etag-shop-1""#)
        }
    }

    /// T37.
    @Test func anEmptySeedChoosesTheSameUsers() async throws {
        for expression in ["percent <= 50", "percent('s') <= 50"] {
            try await Self.with(
                shop: ["parameters": [:]], staging: Self.template("new", beta: expression)
            ) { server in
                let json = try await Self.promote(server).json
                let published = try await server.publish(
                    try #require(json["template"]), project: "shop",
                    ifMatch: try #require(json["etag"]?.stringValue))
                #expect(published.status == 200)
                let condition = try published.json["conditions"]?.arrayValue?.first
                #expect(condition?["expression"] == .string(expression))
                #expect(
                    try published.json["version"]?["description"] == "From staging, version 1")
                var values: Set<JSONNode?> = []
                for user in 0..<20 {
                    let document = try await Self.document(server, "shop", user: "\(user)")
                    let wanted = try await Self.document(server, "staging", user: "\(user)")
                    #expect(document == wanted, "\(expression), user \(user)")
                    values.insert(document)
                }
                #expect(values.count == 2, "\(expression)")
            }
        }
    }

    /// T38: both tags of a preview are taken back.
    @Test func aPromotionIsRefusedWhenAProjectHasChangedSinceTheComparison() async throws {
        try await Self.with(shop: Self.template("old"), staging: Self.template("new")) { server in
            let seen = try await server.administer("GET", Self.path + ":compare?with=staging").json
            let tags = ["etag", "withETag"].map { seen[$0]?.stringValue ?? "" }
            let body: JSONNode = ["fromETag": .string(tags[1])]
            let fields = ["If-Match: \"\(tags[0])\""]
            #expect(try await Self.promote(server, body, fields: fields).status == 200)
            try await server.publish(Self.template("newer"), project: "staging")
            let source = try await Self.promote(server, body, fields: fields)
            #expect(source.status == 412)
            #expect(source.error?.status == "VERSION_MISMATCH")
            #expect(source.error?.message.contains("fromETag") == true)
            #expect(try await Self.promote(server, fields: fields).status == 200)
            try await server.publish(Self.template("older"), project: "shop")
            let target = try await Self.promote(server, fields: fields)
            #expect(target.status == 412)
            #expect(target.error?.message.contains("If-Match") == true)
            #expect(try await Self.promote(server, ["fromETag": "*"]).status == 200)
        }
    }

    /// T38: by default neither pins nor conditions that name users nor deletions arrive.
    @Test func whatBelongsToOneProjectStaysThere() async throws {
        var staging = Self.template("new", beta: "user.id == '3'")
        staging.setMember("other", [1])
        try await Self.with(
            shop: [
                "parameterGroups": [
                    "Home": ["parameters": ["gone": ["defaultValue": ["value": "g"]]]]
                ],
                "mine": [2],
            ], staging: staging
        ) { server in
            try await server.administer(
                "PUT", "/v1/projects/staging/users/4/overrides", body: ["Home": ["title": "pin"]])
            let json = try await Self.promote(server).json
            #expect(json["conditions"]?["omitted"] == ["beta"])
            #expect(
                json["omittedValues"] == [
                    ["section": "Home", "key": "title", "condition": "beta"]
                ])
            #expect(json["problems"] == [])
            let template = try #require(json["template"])
            #expect(template["mine"] == [2] && template["other"] == nil)
            #expect(try await server.publish(template, project: "shop").status == 200)
            for user in ["3", "4"] {
                let home = try await Self.document(server, "shop", user: user)?["Home"]
                #expect(home?["settings"]?["title"]?["value"] == "new", "user \(user)")
                #expect(home?["settings"]?["gone"]?["value"] == "g", "user \(user)")
            }
            let all = try await Self.promote(
                server, ["userConditions": true, "deletions": true]
            ).json
            #expect(all["conditions"]?["added"] == ["beta"])
            let parameters = all["template"]?["parameterGroups"]?["Home"]?["parameters"]
            #expect(parameters?["gone"] == nil)
        }
    }

    @Test func onlyChosenSettingsAndPartsAreCopied() async throws {
        let extra: KeyValuePairs<String, JSONNode> = ["x": ["defaultValue": ["value": "new"]]]
        try await Self.with(
            shop: ["parameters": [:]], staging: Self.template("new", extra: extra)
        ) { server in
            let rows: [(JSONNode, [String])] = [
                ([:], ["title", "x"]), (["sections": ["Home"]], ["title", "x"]),
                (["settings": [["section": "Home", "key": "x"]]], ["x"]),
                (
                    [
                        "settings": [
                            ["section": "Home", "key": "title", "parts": ["defaultValue"]]
                        ]
                    ], ["title"]
                ),
            ]
            for (body, keys) in rows {
                let answer = try await Self.promote(server, body)
                let home = try answer.json["template"]?["parameterGroups"]?["Home"]?["parameters"]
                #expect(home?.objectValue.map { Array($0.names) } == keys, "\(body)")
                let hasCondition = try answer.json["template"]?["conditions"] != nil
                #expect(hasCondition == (body["settings"] == nil), "\(body)")
            }
        }
    }

    static let refusals: [NamedRow<(body: JSONNode, status: Int)>] = [
        .init("without a project", (["from": .null], 400)),
        .init("itself", (["from": "shop"], 400)),
        .init("an unknown project", (["from": "none"], 404)),
        .init("an invalid name", (["from": "a b"], 400)),
        .init("an unknown setting", (["settings": [["section": "Home", "key": "no"]]], 400)),
        .init("an unknown section", (["sections": ["No"]], 400)),
        .init(
            "no part",
            (["settings": [["section": "Home", "key": "title", "parts": []]]], 400)),
        .init(
            "an unknown part",
            (["settings": [["section": "Home", "key": "title", "parts": ["value"]]]], 400)),
        .init(
            "an unknown setting to delete",
            (["settings": [["section": "Home", "key": "no"]], "deletions": true], 400)),
        .init("an unknown section to delete", (["sections": ["No"], "deletions": true], 400)),
        .init("a setting as text", (["settings": ["Home.title"]], 400)),
        .init(
            "a misspelled member",
            (["settings": [["section": "Home", "key": "title", "part": []]]], 400)),
        .init("nothing", (["settings": []], 400)),
        .init("a section as number", (["sections": [1]], 400)),
        .init("deletions as text", (["deletions": "yes"], 400)),
        .init("an unknown side", (["resolutions": ["conditions": "source"]], 400)),
        .init("an unknown member", (["validateOnly": true], 400)),
    ]

    @Test(arguments: refusals)
    func anInvalidPromotionIsRefused(
        row: NamedRow<(body: JSONNode, status: Int)>
    ) async throws {
        try await Self.with(shop: Self.template("old"), staging: Self.template("new")) { server in
            let answer = try await Self.promote(server, row.value.body)
            #expect(answer.status == row.value.status)
        }
    }

    /// The role in `shop` and in `staging`; nil for none.
    static let access:
        [NamedRow<(shop: String?, staging: String?, compare: Int, promote: Int, publish: Int)>] = [
            .init("both as publisher", ("publisher", "publisher", 200, 200, 200)),
            .init("reads the source", ("publisher", "viewer", 200, 200, 200)),
            .init("edits the target", ("editor", "viewer", 200, 200, 403)),
            .init("reads the target", ("viewer", "publisher", 200, 403, 403)),
            .init("evaluates the source", ("editor", "evaluator", 404, 404, 403)),
            .init("only the target", ("publisher", nil, 404, 404, 200)),
            .init("only the source", (nil, "publisher", 404, 404, 404)),
        ]

    @Test(arguments: access)
    func aPromotionNeedsToReadTheSourceAndToEditTheTarget(
        row: NamedRow<(shop: String?, staging: String?, compare: Int, promote: Int, publish: Int)>
    ) async throws {
        try await Self.with(shop: Self.template("old"), staging: Self.template("new")) { server in
            var projects = JSONNode.emptyObject
            projects.setMember("shop", row.value.shop.map { .string($0) })
            projects.setMember("staging", row.value.staging.map { .string($0) })
            let answer = try await server.administer(
                "POST", "/v1/tokens", body: ["name": "limited", "projects": projects])
            let token = try #require(try answer.json["token"]?.stringValue)
            let compare = try await server.administer(
                "GET", Self.path + ":compare?with=staging", token: token)
            #expect(compare.status == row.value.compare)
            let promoted = try await Self.promote(server, token: token)
            #expect(promoted.status == row.value.promote)
            let template = try await Self.promote(server).json["template"]
            let published = try await server.administer(
                "PUT", Self.path, body: template, token: token, fields: ["If-Match: *"])
            #expect(published.status == row.value.publish)
        }
    }

    /// A project that the token does not include looks like one that does not exist.
    @Test func anExcludedProjectIsAnsweredLikeAnUnknownOne() async throws {
        try await Self.with(shop: Self.template("old"), staging: Self.template("new")) { server in
            let answer = try await server.administer(
                "POST", "/v1/tokens", body: ["name": "limited", "projects": ["shop": "publisher"]])
            let token = try #require(try answer.json["token"]?.stringValue)
            let messages = try await ["staging", "nothing"].asyncMap { name in
                try await Self.promote(server, ["from": .string(name)], token: token)
                    .error?.message.replacing(name, with: "…")
            }
            #expect(messages[0] != nil && messages[0] == messages[1])
        }
    }

    /// A promotion of everything into an empty project gives each user the same documents.
    @Test func everythingInAnEmptyProjectIsServedAlike() async throws {
        var seeds = SeededGenerator.printingItsSeed()
        for round in Rounds.numbers(8, nightly: 300) {
            var templates = RandomTemplates(seed: seeds.next())
            let staging = templates.template()
            try await RunningServer.with(store: InMemoryTemplateStore()) { server in
                try await server.administer("POST", "/v1/projects", body: ["project": "shop"])
                try await server.publish(staging, project: "staging")
                let json = try await Self.promote(server, ["userConditions": true]).json
                #expect(json["conflicts"] == [], "round \(round)")
                let published = try await server.publish(
                    try #require(json["template"]), project: "shop",
                    ifMatch: try #require(json["etag"]?.stringValue))
                #expect(published.status == 200, "round \(round)")
                for (index, signals) in RandomTemplates.signals.enumerated() {
                    for user in 1...4 {
                        let (wanted, found) = (
                            try await Self.document(
                                server, "staging", user: "\(index * 4 + user)", signals: signals),
                            try await Self.document(
                                server, "shop", user: "\(index * 4 + user)", signals: signals)
                        )
                        #expect(found == wanted, "round \(round), \(signals), user \(user)")
                    }
                }
            }
        }
    }

    /// Without a resolution, what was not chosen is served as before.
    @Test func whatWasNotChosenIsServedAsBefore() async throws {
        var seeds = SeededGenerator.printingItsSeed()
        for round in Rounds.numbers(8, nightly: 300) {
            var templates = RandomTemplates(seed: seeds.next())
            let (shop, staging) = (templates.template(), templates.template())
            try await Self.with(shop: shop, staging: staging) { server in
                let json = try await Self.promote(server, ["sections": ["A"]]).json
                var before: [String: JSONNode?] = [:]
                for signals in RandomTemplates.signals {
                    for user in 1...4 {
                        before["\(user)?\(signals)"] = try await Self.document(
                            server, "shop", user: "\(user)", signals: signals)
                    }
                }
                let published = try await server.publish(
                    try #require(json["template"]), project: "shop")
                #expect(published.status == 200, "round \(round)")
                for (place, old) in before {
                    let new = try await server.document(
                        "/projects/shop/activeconfig/user/\(place)")["config_sections"]
                    for section in ["Default", "B"] {
                        #expect(
                            new?[section] == (old ?? nil)?[section],
                            "round \(round), \(section), \(place)")
                    }
                }
            }
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(
        _ transform: (Element) async throws -> Result
    ) async throws -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
