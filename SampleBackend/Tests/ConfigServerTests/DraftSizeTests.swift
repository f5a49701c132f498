import ConfigServer
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Responses to large drafts.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct DraftSizeTests {
    private static let path = "/v1/projects/default/draft"
    private static let new = ["If-None-Match: *"]

    /// Empty settings.
    private static func settings(_ count: Int) -> JSONNode {
        .object(
            NamedValues(
                (0..<count).map { ("a\($0)", .emptyObject) },
                uniquingKeysWith: { first, _ in first }))
    }

    @Test func aLongNameIsNotRepeatedWithoutEnd() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let name = String(repeating: "n", count: 1 << 20)
            let template: JSONNode = [
                "parameterGroups": .object([name: ["parameters": Self.settings(100)]])
            ]
            let put = try await server.administer(
                "PUT", Self.path, body: ["baseVersion": "0", "template": template],
                fields: Self.new)
            #expect(put.status == 200)
            let get = try await server.administer("GET", Self.path)
            #expect(get.status == 200)
            #expect(get.body.count < 24 << 20)
            let changes = try get.json["changes"]
            #expect(try put.json["changes"] == changes)
            let listed = ["conditions", "groups", "parameters"].reduce(0) {
                $0 + (changes?[$1]?.arrayValue?.count ?? 0)
            }
            // One difference for the group, and one for each setting.
            #expect(changes?["omitted"]?.integerValue == 101 - listed)
            #expect(listed > 0)
        }
    }

    @Test func onlySomeOfVeryManySettingsAreCompared() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish([
                "parameters": ["last": ["defaultValue": ["value": "1"]]]
            ])
            var settings = Self.settings(12_000)
            settings.setMember("last", ["defaultValue": ["value": "1"]])
            let put = try await server.administer(
                "PUT", Self.path,
                body: ["baseVersion": "1", "template": ["parameters": settings]],
                fields: Self.new)
            #expect(put.status == 200)
            let changes = try put.json["changes"]
            #expect(changes?["parameters"]?.arrayValue?.count == 10_000)
            #expect(changes?["omitted"] == 2_001)
            #expect(
                changes?["parameters"]?.arrayValue?.contains { $0["change"] == "REMOVED" } == false)
            let problems = try put.json["problems"]?.arrayValue
            #expect(
                problems?.contains {
                    $0["message"]?.stringValue?.contains("12001 parameters") == true
                } == true)
        }
    }

    @Test func aDraftThatCouldBePublishedIsComparedAsAWhole() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var settings = JSONNode.emptyObject
            for number in 0..<3_000 {
                settings.setMember(
                    "a\(number)",
                    ["defaultValue": ["value": .string(String(repeating: "v", count: 300))]])
            }
            let put = try await server.administer(
                "PUT", Self.path,
                body: ["baseVersion": "0", "template": ["parameters": settings]],
                fields: Self.new)
            #expect(put.status == 200)
            #expect(try put.json["problems"] == [])
            let changes = try put.json["changes"]
            #expect(changes?["parameters"]?.arrayValue?.count == 3_000)
            #expect(changes?["omitted"] == nil)
        }
    }
}
