import ActiveConfig
import Foundation
import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import TemplateStore
import Testing

@testable import ConfigServer

/// Templates and their versions over HTTP (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct TemplateRoutesTests {
    private static let path = "/v1/projects/default/remoteConfig"

    @Test func theServerServesWhatIsPublished() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.answer("/activeconfig/user/1").status == 404)
            let answer = try await server.publish(.sample)
            #expect(answer.status == 200)
            #expect(answer.fields["etag"] == #""etag-default-1""#)
            #expect(try answer.json["version"]?["versionNumber"] == "1")
            #expect(try answer.json["version"]?["updateType"] == "FORCED_UPDATE")
            #expect(try answer.json["version"]?["updateUser"]?["name"] == "environment")

            let first = try await server.document("/activeconfig/user/1")
            #expect(first.setting("title", in: "Home") == "Hello 1")
            #expect(first.setting("size", in: "Home") == .number("1.0"))
            #expect(first["meta"]?["template_version"] == 1)
            #expect(first["meta"]?["creation_time"] == (try answer.json["version"]?["updateTime"]))
            #expect(first["meta"]?["experiments"]?["half"]?.boolValue != nil)
            let third = try await server.document("/activeconfig/user/3")
            #expect(third.setting("title", in: "Home") == "You are 3")
            #expect(third.setting("isNew", in: "Default") == true)
            let generic = try await server.document("/activeconfig")
            #expect(generic.setting("title", in: "Home") == "Hello ")
            #expect(generic["meta"]?["experiments"] == ["half": false])
            let withSignal = try await server.document("/activeconfig/user/1?signal.city=Tokyo")
            #expect(withSignal.setting("title", in: "Home") == "Konnichiwa")
        }
    }

    @Test func theFrameworkReadsWhatTheServerServes() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let body = try await server.answer("/activeconfig/user/3").body
            let state = try ConfigurationState(jsonData: body)
            #expect(state.section(named: "Home")?.string(forKey: "title") == "You are 3")
            #expect(state.jsonData() == body)
        }
    }

    @Test func theServerReturnsTheTemplateAsItWasPublished() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer("GET", Self.path)
            var template = try answer.json
            #expect(answer.fields["etag"] == #""etag-default-1""#)
            #expect(template["version"] != nil)
            template.removeMember("version")
            #expect(template == .sample)
            let names = template["conditions"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
            #expect(names == ["third", "tokyo", "half"])
        }
    }

    @Test func theServerRefusesAStaleChangeAndStoresNothing() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.publish(.sample, ifMatch: "etag-default-0").status == 200)
            #expect(try await server.publish(.sample, ifMatch: "etag-default-1").status == 200)
            for tag in ["etag-default-1", "etag-default-0", "etag-other-2", "nonsense"] {
                let answer = try await server.publish(["parameters": [:]], ifMatch: tag)
                #expect(answer.status == 412)
                #expect(answer.error?.status == "VERSION_MISMATCH")
            }
            let answer = try await server.administer("GET", Self.path)
            #expect(answer.fields["etag"] == #""etag-default-2""#)
            #expect(try answer.json["version"]?["updateType"] == "INCREMENTAL_UPDATE")
            // A compressing proxy makes the tag weak.
            #expect(
                try await server.publish(.sample, ifMatch: "W/\"etag-default-2\"").status == 200)
        }
    }

    @Test func aPublishNeedsIfMatch() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer("PUT", Self.path, body: .sample)
            #expect(answer.status == 400)
            #expect(answer.error?.message.contains("If-Match") == true)
        }
    }

    @Test func theServerChecksATemplateWithoutStoringIt() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let good = try await server.administer(
                "PUT", Self.path + "?validateOnly=true", body: .sample,
                fields: ["If-Match: etag-default-1"])
            #expect(good.status == 200)
            #expect(good.fields["etag"] == #""etag-default-0""#)
            let stale = try await server.administer(
                "PUT", Self.path + "?validateOnly=true", body: .sample,
                fields: ["If-Match: etag-default-7"])
            #expect(stale.status == 412)
            let versions = try await server.administer("GET", Self.path + ":listVersions").json
            #expect(versions["versions"]?.arrayValue?.count == 1)
        }
    }

    @Test func theServerNamesEachProblemWithItsPlace() async throws {
        let template: JSONNode = [
            "conditions": [["name": "broken", "expression": "device.os = 'ios'"]],
            "parameterGroups": [
                "Home": [
                    "parameters": [
                        "title": [
                            "defaultValue": ["value": "x"],
                            "conditionalValues": ["beta": ["value": "y"]],
                        ],
                        "count": ["defaultValue": ["value": "many"], "valueType": "NUMBER"],
                    ]
                ]
            ],
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.publish(template)
            #expect(answer.status == 400)
            let error = try answer.json["error"]
            #expect(error?["status"] == "VALIDATION_ERROR")
            let paths = error?["details"]?.arrayValue?.compactMap { $0["path"]?.stringValue } ?? []
            #expect(
                Set(paths) == [
                    "conditions[0].expression",
                    "parameterGroups.Home.parameters.title.conditionalValues.beta",
                    "parameterGroups.Home.parameters.count.defaultValue",
                ])
            #expect(error?["details"]?.arrayValue?.contains { $0["column"] == 11 } == true)
            #expect(try await server.answer("/activeconfig").status == 404)
        }
    }

    static let noTemplates: [NamedRow<JSONNode>] = [
        .init("an empty object", [:]),
        .init("the defaults that an app bundles", ["welcome": "hi", "count": "3"]),
        .init(
            "a configuration document",
            ["meta": [:], "config_sections": ["Home": ["settings": ["a": ["value": 1]]]]]),
        .init("a description alone", ["version": ["description": "x"]]),
        .init(
            "something else with a version", ["welcome": "hi", "version": ["versionNumber": "1"]]),
        .init("misspelt members", ["parameter": [:], "parameter_groups": [:]]),
    ]

    @Test(arguments: noTemplates)
    func theServerRefusesAFileThatIsNoTemplate(row: NamedRow<JSONNode>) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            for query in ["", "?validateOnly=true"] {
                let answer = try await server.administer(
                    "PUT", Self.path + query, body: row.value, fields: ["If-Match: *"])
                #expect(answer.status == 400)
                #expect(answer.error?.status == "VALIDATION_ERROR")
                #expect(answer.error?.message.contains("parameterGroups") == true)
            }
            let document = try await server.document("/activeconfig/user/1")
            #expect(document.setting("title", in: "Home") == "Hello 1")
            #expect(document["meta"]?["template_version"] == 1)
        }
    }

    @Test func theServerSaysThatAFileIsAConfigurationDocument() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.publish(["config_sections": ["Home": ["settings": [:]]]])
            #expect(answer.status == 400)
            #expect(answer.error?.message.contains("configuration document") == true)
            #expect(answer.error?.message.contains("import configuration") == true)
        }
    }

    @Test(
        arguments: [
            ["version": ["versionNumber": "1"]], ["parameters": .null], ["conditions": []],
        ] as [JSONNode])
    func theServerPublishesAnEmptyTemplate(template: JSONNode) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            #expect(try await server.publish(template).status == 200)
            let current = try await server.administer("GET", Self.path).json
            #expect(try await server.publish(current).status == 200)
        }
    }

    @Test func theServerNamesUnknownMembersInAWarning() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.publish(["parameters": [:], "welcome": "hi"])
            #expect(answer.status == 200)
            #expect(answer.fields["warning"]?.contains("welcome") == true)
        }
    }

    @Test func theServerWarnsOfConditionsItDoesNotEvaluate() async throws {
        let template: JSONNode = [
            "conditions": [
                ["name": "vip", "expression": "app.audiences.inAtLeastOne(['vip'])"]
            ],
            "parameters": [
                "title": [
                    "defaultValue": ["value": "x"],
                    "conditionalValues": ["vip": ["value": "y"]],
                ]
            ],
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.publish(template)
            #expect(answer.status == 200)
            #expect(answer.fields["warning"]?.hasPrefix("199 - \"") == true)
            let document = try await server.document("/activeconfig/user/1")
            #expect(document.setting("title", in: "Default") == "x")
        }
    }

    @Test(arguments: [
        ("device.os == 'iOS'", "as 'ios', not as 'iOS'"),
        ("device.country in ['us']", "as 'US', not as 'us'"),
    ])
    func theServerWarnsOfARuleThatProbablyNoClientSatisfies(
        expression: String, text: String
    ) async throws {
        let template: JSONNode = [
            "conditions": [["name": "a", "expression": .string(expression)]]
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.publish(template)
            #expect(answer.status == 200)
            let warning = try #require(answer.fields["warning"])
            #expect(warning.contains(text) && warning.contains("conditions[0]"), "\(warning)")
        }
    }

    @Test(arguments: [1, 200])
    func theServerBoundsWarningsAndCountsTheOthers(nameLength: Int) async throws {
        let names = (1...30).map { "vip\($0)" + String(repeating: "x", count: nameLength) }
        let template: JSONNode = [
            "conditions": .array(
                names.map { name in
                    [
                        "name": .string(name),
                        "expression": .string("app.audiences.inAtLeastOne(['\(name)'])"),
                        String(repeating: "y", count: nameLength): 1,
                    ]
                })
        ]
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let warnings = try await Self.warnings(about: template, on: server)
            #expect(warnings.count <= 20)
            #expect(warnings.reduce(0) { $0 + $1.utf8.count } < 3_500)
            let last = try #require(warnings.last)
            #expect(last.contains("and \(60 - warnings.count + 1) more warnings"), "\(last)")
        }
    }

    @Test func doubtsLeaveRoomForAWarningOfTheWholeFile() async throws {
        let conditions = (1...30).map { number -> JSONNode in
            ["name": .string("c\(number)"), "expression": "device.os == 'iOS'", "colour": 1]
        }
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let warnings = try await Self.warnings(
                about: ["conditions": .array(conditions), "paramaters": [:]], on: server)
            #expect(warnings.contains { $0.contains("paramaters") })
        }
    }

    /// The `Warning` fields of the response to a publish.
    private static func warnings(
        about template: JSONNode, on server: RunningServer
    ) async throws -> [Substring] {
        try await HTTPConnection.open(port: server.port) { connection in
            connection.send(
                method: "PUT", target: path,
                fields: [
                    "Authorization: Bearer \(RunningServer.administratorToken)", "If-Match: *",
                ], body: template.description)
            let head = try await connection.receive(through: "\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 200 "))
            return head.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("warning:") }
        }
    }

    static let misplaced: [NamedRow<(template: JSONNode, place: String)>] = [
        .init("validateOnly", (["parameters": [:], "validateOnly": true], "validateOnly")),
        .init("validate_only", (["parameters": [:], "validate_only": false], "validate_only")),
        .init(
            "a configuration document",
            (["parameters": [:], "config_sections": [:]], "config_sections")),
        .init("version 0", (["version": ["versionNumber": "0"]], "the template")),
        .init("no version", (["version": ["versionNumber": [:]]], "the template")),
    ]

    @Test(arguments: misplaced)
    func theServerRefusesMembersThatMeanSomethingElse(
        row: NamedRow<(template: JSONNode, place: String)>
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.publish(row.value.template)
            #expect(answer.status == 400)
            #expect(answer.error?.message.contains("In \(row.value.place):") == true)
            let current = try await server.administer("GET", Self.path)
            #expect(current.status == 404)
        }
    }

    @Test(arguments: [
        ("", ["5", "4", "3", "2", "1"]), ("&endVersionNumber=4", ["4", "3", "2", "1"]),
    ])
    func theServerListsVersionsInPages(condition: String, expected: [String]) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            for _ in 1...5 { try await server.publish(.sample) }
            var numbers: [String] = []
            var token: String?
            repeat {
                let query = "?pageSize=2" + condition + (token.map { "&pageToken=\($0)" } ?? "")
                let page = try await server.administer(
                    "GET", Self.path + ":listVersions" + query
                ).json
                // Repeating pages would cause an endless loop.
                try #require(numbers.count < 5)
                numbers +=
                    page["versions"]?.arrayValue?
                    .compactMap { $0["versionNumber"]?.stringValue } ?? []
                token = page["nextPageToken"]?.stringValue
            } while token != nil
            #expect(numbers == expected)
            for query in ["pageSize=0", "pageSize=301", "pageSize=x", "startTime=yesterday"] {
                let answer = try await server.administer(
                    "GET", Self.path + ":listVersions?" + query)
                #expect(answer.status == 400, "\(query)")
            }
        }
    }

    @Test func aRollbackIsANewVersion() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            try await server.publish(["parameters": ["a": ["defaultValue": ["value": "b"]]]])
            let answer = try await server.administer(
                "POST", Self.path + ":rollback", body: ["versionNumber": "1"])
            #expect(answer.status == 200)
            #expect(try answer.json["version"]?["versionNumber"] == "3")
            #expect(try answer.json["version"]?["updateType"] == "ROLLBACK")
            #expect(try answer.json["version"]?["rollbackSource"] == "1")
            let document = try await server.document("/activeconfig/user/3")
            #expect(document.setting("title", in: "Home") == "You are 3")
            for version in ["9", "0", "x"] as [JSONNode] {
                let refused = try await server.administer(
                    "POST", Self.path + ":rollback", body: ["versionNumber": version])
                #expect([400, 404].contains(refused.status))
            }
        }
    }

    @Test(arguments: [
        ("JSON", "\"title\""), ("XML", "<key>title</key>"), ("PLIST", "<key>title</key>"),
        ("ACTIVECONFIG", "config_sections"),
    ])
    func theServerServesDefaultsInEachFormat(format: String, part: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer(
                "GET", Self.path + ":downloadDefaults?format=\(format)")
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self).contains(part))
        }
    }

    @Test(arguments: [("JSON", true), ("XML", true), ("PLIST", true), ("ACTIVECONFIG", nil)])
    func aFlatFileWarnsOfASettingWhoseNameTwoSectionsHave(
        format: String, isWarned: Bool?
    ) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let group: JSONNode = ["parameters": ["title": ["defaultValue": ["value": "x"]]]]
            try await server.publish(["parameterGroups": ["Home": group, "Shop": group]])
            let answer = try await server.administer(
                "GET", Self.path + ":downloadDefaults?format=\(format)")
            let warning = answer.fields["warning"]
            #expect(warning?.contains("Shop.title is left out") == isWarned)
        }
    }

    @Test func theFrameworkReadsTheDownloadedBootstrap() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            let answer = try await server.administer(
                "GET", Self.path + ":downloadDefaults?format=ACTIVECONFIG")
            let state = try ConfigurationState(jsonData: answer.body)
            #expect(state.section(named: "Default")?.bool(forKey: "isNew") == false)
        }
    }

    @Test func theServerTellsHowTwoVersionsDiffer() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample)
            var changed = JSONNode.sample
            changed.setMember("parameters", ["isNew": ["defaultValue": ["value": "maybe"]]])
            try await server.publish(changed)
            let answer = try await server.administer("GET", Self.path + ":diff?from=1&to=2")
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("maybe"))
            let first = try await server.administer("GET", Self.path + ":diff?from=0&to=1").json
            #expect(first["from"] == "0")
            #expect(first["conditions"]?.arrayValue?.allSatisfy { $0["change"] == "ADDED" } == true)
            #expect(first["parameters"]?.arrayValue?.isEmpty == false)
            #expect(try await server.administer("GET", Self.path + ":diff").status == 400)
            let missing = try await server.administer("GET", Self.path + ":diff?from=1&to=9")
            #expect(missing.status == 404)
        }
    }

    @Test func theServerKeepsProjectsApart() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            try await server.publish(.sample, project: "one")
            #expect(try await server.answer("/activeconfig").status == 404)
            #expect(try await server.answer("/projects/one/activeconfig/user/1").status == 200)
            #expect(try await server.answer("/projects/two/activeconfig").status == 404)
            for path in ["", ":listVersions", ":diff?from=1", ":downloadDefaults"] {
                let answer = try await server.administer(
                    "GET", "/v1/projects/two/remoteConfig" + path)
                #expect(answer.status == 404, "\(path)")
            }
            let refused = try await server.publish(.sample, project: "a%20b")
            #expect(refused.status == 400)
        }
    }
}
