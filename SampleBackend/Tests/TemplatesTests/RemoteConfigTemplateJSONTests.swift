import Foundation
import JSONTree
import OrderedCollections
import Templates
import Testing

struct RemoteConfigTemplateJSONTests {
    @Test(arguments: [Fixture.clientTemplate, .serverTemplate])
    func aTemplateComesBackAsItWas(fixture: Fixture) throws {
        let json = try fixture.json
        let validated = try ValidatedTemplate(json: json)
        #expect(validated.template.json() == json)
        #expect(validated.json == json)
    }

    @Test func aTemplateKeepsTheOrderOfEverything() throws {
        let template = try ValidatedTemplate(json: Fixture.clientTemplate.json).template
        #expect(Array(template.parameterGroups.keys) == ["Home", "Pay & ship", "Empty"])
        #expect(template.conditions.first?.name == "iOS beta (15%)")
        #expect(template.conditions.last?.name == "nobody")
        let home = try #require(template.parameterGroups["Home"])
        #expect(Array(home.parameters.keys) == ["columns", "shows_offers", "theme"])
        let offers = try #require(home.parameters["shows_offers"])
        #expect(
            Array(offers.conditionalValues.keys)
                == ["Winter sale", "power users", "DACH", "half of the rest"])
        let text = template.json().description
        #expect(text.contains(#""at":1.50"#))
        #expect(text.contains(#"["design",7,1e2]"#))
    }

    @Test func aTemplateReadsEachKindOfValue() throws {
        let template = try ValidatedTemplate(json: Fixture.clientTemplate.json).template
        let home = try #require(template.parameterGroups["Home"]).parameters
        let offers = try #require(home["shows_offers"]).conditionalValues
        #expect(offers["Winter sale"] == .value("TRUE"))
        #expect(
            offers["DACH"]
                == ParameterValue(
                    .unevaluated("personalizationValue", ["personalizationId": "p13n_1"])))
        #expect(
            template.parameters["only_for_app"]?.defaultValue == ParameterValue(.useInAppDefault))
        #expect(home["theme"]?.valueType == .json)
        #expect(home["theme"]?.defaultValue?.unknownFields == ["reviewed": true])
        #expect(template.parameters["legacy_flag"]?.valueType == nil)
        #expect(
            template.parameterGroups["Pay & ship"]?.parameters["api_secret"]?.isMasterKeyOnly
                == true)
    }

    @Test func aTemplateToleratesNullForWhatIsAbsent() throws {
        let template = try RemoteConfigTemplate.make(
            #"""
            {"conditions": null, "parameterGroups": null, "version": null,
             "parameters": {"a": {"defaultValue": {"value": "x", "useInAppDefault": null,
               "rolloutValue": null}, "conditionalValues": null, "description": null,
               "valueType": null, "masterKeyOnly": null}}}
            """#)
        #expect(
            template
                == RemoteConfigTemplate(parameters: [
                    "a": TemplateParameter(defaultValue: .value("x"))
                ]))
        let condition = try RemoteConfigTemplate.make(
            #"{"conditions": [{"name": "a", "expression": "true", "condition": null, "tagColor": null}]}"#
        )
        #expect(condition.conditions == [TemplateCondition(name: "a", expression: "true")])
    }

    @Test func aTemplateWritesTheVersionWhenAskedTo() throws {
        let template = RemoteConfigTemplate(
            version: TemplateVersion(
                number: 12, updateTime: Date(timeIntervalSince1970: 1_700_000_000.25),
                updateUser: .init(name: "ci", email: "ci@example.com", imageURL: "https://x/y.png"),
                description: "Spring", updateOrigin: .console, updateType: .rollback,
                sourceVersion: 7))
        #expect(
            template.json() == [
                "parameters": [:],
                "version": [
                    "versionNumber": "12", "updateTime": "2023-11-14T22:13:20.250Z",
                    "updateUser": [
                        "name": "ci", "email": "ci@example.com", "imageUrl": "https://x/y.png",
                    ],
                    "description": "Spring", "updateOrigin": "CONSOLE", "updateType": "ROLLBACK",
                    "rollbackSource": "7",
                ],
            ])
        // The empty member identifies it as a template.
        #expect(template.json(includingVersion: false) == ["parameters": [:]])
    }

    @Test(arguments: [
        (TemplateVersion.UpdateType.forcedUpdate, nil), (.rollback, 7), (.undo, 7),
    ])
    func aTemplateReadsTheVersionThatItWrites(
        updateType: TemplateVersion.UpdateType, sourceVersion: Int?
    ) throws {
        let version = TemplateVersion(
            number: 12, updateTime: Date(timeIntervalSince1970: 1_700_000_000.25),
            updateUser: .init(name: "ci"), description: "Spring", updateOrigin: .adminSDKNode,
            updateType: updateType, sourceVersion: sourceVersion)
        let json = RemoteConfigTemplate(version: version).json()
        let isUndo = updateType == .undo
        #expect(json["version"]?["undoneVersionNumber"] == (isUndo ? "7" : nil))
        #expect(try ValidatedTemplate(json: json).template.version == version)
    }

    @Test(arguments: [
        #""latest""#, "7", "[]", "{}", #"{"versionNumber": "x", "updateTime": "yesterday"}"#,
        #"{"updateUser": 3, "updateType": "NEW", "rollbackSource": {}, "isLegacy": true}"#,
    ])
    func aTemplateTakesNoOffenceAtTheRestOfAVersion(version: String) {
        #expect(problems(of: #"{"parameters": {}, "version": \#(version)}"#).isEmpty)
    }
}
