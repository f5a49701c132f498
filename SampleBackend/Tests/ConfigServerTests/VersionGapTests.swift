import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

/// Routes over versions whose numbers have a gap, as after a restore (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct VersionGapTests {
    private static let path = "/v1/projects/default/remoteConfig"

    /// Runs a server with versions 1 and 2 titled so, and two above a gap.
    private static func with(
        _ body: @Sendable (RunningServer, _ next: Int) async throws -> Void
    ) async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            try await server.publish(titled("one"))
            try await server.publish(titled("two"))
            let next = try await store.raiseVersions(VersionRaise(reason: "test"))
            try await server.publish(titled("three"))
            try await server.publish(titled("three", footer: "four"))
            try await body(server, next)
        }
    }

    private static func titled(_ title: String, footer: String = "") -> JSONNode {
        let value = { (text: String) -> JSONNode in ["defaultValue": ["value": .string(text)]] }
        return [
            "parameterGroups": [
                "Home": ["parameters": ["title": value(title), "footer": value(footer)]]
            ]
        ]
    }

    @Test func theHistoryOfASettingComparesWithTheVersionBefore() async throws {
        try await Self.with { server, next in
            let history = try await server.administer("GET", Self.path + ":settingHistory").json
            #expect(history["baseVersionNumber"] == "0")
            let settings = history["settings"]?["Home"]
            #expect(settings?["title"] == [.string("\(next)"), "2", "1"])
            #expect(settings?["footer"] == [.string("\(next + 1)"), "1"])
        }
    }

    /// The first publish over a raised floor is a project's first change, too.
    @Test func theHistoryBeginsAboveTheGap() async throws {
        let store = InMemoryTemplateStore()
        try await RunningServer.with(store: store) { server in
            let next = try await store.raiseVersions(VersionRaise(reason: "test"))
            try await server.publish(Self.titled("one"))
            let path = Self.path + ":settingHistory"
            let history = try await server.administer("GET", path).json
            #expect(history["versionNumber"] == .string("\(next)"))
            #expect(history["baseVersionNumber"] == "0")
            let setting = try await server.administer("GET", path + "?section=Home&key=title").json
            #expect(setting["changes"]?.arrayValue?.first?["change"] == "ADDED")
        }
    }

    @Test func aMergeNamesTheAuthorsAcrossTheGap() async throws {
        try await Self.with { server, next in
            let answer = try await server.administer(
                "POST", Self.path + ":merge",
                body: ["base": "2", "mine": Self.titled("mine", footer: "mine")])
            #expect(answer.status == 200)
            let conflicts = try answer.json["conflicts"]?.arrayValue ?? []
            let authors = conflicts.map { $0["changedBy"]?["versionNumber"]?.stringValue ?? "" }
            #expect(authors.sorted() == ["\(next)", "\(next + 1)"])
        }
    }
}
