import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

@testable import ConfigServer

/// The versions that changed each setting (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct SettingHistoryTests {
    private static let path = "/v1/projects/default/remoteConfig"

    /// A template with the settings of one section.
    private static func template(_ values: KeyValuePairs<String, String>) -> JSONNode {
        var parameters = JSONNode.emptyObject
        for (key, value) in values {
            parameters.setMember(key, ["defaultValue": ["value": .string(value)]])
        }
        return ["parameterGroups": ["Home": ["parameters": parameters]]]
    }

    private static func history(_ server: RunningServer) async throws -> JSONNode {
        let answer = try await server.administer("GET", path + ":settingHistory")
        #expect(answer.status == 200)
        return try answer.json
    }

    @Test func itNamesTheVersionsThatChangedASetting() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(
                try await server.administer("GET", Self.path + ":settingHistory").status == 404)
            try await server.publish(Self.template(["a": "1", "b": "1", "c": "1"]))
            try await server.publish(Self.template(["a": "2", "b": "1", "c": "1"]))
            try await server.publish(Self.template(["a": "2", "b": "1"]))
            try await server.publish(Self.template(["a": "3", "b": "1", "d": "1"]))
            let history = try await Self.history(server)
            #expect(history["versionNumber"] == "4")
            #expect(history["baseVersionNumber"] == "0")
            #expect(
                history["settings"] == ["Home": ["a": ["4", "2", "1"], "b": ["1"], "d": ["4"]]])
            let versions = history["versions"]?.arrayValue ?? []
            #expect(versions.map { $0["versionNumber"] } == ["4", "2", "1"])
            #expect(versions.first?["updateUser"]?["name"] == "environment")
        }
    }

    @Test func theChangesOfASettingHaveItsValues() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for value in ["1", "2", "2", "3"] {
                try await server.publish(Self.template(["a": value, "b": value]))
            }
            let answer = try await server.administer(
                "GET", Self.path + ":settingHistory?section=Home&key=a")
            #expect(answer.status == 200)
            let history = try answer.json
            #expect(history["versionNumber"] == "4")
            #expect(history["baseVersionNumber"] == "0")
            let changes = try #require(history["changes"]?.arrayValue)
            #expect(changes.map { $0["version"]?["versionNumber"] } == ["4", "2", "1"])
            #expect(changes.map { $0["change"] } == ["CHANGED", "CHANGED", "ADDED"])
            #expect(
                changes[0]["parts"] == [
                    ["name": "defaultValue", "old": ["value": "2"], "new": ["value": "3"]]
                ])
            let first = changes[2]["parts"]?.arrayValue?.first
            #expect(first == ["name": "defaultValue", "new": ["value": "1"]])
        }
    }

    @Test func theChangesOfARemovedSettingHaveItsLastValue() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(["a": "1", "b": "1"]))
            try await server.publish(Self.template(["b": "1"]))
            let history = try await server.administer(
                "GET", Self.path + ":settingHistory?section=Home&key=a"
            ).json
            let newest = history["changes"]?.arrayValue?.first
            #expect(newest?["change"] == "REMOVED")
            let part = newest?["parts"]?.arrayValue?.first
            #expect(part == ["name": "defaultValue", "old": ["value": "1"]])
        }
    }

    @Test(arguments: [("?section=Home", 400), ("?key=a", 400), ("?section=Home&key=none", 200)])
    func theChangesOfASettingNeedItsSectionAndKey(query: String, status: Int) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(["a": "1"]))
            let answer = try await server.administer(
                "GET", Self.path + ":settingHistory" + query)
            #expect(answer.status == status)
            if status == 200 { #expect(try answer.json["changes"] == []) }
        }
    }

    @Test func itContinuesWithWhatIsPublishedAfterItWasRead() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(["a": "1", "b": "1"]))
            _ = try await Self.history(server)
            try await server.publish(Self.template(["a": "2", "b": "1"]))
            try await server.publish(Self.template(["a": "2", "b": "2"]))
            let continued = try await Self.history(server)
            #expect(continued["versionNumber"] == "3")
            #expect(continued["settings"] == ["Home": ["a": ["2", "1"], "b": ["3", "1"]]])
            #expect(try await Self.history(server) == continued)
        }
    }

    @Test func itIsBounded() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for number in 1...130 {
                try await server.publish(Self.template(["a": "\(number)", "old": "1"]))
                if number == 25 { _ = try await Self.history(server) }
            }
            let history = try await Self.history(server)
            #expect(history["baseVersionNumber"] == "30")
            let numbers = history["settings"]?["Home"]?["a"]?.arrayValue ?? []
            #expect(numbers == (111...130).reversed().map { .string("\($0)") })
            #expect(history["settings"]?["Home"]?["old"] == nil)
            #expect(history["versions"]?.arrayValue?.count == 20)
        }
    }

    @Test func requestsAtOnceGetTheSameAnswer() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for number in 1...10 {
                try await server.publish(Self.template(["a": "\(number)"]))
            }
            try await withThrowingTaskGroup(of: JSONNode.self) { group in
                for _ in 0..<8 { group.addTask { try await Self.history(server) } }
                for try await history in group {
                    #expect(history["settings"]?["Home"]?["a"]?.arrayValue?.count == 10)
                }
            }
        }
    }
}
