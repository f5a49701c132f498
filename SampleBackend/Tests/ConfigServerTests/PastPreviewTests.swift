import Foundation
import InMemoryTemplateStore
import JSONTree
import SQLiteTemplateStore
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Templates
import TemporaryFolders
import Testing

/// Previews of an earlier time over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct PastPreviewTests {
    enum Engine: String, Sendable, CaseIterable {
        case memory
        case sqlite
    }

    private static let path = "/v1/projects/default/remoteConfig:preview"

    /// The time of the first change; the others follow by the second.
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)

    /// The time some seconds after the first change.
    private static func time(_ seconds: TimeInterval) -> String {
        (start + seconds).timestamp
    }

    private static func template(_ title: String) -> Data {
        let value = { (text: String) -> JSONNode in ["defaultValue": ["value": .string(text)]] }
        var season = value("winter")
        season.setMember("conditionalValues", ["early": ["value": "autumn"]])
        let template: JSONNode = [
            "conditions": [
                // 13 seconds after the start.
                ["name": "early", "expression": "dateTime < dateTime('2023-11-14T22:13:33')"]
            ],
            "parameterGroups": [
                "Home": ["parameters": ["title": value(title), "season": season]]
            ],
        ]
        return template.jsonData()
    }

    private static func publish(
        _ title: String, _ seconds: TimeInterval, in store: any TemplateStore
    ) async throws {
        _ = try await store.publish(
            TemplateSubmission(
                project: "default", content: template(title), expectation: .any,
                date: start + seconds, user: .init(name: "ada \(title)")))
    }

    private static func pin(
        _ title: String?, _ seconds: TimeInterval, in store: any TemplateStore
    ) async throws {
        let content = title.map { JSONNode.object(["Home": ["title": .string($0)]]).jsonData() }
        try await store.setOverrides(
            OverridesChange(
                project: "default", userID: "1", content: content, date: start + seconds,
                actor: "ada"))
    }

    /// Runs a server with versions at 0, 10 and 20 seconds, and pins at 5, 15 and 25 seconds.
    private static func with(
        _ engine: Engine, _ body: @Sendable (RunningServer, any TemplateStore) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let store: any TemplateStore =
            switch engine {
            case .memory: InMemoryTemplateStore()
            case .sqlite: try await SQLiteTemplateStore(path: folder.path("test.sqlite"))
            }
        try await publish("v1", 0, in: store)
        try await pin("p1", 5, in: store)
        try await publish("v2", 10, in: store)
        try await pin("p2", 15, in: store)
        try await publish("v3", 20, in: store)
        try await pin(nil, 25, in: store)
        try await RunningServer.with(store: store) { server in
            try await body(server, store)
        }
        if let store = store as? SQLiteTemplateStore { await store.close() }
    }

    private static func preview(
        at time: JSONNode, users: JSONNode = [["userID": "1"], ["userID": "2"], [:]],
        on server: RunningServer
    ) async throws -> HTTPAnswer {
        try await server.administer("POST", path, body: ["users": users, "at": time])
    }

    private static func titles(_ answer: JSONNode) -> [JSONNode?] {
        (answer["users"]?.arrayValue ?? []).map { $0["current"]?.setting("title", in: "Home") }
    }

    @Test(arguments: Engine.allCases)
    func usersGetWhatTheyGotThen(engine: Engine) async throws {
        let rows: [(seconds: TimeInterval, version: String, title: String, pin: String?)] = [
            (0, "1", "v1", nil), (4.999, "1", "v1", nil), (5, "1", "v1", "p1"),
            (9.9995, "1", "v1", "p1"), (10, "2", "v2", "p1"), (14, "2", "v2", "p1"),
            (15, "2", "v2", "p2"), (20, "3", "v3", "p2"), (24.999, "3", "v3", "p2"),
            (25, "3", "v3", nil), (100_000, "3", "v3", nil),
        ]
        try await Self.with(engine) { server, _ in
            for row in rows {
                // Fractions beyond milliseconds, which `timestamp` would round.
                let whole = Self.time(row.seconds.rounded(.down)).prefix(19)
                let fraction = "\(row.seconds - row.seconds.rounded(.down))".dropFirst(2).prefix(4)
                let at = "\(whole).\(fraction)Z"
                let answer = try await Self.preview(at: .string(at), on: server)
                #expect(answer.status == 200, "\(row)")
                let json = try answer.json
                #expect(json["versionNumber"]?.stringValue == row.version, "\(row)")
                #expect(json["version"]?["versionNumber"]?.stringValue == row.version)
                #expect(json["version"]?["updateUser"]?["name"]?.stringValue == "ada \(row.title)")
                let title = JSONNode.string(row.title)
                let pinned = row.pin.map { JSONNode.string($0) } ?? title
                #expect(Self.titles(json) == [pinned, title, title], "\(row)")
                let users = try #require(json["users"]?.arrayValue)
                #expect(users.map { $0["pins"] } == ["known", "known", "known"], "\(row)")
                #expect(
                    users[0]["settings"]?["Home"]?["title"]?["source"]
                        == (row.pin == nil ? "DEFAULT" : "OVERRIDE"), "\(row)")
            }
        }
    }

    @Test func aVersionThatCannotBeReadIsNamed() async throws {
        try await Self.with(.memory) { server, store in
            _ = try await store.publish(
                TemplateSubmission(
                    project: "default", content: Data("{".utf8), expectation: .any,
                    date: Self.start + 30, user: .init()))
            let answer = try await Self.preview(at: .string(Self.time(30)), on: server)
            #expect(answer.status == 404)
            #expect(answer.error?.message.contains("Version 4") == true)
            #expect(try await Self.preview(at: .string(Self.time(29)), on: server).status == 200)
        }
    }

    @Test func conditionsOnTheTimeAreEvaluatedAtTheTime() async throws {
        try await Self.with(.memory) { server, _ in
            for (seconds, season) in [(12, "autumn"), (13, "winter")] {
                let json = try await Self.preview(
                    at: .string(Self.time(Double(seconds))), on: server
                )
                .json
                let user = try #require(json["users"]?.arrayValue?.first)
                #expect(user["current"]?.setting("season", in: "Home")?.stringValue == season)
                #expect(user["conditions"]?.arrayValue?.first?["result"] == .bool(seconds == 12))
            }
        }
    }

    @Test func anOffsetIsRespected() async throws {
        try await Self.with(.memory) { server, _ in
            // 2023-11-14T22:13:30Z, 10 seconds after the start.
            for at in ["2023-11-15T07:13:30+09:00", "2023-11-14T20:43:30-01:30"] {
                let json = try await Self.preview(at: .string(at), on: server).json
                #expect(json["versionNumber"] == "2")
                #expect(json["at"] == "2023-11-14T22:13:30.000Z")
            }
        }
    }

    @Test func aTimeThatHasNoAnswerIsRefused() async throws {
        let rows: [(at: JSONNode, parts: [String])] = [
            ("2023-11-14T22:13:30", ["2023-11-14T22:13:30", "offset"]),
            ("yesterday", ["yesterday", "offset"]), ("", ["offset"]), (5, ["number", "offset"]),
            ("9999-01-01T00:00:00Z", ["future", "none for now"]),
            (.string(Self.time(-0.001)), ["before the first version", Self.time(0), "version 1"]),
        ]
        try await Self.with(.memory) { server, _ in
            for row in rows {
                let answer = try await Self.preview(at: row.at, on: server)
                #expect(answer.status == 400, "\(row)")
                for part in row.parts {
                    #expect(answer.error?.message.contains(part) == true, "\(row) \(answer.body)")
                }
            }
            let both = try await server.administer(
                "POST", Self.path,
                body: ["users": [], "at": .string(Self.time(0)), "template": .emptyObject])
            #expect(both.status == 400)
            #expect(both.error?.message.contains("exclude") == true)
            let now = try await Self.preview(at: .null, on: server)
            #expect(try now.json["at"] == nil)
            #expect(Self.titles(try now.json) == ["v3", "v3", "v3"])
            let unknown = try await server.administer(
                "POST", Self.path.replacing("default", with: "nothing"),
                body: ["users": [], "at": .string(Self.time(0))])
            #expect(unknown.status == 404)
        }
    }

    @Test(arguments: Engine.allCases)
    func aVersionThatIsNoLongerKeptIsNotFound(engine: Engine) async throws {
        try await Self.with(engine) { server, store in
            for number in 4...TemplateStoreLimits.keptVersions {
                try await Self.publish("v\(number)", Double(number * 10), in: store)
            }
            // All 300 versions are kept.
            let before = try await Self.preview(at: .string(Self.time(-1)), on: server)
            #expect(before.status == 400)
            #expect(try await Self.preview(at: .string(Self.time(0)), on: server).status == 200)
            try await Self.publish("v301", 3_010, in: store)
            let pruned = try await Self.preview(at: .string(Self.time(9)), on: server)
            #expect(pruned.status == 404)
            let message = pruned.error?.message ?? ""
            #expect(message.contains("no longer kept"), "\(message)")
            #expect(message.contains(Self.time(10)), "\(message)")
            #expect(try await Self.preview(at: .string(Self.time(10)), on: server).status == 200)
        }
    }

    @Test(arguments: Engine.allCases)
    func whatTheTrailDoesNotHoldIsUnknown(engine: Engine) async throws {
        try await Self.with(engine) { server, store in
            try await Self.pin(String(repeating: "x", count: 5_000), 30, in: store)
            try await Self.pin("p4", 35, in: store)
            for (seconds, isKnown) in [(35.0, true), (34, false), (24, false)] {
                let json = try await Self.preview(at: .string(Self.time(seconds)), on: server).json
                let users = try #require(json["users"]?.arrayValue)
                #expect(
                    users.map { $0["pins"] } == [isKnown ? "known" : "unknown", "known", "known"])
                #expect(
                    Self.titles(json) == [isKnown ? "p4" : "v3", "v3", "v3"])
                let reason = users[0]["pinsReason"]?.stringValue
                #expect(reason?.contains(Self.time(35)) == (isKnown ? nil : true), "\(seconds)")
            }
        }
    }

    @Test func editorsMayPreviewThePastAndViewersMayNot() async throws {
        try await Self.with(.memory) { server, _ in
            for (role, status) in [("viewer", 403), ("editor", 200), ("publisher", 200)] {
                let token = try await server.administer(
                    "POST", "/v1/tokens", body: ["name": .string(role), "role": .string(role)]
                ).json["token"]?.stringValue
                let answer = try await server.administer(
                    "POST", Self.path, body: ["users": [], "at": .string(Self.time(0))],
                    token: token)
                #expect(answer.status == status, "\(role)")
            }
        }
    }
}
