import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// The connected clients and recent users that a template reaches (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ReachPreviewTests {
    private static let template: JSONNode = [
        "conditions": [["name": "ios", "expression": "device.os == 'ios'"]],
        "parameters": [
            "title": [
                "defaultValue": ["value": "d"], "conditionalValues": ["ios": ["value": "i"]],
            ]
        ],
    ]

    private func preview(on server: RunningServer) async throws -> JSONNode {
        try await server.administer(
            "POST", "/v1/projects/default/remoteConfig:preview",
            body: ["template": Self.template, "users": []]
        ).json
    }

    @Test func aUserOfTheSampleWhoListensCountsOnce() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(["parameters": [:]])
            for user in 0..<8 {
                _ = try await server.answer("/activeconfig/user/\(user)?device.os=ios")
            }
            _ = try await server.answer("/activeconfig?device.os=ios")
            try await EventStreamClient.open(
                port: server.port, "/activeconfig/user/0/events?device.os=ios"
            ) { first in
                _ = try await first.next()
                try await EventStreamClient.open(
                    port: server.port, "/activeconfig/events?device.os=ios"
                ) { second in
                    _ = try await second.next()
                    let json = try await preview(on: server)
                    #expect(json["connected"]?["connections"] == 2)
                    #expect(json["estimate"] == ["sampled": 9, "evaluated": 9, "changed": 9])
                    #expect(json["reach"]?["users"] == 9)
                    #expect(json["reach"]?["isComplete"] == true)
                    let value = json["reach"]?["values"]?.arrayValue?.first
                    #expect(value?["condition"] == "ios")
                    #expect(value?["reached"] == 9)
                }
            }
        }
    }

    /// A doubt about an unchanged condition would appear in every review.
    @Test func doubtsAreOfConditionsThatDifferOrHaveAValueThatDoes() async throws {
        @Sendable func template(_ value: String, isChanged: Bool) -> JSONNode {
            let old: JSONNode = ["name": "old", "expression": "device.os == 'iOS'"]
            let new: JSONNode = ["name": "new", "expression": "device.country in ['Japan']"]
            return [
                "conditions": .array(isChanged ? [old, new] : [old]),
                "parameters": [
                    "title": [
                        "defaultValue": ["value": "d"],
                        "conditionalValues": ["old": ["value": .string(value)]],
                    ]
                ],
            ]
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(template("1", isChanged: false))
            func doubted(_ template: JSONNode) async throws -> [JSONNode] {
                let preview = try await server.administer(
                    "POST", "/v1/projects/default/remoteConfig:preview",
                    body: ["template": template, "users": []]
                ).json
                let doubts = try #require(preview["doubts"]?.arrayValue)
                return doubts.compactMap { $0["condition"] }
            }
            #expect(try await doubted(template("1", isChanged: false)) == [])
            #expect(try await doubted(template("1", isChanged: true)) == ["new"])
            #expect(try await doubted(template("2", isChanged: false)) == ["old"])
        }
    }

    @Test func requestsForUnknownProjectsTakeNoPlaceInTheSample() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(["parameters": [:]])
            for number in 0..<120 {
                let answer = try await server.answer("/projects/made-up-\(number)/activeconfig")
                #expect(answer.status == 404)
            }
            for user in 0..<5 {
                _ = try await server.answer("/activeconfig/user/\(user)?device.os=ios")
            }
            #expect(try await preview(on: server)["estimate"]?["sampled"] == 5)
        }
    }
}
