import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Conversion of other services' files to templates (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ImportRoutesTests {
    private static let path = "/v1/projects/new/remoteConfig:import"

    private static let template: JSONNode = [
        "conditions": [["name": "half", "expression": "percent <= 50"]],
        "parameters": [
            "title": [
                "defaultValue": ["value": "Hello"],
                "conditionalValues": ["half": ["value": "Hi"]],
            ]
        ],
    ]

    @Test(arguments: ["ACTIVECONFIG", "FIREBASE"])
    func aTemplateComesBackWithoutItsVersion(format: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var file = Self.template
            file.setMember("version", ["versionNumber": "7", "description": "Old"])
            let answer = try await server.administer(
                "POST", Self.path, body: ["format": .string(format), "file": file])
            #expect(answer.status == 200)
            let template = try answer.json["template"]
            #expect(template?["version"] == nil)
            #expect(template?["conditions"]?.arrayValue?.first?["name"] == "half")
            #expect(template?["parameters"]?["title"]?["defaultValue"]?["value"] == "Hello")
            #expect(try answer.json["report"]?.arrayValue != nil)
            let projects = try await server.administer("GET", "/v1/projects").json
            #expect(projects["projects"] == [])
        }
    }

    /// The messages of the report of a template that has all that Firebase evaluates differently.
    private func report(format: String, version: JSONNode?) async throws -> [String] {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            var file: JSONNode = [
                "conditions": [
                    ["name": "half", "expression": "percent <= 50"],
                    ["name": "China", "expression": "device.language in ['zh-CN']"],
                ],
                "parameters": ["title": ["defaultValue": ["value": "Hello ${user.id}"]]],
                "parameterGroups": [
                    "Home": ["parameters": ["size": ["defaultValue": ["value": "1"]]]]
                ],
            ]
            file.setMember("version", version)
            let answer = try await server.administer(
                "POST", Self.path, body: ["format": .string(format), "file": file])
            #expect(answer.status == 200)
            return try answer.json["report"]?.arrayValue?
                .compactMap { $0["message"]?.stringValue } ?? []
        }
    }

    @Test(arguments: ["ACTIVECONFIG", "FIREBASE"])
    func aTemplateThatCanBeOfFirebaseGetsItsRemarksInBothFormats(format: String) async throws {
        let report = try await report(format: format, version: nil)
        for part in [
            "percent depends on", "device.language in ['zh-CN'] is probably never true",
            "become the section Default", "${user.id}", "it has no valueType",
        ] {
            #expect(report.contains { $0.contains(part) }, "\(part) in \(report)")
        }
        #expect(report.count == 5, "\(report)")
    }

    @Test func aTemplateOfThisBackendGetsOnlyTheRemarksThatConcernIt() async throws {
        let report = try await report(
            format: "ACTIVECONFIG",
            version: ["versionNumber": "7", "updateUser": ["name": "ada"]])
        #expect(report.count == 1, "\(report)")
        #expect(report.first?.contains("zh-Hans") == true)
    }

    @Test func parametersOfParseBecomeASectionWithAReport() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "POST", Self.path,
                body: [
                    "format": "PARSE", "section": "Home",
                    "file": [
                        "params": [
                            "title": "Hello", "since": ["__type": "Date", "iso": "2026-01-01"],
                        ]
                    ],
                ])
            #expect(answer.status == 200)
            let home = try answer.json["template"]?["parameterGroups"]?["Home"]?["parameters"]
            #expect(home?["title"]?["defaultValue"]?["value"] == "Hello")
            let report = try answer.json["report"]?.arrayValue ?? []
            #expect(report.contains { $0["path"] == "params.since" }, "\(report)")
        }
    }

    @Test func flagsOfLaunchDarklyBecomeASectionWithAReport() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "POST", Self.path,
                body: [
                    "format": "LAUNCHDARKLY", "section": "Home",
                    "file": [
                        "flags": [
                            "wide": [
                                "on": true, "variations": [1, 2], "offVariation": 0,
                                "targets": [["values": ["42"], "variation": 0]],
                                "fallthrough": ["variation": 1],
                            ]
                        ],
                        "flagValues": ["a.b": "Hello"],
                    ],
                ])
            #expect(answer.status == 200, "\(answer)")
            let template = try #require(try answer.json["template"])
            let home = template["parameterGroups"]?["Home"]?["parameters"]
            #expect(home?["wide"]?["defaultValue"]?["value"] == "2")
            #expect(home?["wide"]?["conditionalValues"]?["wide target 1"]?["value"] == "1")
            #expect(home?["a_b"]?["defaultValue"]?["value"] == "Hello")
            let report = try answer.json["report"]?.arrayValue ?? []
            #expect(report.contains { $0["path"] == #"flagValues["a.b"]"# }, "\(report)")
            #expect(try await server.publish(template, project: "new").status == 200)
        }
    }

    private static let wrongRequests: [(body: JSONNode, reason: String)] = [
        (["file": .emptyObject], "format is missing or unknown"),
        (["format": "FIREBASE"], "file is missing"),
        (["format": "PARSE", "file": .emptyObject, "section": 3], "section is not a name"),
        (["format": "LAUNCHDARKLY", "file": ["params": [:]]], "none of \"items\", \"flags\""),
        (
            [
                "format": "ACTIVECONFIG",
                "file": ["conditions": [["name": "a", "expression": "x"]]],
            ],
            "conditions[0].expression"
        ),
    ]

    @Test(arguments: wrongRequests)
    func aWrongRequestIsRefused(body: JSONNode, reason: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer("POST", Self.path, body: body)
            #expect(answer.status == 400)
            #expect(try answer.json["error"]?["message"]?.stringValue?.contains(reason) == true)
        }
    }

    @Test(
        arguments: [
            (["hello": [:]], "The file cannot be imported. In the file: it has none of"),
            (
                ["conditions": [[:], [:]]],
                "The file cannot be imported: 4 problems, listed in details. The first: In conditions[0]"
            ),
        ] as [(JSONNode, String)])
    func aRefusedFileIsNotCalledATemplateToPublish(file: JSONNode, start: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "POST", Self.path, body: ["format": "FIREBASE", "file": file])
            #expect(answer.status == 400)
            let message = try #require(try answer.json["error"]?["message"]?.stringValue)
            #expect(message.hasPrefix(start), "\(message)")
        }
    }

    @Test func aPersonalizationAsDefaultValueIsImportedAndPublished() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let value: JSONNode = ["personalizationValue": ["personalizationId": "p13n"]]
            let answer = try await server.administer(
                "POST", Self.path,
                body: [
                    "format": "FIREBASE",
                    "file": [
                        "parameterGroups": ["Home": ["parameters": ["a": ["defaultValue": value]]]]
                    ],
                ])
            #expect(answer.status == 200, "\(answer)")
            let template = try #require(try answer.json["template"])
            #expect(
                template["parameterGroups"]?["Home"]?["parameters"]?["a"]?["defaultValue"] == value)
            let published = try await server.publish(template, project: "new")
            #expect(published.status == 200)
            #expect(published.fields["warning"]?.contains("personalizationValue") == true)
        }
    }

    @Test func aNameThatNoProjectCanHaveIsRefused() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "POST", "/v1/projects/a%20b/remoteConfig:import",
                body: ["format": "ACTIVECONFIG", "file": Self.template])
            #expect(answer.status == 400)
        }
    }

    @Test func aConfigurationDocumentBecomesATemplate() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "POST", Self.path,
                body: [
                    "format": "ACTIVECONFIG",
                    "file": [
                        "meta": ["format_version_string": "1.0"],
                        "config_sections": ["Home": ["settings": ["title": ["value": "Hi"]]]],
                    ],
                ])
            #expect(answer.status == 200)
            let template = try #require(try answer.json["template"])
            let title = template["parameterGroups"]?["Home"]?["parameters"]?["title"]
            #expect(title == ["defaultValue": ["value": "Hi"], "valueType": "STRING"])
            #expect(try await server.publish(template, project: "new").status == 200)
        }
    }
}
