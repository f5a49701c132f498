import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Undo of single versions over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct UndoTests {
    private static let path = "/v1/projects/default/remoteConfig"

    private static func undo(
        _ version: Int, on server: RunningServer, token: String = RunningServer.administratorToken,
        query: String = "", fields: [String] = []
    ) async throws -> HTTPAnswer {
        try await server.administer(
            "POST", path + ":undo" + query, body: ["versionNumber": .string("\(version)")],
            token: token, fields: fields)
    }

    /// The bytes of a version's content, without its version.
    private static func content(
        _ server: RunningServer, version: Int? = nil
    ) async throws -> String {
        let query = version.map { "?versionNumber=\($0)" } ?? ""
        var json = try await server.administer("GET", path + query).json
        json.removeMember("version")
        return json.description
    }

    /// Template with values in the sections `Home` and `Shop`.
    private static func template(
        home: [String: String], shop: [String: String] = [:]
    ) -> JSONNode {
        func parameters(_ values: [String: String]) -> JSONNode {
            var node = JSONNode.emptyObject
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                // In another order than the server's own.
                node.setMember(
                    key, ["valueType": "STRING", "defaultValue": ["value": .string(value)]])
            }
            return node
        }
        return [
            "parameterGroups": [
                "Home": ["parameters": parameters(home)], "Shop": ["parameters": parameters(shop)],
            ]
        ]
    }

    /// Creates a token; nil gives it no limit to projects.
    private static func token(
        _ name: String, role: String, on server: RunningServer
    ) async throws -> String {
        let answer = try await server.administer(
            "POST", "/v1/tokens", body: ["name": .string(name), "role": .string(role)])
        return try #require(try answer.json["token"]?.stringValue)
    }

    private static func audit(_ server: RunningServer) async throws -> [JSONNode] {
        try await server.administer("GET", "/v1/projects/default/audit").json["entries"]?
            .arrayValue ?? []
    }

    /// T39.
    @Test func anUndoKeepsLaterWorkAndCanBeUndone() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(home: ["a": "1"], shop: ["b": "1"]))
            for (name, template) in [
                ("ada", Self.template(home: ["a": "2", "c": "2"], shop: ["b": "1"])),
                ("bob", Self.template(home: ["a": "2", "c": "2"], shop: ["b": "3"])),
            ] {
                let token = try await Self.token(name, role: "publisher", on: server)
                let answer = try await server.administer(
                    "PUT", Self.path, body: template, token: token, fields: ["If-Match: *"])
                #expect(answer.status == 200)
            }
            let before = try await Self.content(server)
            let entries = try await Self.audit(server).count

            let undone = try await Self.undo(2, on: server)
            #expect(undone.status == 200)
            #expect(undone.fields["etag"] == #""etag-default-4""#)
            let version = try undone.json["version"]
            #expect(version?["updateType"] == "UNDO")
            #expect(version?["undoneVersionNumber"] == "2")
            #expect(version?["rollbackSource"] == nil)
            let groups = try undone.json["parameterGroups"]
            let home = groups?["Home"]?["parameters"]
            #expect(home?["a"]?["defaultValue"]?["value"] == "1")
            #expect(home?["c"] == nil)
            #expect(groups?["Shop"]?["parameters"]?["b"]?["defaultValue"]?["value"] == "3")

            let redone = try await Self.undo(4, on: server)
            #expect(redone.status == 200)
            #expect(try await Self.content(server) == before)
            let audit = try await Self.audit(server)
            #expect(audit.count == entries + 2)
            #expect(audit.prefix(2).map { $0["action"] } == ["UNDO", "UNDO"])
            #expect(audit.prefix(2).map { $0["subject"] } == ["5", "4"])
            #expect(
                audit.prefix(2).map { $0["detail"] } == ["version 4 undone", "version 2 undone"])
        }
    }

    @Test func anUndoOfWhatLaterVersionsChangedNamesTheConflicts() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(home: ["a": "1"]))
            try await server.publish(Self.template(home: ["a": "2"]))
            try await server.publish(Self.template(home: ["a": "3"]))
            let answer = try await Self.undo(2, on: server)
            #expect(answer.status == 409)
            #expect(answer.error?.status == "MERGE_CONFLICT")
            let path = "parameterGroups.Home.parameters.a.defaultValue"
            let message = try #require(answer.error?.message)
            #expect(message.contains("\(path) (version 3 by environment)"))
            let details = try answer.json["error"]?["details"]?.arrayValue
            #expect(details?.count == 1)
            #expect(details?.first?["path"] == .string(path))
            #expect(details?.first?["base"] == ["value": "2"])
            #expect(details?.first?["mine"] == ["value": "1"])
            #expect(details?.first?["theirs"] == ["value": "3"])
            #expect(details?.first?["changedBy"]?["versionNumber"] == "3")
            #expect(try await Self.audit(server).count == 3)
            // As the message says, a merge of the same versions chooses sides.
            let merge = try await server.administer(
                "POST", Self.path + ":merge",
                body: [
                    "base": "2", "mine": Self.template(home: ["a": "1"]),
                    "resolutions": .object([path: "mine"]),
                ])
            let home = try merge.json["template"]?["parameterGroups"]?["Home"]?["parameters"]
            #expect(home?["a"]?["defaultValue"]?["value"] == "1")
        }
    }

    /// Template with the settings of each group.
    private static func template(groups: KeyValuePairs<String, [String: String]>) -> JSONNode {
        var node = JSONNode.emptyObject
        for (name, values) in groups {
            let parameters = values.sorted { $0.key < $1.key }.map {
                ($0.key, ["defaultValue": ["value": .string($0.value)]] as JSONNode)
            }
            var members = JSONNode.emptyObject
            for (key, parameter) in parameters { members.setMember(key, parameter) }
            node.setMember(name, ["parameters": members])
        }
        return ["parameterGroups": node]
    }

    static let moves: [NamedRow<(versions: [JSONNode], status: String?)>] = [
        .init(
            "moved twice",
            (
                [
                    template(groups: ["A": ["a": "1"]]), template(groups: ["B": ["a": "1"]]),
                    template(groups: ["C": ["a": "1"]]),
                ], "MERGE_CONFLICT"
            )),
        .init(
            "a group renamed twice",
            (
                [
                    template(groups: ["A": ["a": "1", "b": "2"]]),
                    template(groups: ["B": ["a": "1", "b": "2"]]),
                    template(groups: ["C": ["a": "1", "b": "2"]]),
                ], "MERGE_CONFLICT"
            )),
        .init(
            "moved and removed",
            (
                [
                    template(groups: ["A": ["a": "1"]]), template(groups: ["B": ["a": "1"]]),
                    template(groups: ["B": ["b": "1"]]),
                ], "MERGE_CONFLICT"
            )),
        .init(
            "added and moved",
            (
                [
                    template(groups: ["A": ["b": "1"]]),
                    template(groups: ["A": ["a": "1", "b": "2"]]),
                    template(groups: ["A": ["b": "2"], "B": ["a": "1"]]),
                ], "MERGE_CONFLICT"
            )),
        .init(
            "an equal key in another section",
            (
                [
                    template(groups: ["A": ["b": "1"]]),
                    template(groups: ["A": ["a": "1", "b": "1"]]),
                    template(groups: ["A": ["a": "1", "b": "1"], "B": ["a": "1"]]),
                ], nil
            )),
        .init(
            "moved, and another setting changed",
            (
                [
                    template(groups: ["A": ["a": "1", "b": "1"]]),
                    template(groups: ["A": ["b": "1"], "B": ["a": "1"]]),
                    template(groups: ["A": ["b": "2"], "B": ["a": "1"]]),
                ], nil
            )),
    ]

    /// A setting that a later version moved again is neither duplicated nor left where it is.
    @Test(arguments: moves)
    func anUndoOfAMoveFindsTheSetting(
        row: NamedRow<(versions: [JSONNode], status: String?)>
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for version in row.value.versions {
                #expect(try await server.publish(version).status == 200)
            }
            let before = try await Self.content(server)
            let answer = try await Self.undo(2, on: server)
            #expect(answer.error?.status == row.value.status)
            guard row.value.status != nil else {
                #expect(answer.status == 200)
                return
            }
            #expect(answer.status == 409)
            #expect(answer.error?.message.contains("edit the template instead") == true)
            let detail = try answer.json["error"]?["details"]?.arrayValue?.first
            #expect(detail?["key"] == "a")
            #expect(detail?["changedBy"]?["versionNumber"] == "3")
            #expect(try await Self.content(server) == before)
        }
    }

    /// Template with some of eight edits, each of another part.
    private static func template(with edits: Set<Int>) -> JSONNode {
        func value(_ edit: Int) -> JSONNode { ["value": edits.contains(edit) ? "new" : "old"] }
        let conditions: [JSONNode] = [
            ["name": "a", "expression": edits.contains(0) ? "percent <= 5" : "percent <= 50"],
            ["name": "b", "expression": "device.os == 'ios'"],
        ]
        var home: JSONNode = [
            "x": [
                "defaultValue": value(1), "conditionalValues": ["a": value(2), "b": value(3)],
            ]
        ]
        if edits.contains(4) { home.setMember("added", ["defaultValue": value(4)]) }
        if !edits.contains(5) {
            home.setMember(
                "removed", ["defaultValue": value(5), "conditionalValues": ["a": value(5)]])
        }
        let description: JSONNode = edits.contains(6) ? "new" : "old"
        return [
            "conditions": .array(edits.contains(7) ? conditions.reversed() : conditions),
            "parameterGroups": ["Home": ["description": description, "parameters": home]],
        ]
    }

    @Test func anUndoOfADisjointChangeIsLikeLeavingItOut() async throws {
        var seeds = SeededGenerator.printingItsSeed()
        for round in Rounds.numbers(8, nightly: 200) {
            var generator = SeededGenerator(seed: seeds.next())
            let edits = (0..<8).shuffled(using: &generator)
            let index = Int.random(in: edits.indices, using: &generator)
            try await RunningServer.with(store: InMemoryTemplateStore()) { server in
                for count in 0...edits.count {
                    try await server.publish(Self.template(with: Set(edits.prefix(count))))
                }
                let undone = try await Self.undo(index + 2, on: server)
                #expect(undone.status == 200, "round \(round), edit \(edits[index])")
                try await server.publish(
                    Self.template(with: Set(edits).subtracting([edits[index]])), project: "other")
                let diff = try await server.administer("GET", Self.path + ":compare?with=other")
                    .json
                for member in ["conditions", "groups", "parameters"] {
                    #expect(
                        diff[member] == [], "round \(round), edit \(edits[index]), \(member)")
                }
            }
        }
    }

    @Test func anUndoThatChangesNothingIsRefused() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for value in ["1", "2", "1", "1"] {
                try await server.publish(Self.template(home: ["a": value]))
            }
            for version in [2, 4] {
                let answer = try await Self.undo(version, on: server)
                #expect(answer.status == 409, "\(version)")
                #expect(answer.error?.status == "NOTHING_TO_UNDO", "\(version)")
            }
            #expect(try await Self.audit(server).count == 4)
        }
    }

    @Test func theFirstVersionCanBeUndone() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(home: ["a": "1"]))
            #expect(try await Self.undo(1, on: server).status == 200)
            #expect(try await Self.content(server) == #"{"parameters":{}}"#)
            #expect(try await Self.undo(2, on: server).status == 200)
            #expect(
                try await Self.content(server)
                    == Self.template(home: ["a": "1"]).description)
        }
    }

    @Test func anUndoIsRefusedWhenAnotherVersionIsCurrentThanItWasDecidedOn() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for value in ["1", "2", "3"] {
                try await server.publish(Self.template(home: ["a": value]))
            }
            for tag in ["etag-default-2", "\"etag-default-4\"", "etag-other-3", "nonsense"] {
                let answer = try await Self.undo(3, on: server, fields: ["If-Match: \(tag)"])
                #expect(answer.status == 412, "\(tag)")
                #expect(answer.error?.status == "VERSION_MISMATCH", "\(tag)")
            }
            let answer = try await Self.undo(
                3, on: server, fields: [#"If-Match: "etag-default-3""#])
            #expect(answer.status == 200)
        }
    }

    @Test func aCheckOfAnUndoStoresNothing() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for value in ["1", "2"] {
                try await server.publish(Self.template(home: ["a": value]))
            }
            let answer = try await Self.undo(2, on: server, query: "?validateOnly=true")
            #expect(answer.status == 200)
            #expect(answer.fields["etag"] == #""etag-default-0""#)
            #expect(try answer.json == Self.template(home: ["a": "1"]))
            #expect(try await Self.audit(server).count == 2)
        }
    }

    @Test func versionsWithoutAPredecessorAreNotFound() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let missing = try await Self.undo(1, on: server)
            #expect(missing.status == 404)
            try await server.administer(
                "POST", "/v1/projects", body: ["project": "default"])
            #expect(try await Self.undo(1, on: server).status == 404)
            for number in 1...(TemplateStoreLimits.keptVersions + 2) {
                try await server.publish(Self.template(home: ["a": "\(number)"]))
            }
            // Versions 1 and 2 are dropped, so version 3 has no predecessor.
            for version in [1, 2, 3, 303, 1_000_000] {
                #expect(try await Self.undo(version, on: server).status == 404, "\(version)")
            }
            #expect(try await Self.undo(302, on: server).status == 200)
        }
    }

    @Test func anUndoIsRefusedInAnArchivedProject() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for value in ["1", "2"] {
                try await server.publish(Self.template(home: ["a": value]))
            }
            try await server.administer(
                "PATCH", "/v1/projects/default/details", body: ["archived": true])
            for query in ["", "?validateOnly=true"] {
                let answer = try await Self.undo(2, on: server, query: query)
                #expect(answer.status == 403, "\(query)")
                #expect(answer.error?.status == "PROJECT_ARCHIVED", "\(query)")
            }
        }
    }

    static let roles: [NamedRow<(role: String, check: Int, undo: Int)>] = [
        .init("a viewer", ("viewer", 403, 403)), .init("an editor", ("editor", 200, 403)),
        .init("a publisher", ("publisher", 200, 200)),
    ]

    @Test(arguments: roles)
    func anUndoNeedsThePublisherRole(
        row: NamedRow<(role: String, check: Int, undo: Int)>
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for value in ["1", "2"] {
                try await server.publish(Self.template(home: ["a": value]))
            }
            let token = try await Self.token("t", role: row.value.role, on: server)
            let check = try await Self.undo(
                2, on: server, token: token, query: "?validateOnly=true")
            #expect(check.status == row.value.check)
            let undo = try await Self.undo(2, on: server, token: token)
            #expect(undo.status == row.value.undo)
        }
    }

    @Test func undosAndPublishesGoTogether() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(home: ["a": "1"], shop: ["b": "0"]))
            try await server.publish(Self.template(home: ["a": "2"], shop: ["b": "0"]))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        number == 4
                            ? try await Self.undo(2, on: server).status
                            : try await server.publish(
                                Self.template(home: ["a": "2"], shop: ["b": "\(number)"])
                            ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses == Array(repeating: 200, count: 8))
            let versions = try await server.administer("GET", Self.path + ":listVersions").json
            let undos = versions["versions"]?.arrayValue?.filter { $0["updateType"] == "UNDO" }
            #expect(undos?.count == 1)
        }
    }

    /// The undo of an undo restores the content byte for byte, whatever was undone.
    @Test func anUndoOfAnUndoIsTheIdentity() async throws {
        var seeds = SeededGenerator.printingItsSeed()
        for round in Rounds.numbers(8, nightly: 200) {
            let seed = seeds.next()
            try await RunningServer.with(store: InMemoryTemplateStore()) { server in
                var templates = RandomTemplates(seed: seed)
                var template = templates.template()
                for _ in 0..<5 {
                    let published = try await server.publish(template)
                    #expect(published.status == 200, "round \(round)")
                    template = templates.variant(of: template)
                }
                var current = 5
                var refusals = 0
                for version in 1...5 {
                    let before = try await Self.content(server)
                    let undone = try await Self.undo(version, on: server)
                    guard undone.status == 200 else {
                        #expect(undone.status == 409, "round \(round), version \(version)")
                        #expect(try await Self.content(server) == before)
                        refusals += 1
                        continue
                    }
                    #expect(try await Self.content(server) != before)
                    #expect(try await Self.undo(current + 1, on: server).status == 200)
                    #expect(
                        try await Self.content(server) == before,
                        "round \(round), version \(version)")
                    current += 2
                }
                #expect(refusals < 5, "round \(round)")
            }
        }
    }
}
