import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Integers beyond 64 bits keep all digits in every response that contains values (FORMAT 4).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LargeIntegersTests {
    private static let digits = "12345678901234567890"
    private static let other = "12345678901234567891"
    private static let path = "/v1/projects/default/remoteConfig"

    /// A template with the number as a NUMBER, and negated and nested in a JSON value.
    private static func template(_ digits: String = digits) -> JSONNode {
        let list = JSONNode.string(#"{"b": [-\#(digits), 1.50], "a": 1}"#)
        return [
            "parameterGroups": [
                "Home": [
                    "parameters": [
                        "count": [
                            "valueType": "NUMBER", "defaultValue": ["value": .string(digits)],
                        ],
                        "list": ["valueType": "JSON", "defaultValue": ["value": list]],
                        "title": ["defaultValue": ["value": "x"]],
                    ]
                ]
            ]
        ]
    }

    /// The section `Home` of the template as JSON text in a document.
    private static func home(_ digits: String = digits) -> String {
        #"{"settings":{"count":{"value":\#(digits)},"#
            + #""list":{"value":{"a":1,"b":[-\#(digits),1.5]}},"title":{"value":"x"}}}"#
    }

    private static func withTemplate(
        _ body: @Sendable (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.publish(template()).status == 200)
            try await body(server)
        }
    }

    @Test func aDocumentAndTheBootstrapHaveTheDigits() async throws {
        try await Self.withTemplate { server in
            let expected = #"{"config_sections":{"Home":\#(Self.home())},"meta":{"#
            let document = try await server.answer("/activeconfig/user/1")
            #expect(String(decoding: document.body, as: UTF8.self).hasPrefix(expected))
            let bootstrap = try await server.administer(
                "GET", Self.path + ":downloadDefaults?format=ACTIVECONFIG")
            #expect(String(decoding: bootstrap.body, as: UTF8.self).hasPrefix(expected))
        }
    }

    @Test func openFeatureGetsTheDigits() async throws {
        try await Self.withTemplate { server in
            let all = try await server.answer(
                "/ofrep/v1/evaluate/flags", method: "POST", body: #"{"context": {}}"#)
            let text = String(decoding: all.body, as: UTF8.self)
            #expect(text.contains(#""key":"Home.count","value":\#(Self.digits),"#))
            #expect(text.contains(#""value":{"a":1,"b":[-\#(Self.digits),1.5]},"#))
            let one = try await server.answer(
                "/ofrep/v1/evaluate/flags/Home.count", method: "POST", body: #"{"context": {}}"#)
            #expect(
                String(decoding: one.body, as: UTF8.self).contains(#""value":\#(Self.digits),"#))
        }
    }

    @Test func aPreviewHasTheDigitsAndNamesAChangeOfTheLast() async throws {
        try await Self.withTemplate { server in
            let answer = try await server.administer(
                "POST", Self.path + ":preview",
                body: ["template": Self.template(Self.other), "users": [["userID": "1"]]])
            let user = try #require(try answer.json["users"]?.arrayValue?.first)
            func home(_ document: String) -> String? {
                user[document]?["config_sections"]?["Home"]?.description
            }
            #expect(home("current") == Self.home())
            #expect(home("proposed") == Self.home(Self.other))
            #expect(user["changes"] == ["Home": ["count", "list"]])
            let settings = user["settings"]?["Home"]
            #expect(settings?["count"]?["value"] == .number(Self.other))
            #expect(
                settings?["list"]?["value"] == [
                    "a": 1, "b": [.number("-" + Self.other), .number("1.5")],
                ])
        }
    }

    @Test func aStreamAnnouncesAChangeOfTheLastDigit() async throws {
        try await Self.withTemplate { server in
            try await server.stream(ofUser: "1") { stream in
                try await server.publish(Self.template(Self.other))
                let update = try await stream.next()
                #expect(update.id == "2")
                let sections = update.data?["sections"]
                #expect(sections?["Home"]?.description == Self.home(Self.other))
            }
        }
    }

    @Test func aPinKeepsTheDigits() async throws {
        try await Self.withTemplate { server in
            let path = "/v1/projects/default/users/1/overrides"
            let list: JSONNode = [.number("-" + Self.other)]
            let pins: JSONNode = ["Home": ["count": .number(Self.other), "list": list]]
            #expect(try await server.administer("PUT", path, body: pins).status == 200)
            #expect(try await server.administer("GET", path).json == pins)
            let settings = try await server.document("/activeconfig/user/1")["config_sections"]?[
                "Home"]?["settings"]
            #expect(settings?["count"] == ["value": .number(Self.other)])
            #expect(settings?["list"] == ["value": list])
        }
    }

    @Test(arguments: ["PARSE", "ACTIVECONFIG"])
    func anImportedFileServesTheDigits(format: String) async throws {
        try await Self.withTemplate { server in
            let number = JSONNode.number(Self.other)
            let file: JSONNode =
                format == "PARSE"
                ? ["params": ["count": number, "list": [number]]]
                : [
                    "meta": [:],
                    "config_sections": [
                        "Default": [
                            "settings": ["count": ["value": number], "list": ["value": [number]]]
                        ]
                    ],
                ]
            let answer = try await server.administer(
                "POST", Self.path + ":import", body: ["format": .string(format), "file": file])
            let template = try #require(try answer.json["template"])
            #expect(try await server.publish(template).status == 200)
            let document = try await server.document("/activeconfig/user/1")
            #expect(
                document["config_sections"]?["Default"]?["settings"]
                    == ["count": ["value": number], "list": ["value": [number]]])
        }
    }
}
