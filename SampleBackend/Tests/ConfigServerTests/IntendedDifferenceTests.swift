import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Settings and conditions that differ from another project on purpose, over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct IntendedDifferenceTests {
    private static let path = "/v1/projects/shop/intendedDifferences"
    private static let templatePath = "/v1/projects/shop/remoteConfig"

    /// A template with settings of the section `Home`, of which `share` has a value for `beta`.
    private static func template(
        _ values: KeyValuePairs<String, String>, beta: String = "percent <= 50"
    ) -> JSONNode {
        var parameters = JSONNode.emptyObject
        for (key, value) in values {
            var parameter: JSONNode = ["defaultValue": ["value": .string(value)]]
            if key == "share" {
                parameter.setMember("conditionalValues", ["beta": ["value": "b"]])
            }
            parameters.setMember(key, parameter)
        }
        return [
            "conditions": [["name": "beta", "expression": .string(beta)]],
            "parameterGroups": ["Home": ["parameters": parameters]],
        ]
    }

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

    private static func mark(
        _ server: RunningServer, _ key: String? = nil, condition: String? = nil,
        note: String = "Other partners in staging.", more: JSONNode = [:], token: String? = nil
    ) async throws -> HTTPAnswer {
        var body: JSONNode = ["with": "staging", "note": .string(note)]
        if let key {
            body.setMember("section", "Home")
            body.setMember("key", .string(key))
        }
        body.setMember("condition", condition.map { .string($0) })
        for (name, value) in more.objectValue ?? [:] { body.setMember(name, value) }
        return try await server.administer(
            "PUT", path, body: body, token: token ?? RunningServer.administratorToken)
    }

    private static func compare(_ server: RunningServer) async throws -> JSONNode {
        let answer = try await server.administer("GET", templatePath + ":compare?with=staging")
        #expect(answer.status == 200)
        return try answer.json
    }

    private static func keys(_ list: JSONNode?) -> [String] {
        (list?.arrayValue ?? []).compactMap { ($0["key"] ?? $0["name"])?.stringValue }
    }

    @Test func whatDiffersOnPurposeIsListedApartUntilOneSideChanges() async throws {
        try await Self.with(
            shop: Self.template(["title": "Shop", "url": "https://shop"]),
            staging: Self.template(["title": "Staging", "url": "https://staging"])
        ) { server in
            let marked = try await Self.mark(server, "url")
            #expect(marked.status == 200)
            #expect(try marked.json["author"]?.stringValue?.isEmpty == false)
            var found = try await Self.compare(server)
            #expect(Self.keys(found["parameters"]) == ["title"])
            #expect(Self.keys(found["intended"]?["parameters"]) == ["url"])
            let mark = found["intended"]?["parameters"]?.arrayValue?.first?["mark"]
            #expect(mark?["note"] == "Other partners in staging.")
            #expect(mark?["changed"] == nil)
            // The other project changes: listed again, with what both had.
            try await server.publish(
                Self.template(["title": "Staging", "url": "https://new"]), project: "staging")
            found = try await Self.compare(server)
            #expect(Self.keys(found["parameters"]) == ["title", "url"])
            #expect(Self.keys(found["intended"]?["parameters"]) == [])
            let outdated = found["parameters"]?.arrayValue?.last?["mark"]
            #expect(outdated?["changed"] == "OTHER")
            #expect(
                outdated?["then"]?["other"]?["defaultValue"] == ["value": "https://staging"])
            #expect(outdated?["then"]?["this"]?["defaultValue"] == ["value": "https://shop"])
            // Marked again.
            #expect(try await Self.mark(server, "url", note: "Still.").status == 200)
            found = try await Self.compare(server)
            #expect(Self.keys(found["intended"]?["parameters"]) == ["url"])
            let listed = try await server.administer("GET", Self.path).json["intendedDifferences"]
            #expect(listed?.arrayValue?.map { $0["note"] } == ["Still."])
        }
    }

    @Test func aMarkEndsByItsRemoval() async throws {
        try await Self.with(
            shop: Self.template(["url": "1"]), staging: Self.template(["url": "2"])
        ) { server in
            #expect(try await Self.mark(server, "url").status == 200)
            let path = Self.path + "?with=staging&section=Home&key=url"
            #expect(try await server.administer("DELETE", path).status == 200)
            #expect(try await server.administer("DELETE", path).status == 404)
            let found = try await Self.compare(server)
            #expect(Self.keys(found["parameters"]) == ["url"])
            let audit = try await server.administer("GET", "/v1/projects/shop/audit").json
            let details = (audit["entries"]?.arrayValue ?? []).compactMap {
                $0["detail"]?.stringValue
            }
            #expect(details.contains { $0.contains("Home.url differs from staging on purpose") })
            #expect(details.contains { $0.contains("Home.url no longer differs from staging") })
        }
    }

    /// A condition that is intended hides the settings that differ only by it.
    @Test func aConditionThatDiffersOnPurposeKeepsTheTargetsExpression() async throws {
        try await Self.with(
            shop: Self.template(["share": "1"], beta: "percent <= 10"),
            staging: Self.template(["share": "1", "other": "2"], beta: "percent <= 90")
        ) { server in
            #expect(try await Self.mark(server, condition: "beta").status == 200)
            let found = try await Self.compare(server)
            #expect(Self.keys(found["conditions"]).isEmpty)
            #expect(Self.keys(found["intended"]?["conditions"]) == ["beta"])
            #expect(Self.keys(found["affectedSettings"]).isEmpty)
            let promoted = try await server.administer(
                "POST", Self.templatePath + ":promote", body: ["from": "staging"]
            ).json
            let conflict = promoted["conflicts"]?.arrayValue?.first
            #expect(conflict?["resolution"] == "theirs")
            #expect(promoted["intended"] == [["condition": "beta"]])
            #expect(
                promoted["template"]?["conditions"]?.arrayValue?.first?["expression"]
                    == "percent <= 10")
            // Unless it is decided otherwise.
            let taken = try await server.administer(
                "POST", Self.templatePath + ":promote",
                body: ["from": "staging", "resolutions": ["conditions.beta": "mine"]]
            ).json
            #expect(
                taken["template"]?["conditions"]?.arrayValue?.first?["expression"]
                    == "percent <= 90")
            #expect(taken["intended"] == [])
        }
    }

    @Test(arguments: [false, true])
    func aCopyOfAllLeavesOutWhatDiffersOnPurpose(deletions: Bool) async throws {
        try await Self.with(
            shop: Self.template(["title": "Shop", "url": "https://shop", "only": "here"]),
            staging: Self.template(["title": "Staging", "url": "https://staging", "debug": "1"])
        ) { server in
            for key in ["url", "debug", "only"] {
                #expect(try await Self.mark(server, key).status == 200)
            }
            for body: JSONNode in [[:], ["sections": ["Home"]]] {
                var body = body
                body.setMember("from", "staging")
                body.setMember("deletions", .bool(deletions))
                let promoted = try await server.administer(
                    "POST", Self.templatePath + ":promote", body: body
                ).json
                let home = promoted["template"]?["parameterGroups"]?["Home"]?["parameters"]
                #expect(home?["title"]?["defaultValue"] == ["value": "Staging"])
                #expect(home?["url"]?["defaultValue"] == ["value": "https://shop"])
                #expect(home?["debug"] == nil)
                #expect(home?["only"]?["defaultValue"] == ["value": "here"])
                #expect(Self.keys(promoted["intended"]) == ["url", "debug", "only"])
            }
            // What is chosen by its name is copied.
            let chosen = try await server.administer(
                "POST", Self.templatePath + ":promote",
                body: ["from": "staging", "settings": [["section": "Home", "key": "url"]]]
            ).json
            let home = chosen["template"]?["parameterGroups"]?["Home"]?["parameters"]
            #expect(home?["url"]?["defaultValue"] == ["value": "https://staging"])
            #expect(chosen["intended"] == [])
        }
    }

    /// With deletions, a section that the source lacks keeps what differs on purpose.
    @Test func aSectionOfOneProjectKeepsWhatDiffersOnPurpose() async throws {
        var shop = Self.template(["title": "Shop"])
        shop.setMember(
            "parameterGroups",
            [
                "Home": [
                    "parameters": [
                        "a": ["defaultValue": ["value": "1"]],
                        "b": ["defaultValue": ["value": "2"]],
                    ]
                ]
            ])
        try await Self.with(
            shop: shop, staging: ["parameters": ["x": ["defaultValue": ["value": "1"]]]]
        ) { server in
            #expect(try await Self.mark(server, "a").status == 200)
            let promoted = try await server.administer(
                "POST", Self.templatePath + ":promote",
                body: ["from": "staging", "deletions": true]
            ).json
            #expect(promoted["conflicts"] == [])
            let home = promoted["template"]?["parameterGroups"]?["Home"]?["parameters"]
            #expect(home?["a"]?["defaultValue"] == ["value": "1"])
            #expect(home?["b"] == nil)
        }
    }

    /// A section that only the other project has is not copied empty, and is intended as its settings are.
    @Test func aSectionOfIntendedSettingsIsLeftOut() async throws {
        var staging = Self.template(["title": "Shop"])
        var groups = staging["parameterGroups"] ?? .emptyObject
        groups.setMember(
            "Debug",
            [
                "description": "For testers",
                "parameters": ["menu": ["defaultValue": ["value": "on"]]],
            ])
        staging.setMember("parameterGroups", groups)
        try await Self.with(shop: Self.template(["title": "Shop"]), staging: staging) { server in
            let marked = try await Self.mark(
                server, more: ["section": "Debug", "key": "menu"])
            #expect(marked.status == 200 && marked.fields["etag"] != nil)
            let found = try await Self.compare(server)
            #expect(Self.keys(found["groups"]) == [])
            #expect(Self.keys(found["intended"]?["groups"]) == ["Debug"])
            for body: JSONNode in [["deletions": true], ["sections": ["Debug"]], [:]] {
                var body = body
                body.setMember("from", "staging")
                let promoted = try await server.administer(
                    "POST", Self.templatePath + ":promote", body: body
                ).json
                #expect(promoted["template"]?["parameterGroups"]?["Debug"] == nil, "\(body)")
            }
        }
    }

    /// A mark that holds is not beside the position of its condition, which is open.
    @Test func aMovedConditionKeepsItsMark() async throws {
        func template(_ names: [String], percent: Int) -> JSONNode {
            [
                "conditions": .array(
                    names.map {
                        [
                            "name": .string($0),
                            "expression": .string("percent <= \($0 == "b" ? percent : 5)"),
                        ]
                    }),
                "parameters": [
                    "x": [
                        "defaultValue": ["value": "0"],
                        "conditionalValues": ["a": ["value": "1"], "b": ["value": "2"]],
                    ]
                ],
            ]
        }
        try await Self.with(
            shop: template(["a", "b"], percent: 6), staging: template(["b", "a"], percent: 7)
        ) { server in
            #expect(try await Self.mark(server, condition: "b").status == 200)
            let found = try await Self.compare(server)
            let intended = found["intended"]?["conditions"]?.arrayValue?.first
            #expect(intended?["mark"] != nil)
            #expect(intended?["parts"]?.arrayValue?.map { $0["name"] } == ["expression"])
            for condition in found["conditions"]?.arrayValue ?? [] {
                #expect(condition["mark"] == nil)
                #expect(condition["parts"]?.arrayValue?.map { $0["name"] } == ["position"])
            }
        }
    }

    /// Objects whose members have another order are the same, as in a comparison.
    @Test func theOrderOfMembersEndsNoMark() async throws {
        @Sendable func template(_ value: String, _ unknown: JSONNode) -> JSONNode {
            ["parameters": ["x": ["defaultValue": ["value": .string(value)], "zz": unknown]]]
        }
        try await Self.with(
            shop: template("1", ["a": 1, "b": 2]), staging: template("2", ["a": 1, "b": 2])
        ) { server in
            let subject: JSONNode = ["section": "Default", "key": "x"]
            #expect(try await Self.mark(server, more: subject).status == 200)
            try await server.publish(template("2", ["b": 2, "a": 1]), project: "staging")
            let found = try await Self.compare(server)
            #expect(Self.keys(found["intended"]?["parameters"]) == ["x"])
            try await server.publish(template("1", ["b": 2, "a": 1]), project: "staging")
            #expect(try await Self.mark(server, more: subject).status == 400)
        }
    }

    @Test func whatCannotBeMarkedIsRefusedWithTheReason() async throws {
        try await Self.with(
            shop: Self.template(["same": "1", "title": "a"]),
            staging: Self.template(["same": "1", "title": "b"], beta: "percent <= 50")
        ) { server in
            func message(_ answer: HTTPAnswer, _ status: Int = 400) throws -> String {
                #expect(answer.status == status)
                return try answer.json["error"]?["message"]?.stringValue ?? ""
            }
            #expect(
                try message(await Self.mark(server, "same")).contains("decides the same in"))
            #expect(try message(await Self.mark(server, "none")).contains("Neither"))
            #expect(
                try message(await Self.mark(server, condition: "none")).contains("not in both"))
            #expect(
                try message(await Self.mark(server, condition: "beta"))
                    .contains("decides the same"))
            #expect(
                try message(await Self.mark(server, "title", condition: "beta"))
                    .contains("either section and key, or condition"))
            #expect(try message(await Self.mark(server, "title", note: "")).contains("missing"))
            #expect(
                try message(
                    await Self.mark(server, "title", note: String(repeating: "é", count: 501))
                ).contains("at most 500"))
            #expect(
                try message(await Self.mark(server, "title", more: ["with": "shop"]))
                    .contains("Both projects"))
            #expect(
                try message(await Self.mark(server, "title", more: ["with": "none"]), 404)
                    .contains("none"))
            #expect(try await server.administer("GET", Self.path + "?with=").status == 400)
            let old = try await Self.mark(server, "title", more: ["withETag": "etag-staging-9"])
            #expect(old.status == 412)
            #expect(
                try await server.administer("GET", Self.path).json == ["intendedDifferences": []])
        }
    }

    @Test func marksAreBounded() async throws {
        let keys = (0..<IntendedDifference.maximumCount + 1).map { "key\($0)" }
        func template(_ value: String) -> JSONNode {
            var parameters = JSONNode.emptyObject
            for key in keys {
                parameters.setMember(key, ["defaultValue": ["value": .string(value)]])
            }
            return ["parameterGroups": ["Home": ["parameters": parameters]]]
        }
        try await Self.with(shop: template("1"), staging: template("2")) { server in
            var refused: HTTPAnswer?
            var count = 0
            for key in keys {
                let answer = try await Self.mark(
                    server, key, note: String(repeating: "x", count: 10))
                guard answer.status == 200 else {
                    refused = answer
                    break
                }
                count += 1
            }
            #expect(refused?.status == 400)
            #expect(count == IntendedDifference.maximumCount)
            #expect(
                try refused?.json["error"]?["message"]?.stringValue?.contains("keeps 100 marks")
                    == true)
        }
    }

    @Test func aTokenOfOneProjectSeesNothingOfAnother() async throws {
        try await Self.with(
            shop: Self.template(["url": "1"]), staging: Self.template(["url": "2"])
        ) { server in
            #expect(try await Self.mark(server, "url").status == 200)
            let made = try await server.administer(
                "POST", "/v1/tokens", body: ["name": "limited", "projects": ["shop": "editor"]])
            let token = try #require(try made.json["token"]?.stringValue)
            let listed = try await server.administer("GET", Self.path, token: token)
            #expect(try listed.json == ["intendedDifferences": []])
            #expect(try await Self.mark(server, "url", token: token).status == 404)
            let removed = try await server.administer(
                "DELETE", Self.path + "?with=staging&section=Home&key=url", token: token)
            #expect(removed.status == 404)
        }
    }

    @Test func detailsAndProtectionKeepTheMarks() async throws {
        try await Self.with(
            shop: Self.template(["url": "1"]), staging: Self.template(["url": "2"])
        ) { server in
            #expect(try await Self.mark(server, "url").status == 200)
            let replaced = try await server.administer(
                "PUT", "/v1/projects/shop/details", body: ["displayName": "Shop"],
                fields: ["If-Match: *"])
            #expect(replaced.status == 200)
            let protected = try await server.administer(
                "PUT", "/v1/projects/shop/protection", body: ["requiredApprovals": 1],
                fields: ["If-Match: *"])
            #expect(protected.status == 200)
            let found = try await Self.compare(server)
            #expect(Self.keys(found["intended"]?["parameters"]) == ["url"])
        }
    }

    /// A copied condition whose signal no client of the project has sent.
    @Test func aCopyNamesWhatNoClientHasSent() async throws {
        try await Self.with(
            shop: Self.template(["title": "Shop"]),
            staging: Self.template(
                ["title": "Shop", "share": "1"],
                beta: "device.os == 'iOS' && app.customSignal['plan'].exactlyMatches(['gold'])")
        ) { server in
            for user in 0..<6 {
                _ = try await server.document(
                    "/projects/shop/activeconfig/user/\(user)?signal.level=1&app.id=com.shop")
            }
            let promoted = try await server.administer(
                "POST", Self.templatePath + ":promote",
                body: ["from": "staging", "resolutions": ["conditions.beta": "mine"]]
            ).json
            let messages = (promoted["doubts"]?.arrayValue ?? []).compactMap {
                $0["message"]?.stringValue
            }
            #expect(messages.contains { $0.contains("Clients send device.os as 'ios'") })
            #expect(
                messages.contains { $0.contains("No client has recently sent the signal 'plan'") })
        }
    }
}
