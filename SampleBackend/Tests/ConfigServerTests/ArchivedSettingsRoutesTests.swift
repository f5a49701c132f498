import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Archived settings over HTTP: what apps, services and exports get lacks them (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ArchivedSettingsRoutesTests {
    private static let path = "/v1/projects/default/remoteConfig"

    /// Template with the setting `Home.banner`, whose value is "gone".
    private static func template(archived: Bool, notes: JSONNode = .emptyObject) -> JSONNode {
        var banner: JSONNode = ["defaultValue": ["value": "gone"], "description": "gone too"]
        for (name, value) in notes.objectValue ?? [:] { banner.setMember(name, value) }
        if archived { banner.setMember("archived", true) }
        return [
            "parameterGroups": [
                "Home": [
                    "parameters": ["title": ["defaultValue": ["value": "t"]], "banner": banner]
                ]
            ]
        ]
    }

    /// A request whose answer is made for apps, services or files.
    struct Request: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: String
        let target: String
        var body: JSONNode?
        /// The body of an answer without an archived setting.
        let kept: String

        init(
            _ name: String, _ target: String, method: String = "GET", body: JSONNode? = nil,
            kept: String = "title"
        ) {
            testDescription = name
            (self.target, self.method, self.body, self.kept) = (target, method, body, kept)
        }
    }

    private static let flags: JSONNode = ["context": ["targetingKey": "1"]]

    private static let requests = [
        Request("document", "/activeconfig"),
        Request("document of a user", "/activeconfig/user/1"),
        Request("document of a pinned user", "/activeconfig/user/pinned"),
        Request("document at its earlier path", "/active_config?user=pinned"),
        Request("document of a project", "/projects/default/activeconfig/user/1"),
        Request("all flags", "/ofrep/v1/evaluate/flags", method: "POST", body: flags),
        Request(
            "all flags of a project", "/projects/default/ofrep/v1/evaluate/flags", method: "POST",
            body: ["context": ["targetingKey": "pinned"]]),
        Request("template for services", "/v1/projects/default/evaluation/activeconfig"),
        Request(
            "template for Firebase's libraries",
            "/v1/projects/default/namespaces/firebase-server/serverRemoteConfig"),
        Request("bootstrap", path + ":downloadDefaults?format=ACTIVECONFIG"),
        Request("defaults as JSON", path + ":downloadDefaults?format=JSON"),
        Request("defaults as XML", path + ":downloadDefaults?format=XML"),
        Request("defaults as a property list", path + ":downloadDefaults?format=PLIST"),
    ]

    /// Sends a request as an administrator, who may send every one.
    private static func send(
        _ request: Request, to server: RunningServer
    ) async throws -> HTTPAnswer {
        try await server.administer(request.method, request.target, body: request.body)
    }

    @Test(arguments: requests) func noAnswerHasAnArchivedSetting(request: Request) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(archived: false))
            try await server.administer(
                "PUT", "/v1/projects/default/users/pinned/overrides",
                body: ["Home": ["banner": "gone for me"]])
            let before = try await Self.send(request, to: server)
            #expect(before.status == 200)
            #expect(String(decoding: before.body, as: UTF8.self).contains("gone"))
            #expect(try await server.publish(Self.template(archived: true)).status == 200)
            let after = try await Self.send(request, to: server)
            #expect(after.status == 200)
            let text = String(decoding: after.body, as: UTF8.self)
            #expect(text.contains(request.kept) && !text.contains("gone"), "\(text)")
            #expect(!text.contains("banner"), "\(text)")
            #expect(after.fields["etag"] != before.fields["etag"] || before.fields["etag"] == nil)
            // The pinned value has an effect again once the setting is restored.
            try await server.publish(Self.template(archived: false))
            #expect(try await Self.send(request, to: server).body.count == before.body.count)
        }
    }

    @Test func aSingleFlagIsNotFound() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(archived: true))
            try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides",
                body: ["Home": ["banner": "gone for me"]])
            for key in ["banner", "Home.banner", "none"] {
                let answer = try await server.answer(
                    "/ofrep/v1/evaluate/flags/\(key)", method: "POST",
                    body: Self.flags.description)
                #expect(answer.status == 404, "\(key)")
                #expect(try answer.json["errorCode"] == "FLAG_NOT_FOUND", "\(key)")
            }
        }
    }

    @Test func aStreamLosesTheSettingAndItsPin() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(archived: false))
            try await server.administer(
                "PUT", "/v1/projects/default/users/pinned/overrides",
                body: ["Home": ["banner": "gone for me"]])
            for user in ["1", "pinned"] {
                try await server.stream(ofUser: user) { stream in
                    try await server.publish(Self.template(archived: true))
                    let lost = try await stream.next()
                    #expect(
                        lost.data?["sections"] == [
                            "Home": ["settings": ["title": ["value": "t"]]]
                        ])
                    try await server.publish(Self.template(archived: false))
                    let restored = try await stream.next()
                    let value = restored.data?["sections"]?["Home"]?["settings"]?["banner"]?[
                        "value"]
                    #expect(value == (user == "1" ? "gone" : "gone for me"))
                }
            }
        }
    }

    /// A client that was offline while the setting was archived is told what it lost.
    @Test func aResumedStreamLosesThePinnedValue() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(archived: false))
            try await server.administer(
                "PUT", "/v1/projects/default/users/pinned/overrides",
                body: ["Home": ["banner": "gone for me"]])
            try await server.publish(Self.template(archived: true))
            let document = try await server.document("/activeconfig/user/pinned")
            try await EventStreamClient.open(
                port: server.port, "/activeconfig/user/pinned/events", fields: ["Last-Event-ID: 1"]
            ) { stream in
                #expect(try await stream.next().name == "hello")
                let event = try await stream.next()
                #expect(event.name == "update" || event.name == "reset")
                if event.name == "update" {
                    #expect(event.data?["sections"] == document["config_sections"])
                }
            }
        }
    }

    @Test func aPreviewSaysThatItIsArchived() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(archived: false))
            try await server.administer(
                "PUT", "/v1/projects/default/users/1/overrides",
                body: ["Home": ["banner": "gone for me"]])
            let answer = try await server.administer(
                "POST", Self.path + ":preview",
                body: ["users": [["userID": "1"]], "template": Self.template(archived: true)])
            let user = try #require(try answer.json["users"]?.arrayValue?.first)
            #expect(user["settings"]?["Home"]?["banner"] == ["source": "ARCHIVED"])
            #expect(user["settings"]?["Home"]?["title"]?["source"] == "DEFAULT")
            #expect(user["changes"] == ["Home": ["banner"]])
            let document = user["proposed"]?["config_sections"]?["Home"]?["settings"]
            #expect(document?.objectValue.map { Array($0.names) } == ["title"])
        }
    }

    @Test func theTemplateItsHistoryAndItsVersionsKeepIt() async throws {
        let notes: JSONNode = ["owner": "Team Home", "tags": ["launch"], "permanent": "legal"]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(archived: false))
            try await server.publish(Self.template(archived: true, notes: notes))
            let current = try await server.administer("GET", Self.path).json
            let banner = current["parameterGroups"]?["Home"]?["parameters"]?["banner"]
            #expect(banner?["archived"] == true && banner?["owner"] == "Team Home")
            #expect(banner?["tags"] == ["launch"] && banner?["permanent"] == "legal")
            let history = try await server.administer("GET", Self.path + ":settingHistory").json
            #expect(history["settings"]?["Home"]?["banner"] == ["2", "1"])
            // A rollback to a version without the members takes them away.
            let back = try await server.administer(
                "POST", Self.path + ":rollback", body: ["versionNumber": "1"])
            #expect(back.status == 200)
            let restored = try await server.administer("GET", Self.path).json
            #expect(
                restored["parameterGroups"]
                    == Self.template(archived: false)["parameterGroups"])
            #expect(
                try await server.document("/activeconfig")["config_sections"]?["Home"]?[
                    "settings"]?[
                        "banner"]?["value"] == "gone")
        }
    }

    @Test func anUndoRestoresTheSetting() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(Self.template(archived: false))
            try await server.publish(Self.template(archived: true))
            try await server.publish(Self.template(archived: true, notes: ["owner": "Ada"]))
            let answer = try await server.administer(
                "POST", Self.path + ":undo", body: ["versionNumber": "2"])
            #expect(answer.status == 200)
            let banner = try await server.administer("GET", Self.path)
                .json["parameterGroups"]?["Home"]?["parameters"]?["banner"]
            #expect(banner?["archived"] == nil && banner?["owner"] == "Ada")
        }
    }
}
