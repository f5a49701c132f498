import Foundation
import JSONTree
import Templates
import Testing

struct ServerTemplateTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static func template(_ json: JSONNode) throws -> ServerTemplate {
        let validated = try ValidatedTemplate(json: json)
        return ServerTemplate(
            validated.template, conditions: validated.conditions,
            version: TemplateVersion(number: 3, updateTime: date), at: date)
    }

    private static let gold: JSONNode = [
        "customSignal": [
            "customSignalOperator": "STRING_EXACTLY_MATCHES", "customSignalKey": "plan",
            "targetCustomSignalValues": ["gold"],
        ]
    ]

    private static let goldExpression: JSONNode =
        "app.customSignal['plan'].exactlyMatches(['gold'])"

    @Test func conditionsKeepTheirOrderAndAreTrees() throws {
        let template = try Self.template([
            "conditions": [
                ["name": "gold", "expression": Self.goldExpression, "tagColor": "BLUE"],
                ["name": "server", "condition": ["orCondition": ["conditions": [["true": [:]]]]]],
            ],
            "parameters": ["a": ["defaultValue": ["value": "1"]]],
        ])
        #expect(
            template.json["conditions"] == [
                ["name": "gold", "condition": Self.gold],
                ["name": "server", "condition": ["orCondition": ["conditions": [["true": [:]]]]]],
            ])
        #expect(template.json["version"]?["versionNumber"] == "3")
        #expect(template.warnings == [])
    }

    @Test func groupsAreFlattenedAndTheFirstOfEqualKeysHasTheName() throws {
        let template = try Self.template([
            "parameters": ["a": ["defaultValue": ["value": "1"]]],
            "parameterGroups": [
                "Home": [
                    "parameters": [
                        "a": ["defaultValue": ["value": "2"], "valueType": "NUMBER"],
                        "b": ["defaultValue": ["useInAppDefault": true], "description": "B"],
                        "secret": ["defaultValue": ["value": "s"], "masterKeyOnly": true],
                    ]
                ],
                "Shop": ["parameters": ["b": ["defaultValue": ["value": "${user.id}!"]]]],
            ],
        ])
        #expect(
            template.json["parameters"] == [
                "a": ["defaultValue": ["value": "1"]],
                "Home.a": ["defaultValue": ["value": "2"], "valueType": "NUMBER"],
                "b": ["defaultValue": ["useInAppDefault": true], "description": "B"],
                "Shop.b": ["defaultValue": ["value": "${user.id}!"]],
            ])
        #expect(
            template.warnings == [
                "Home.a has this name here, since a is that of Default.",
                "Shop.b has this name here, since b is that of Home.",
                "Shop.b has ${user.id}, which the libraries do not replace.",
            ])
    }

    @Test func aConditionThatIsTrueForEveryoneBecomesTheDefault() throws {
        let template = try Self.template([
            "conditions": [
                ["name": "gold", "expression": Self.goldExpression],
                ["name": "now", "expression": "dateTime >= dateTime('2020-01-01T00:00:00')"],
                ["name": "later", "expression": "dateTime >= dateTime('2090-01-01T00:00:00')"],
                ["name": "all", "expression": "true"],
            ],
            "parameters": [
                "a": [
                    "defaultValue": ["value": "default"],
                    "conditionalValues": [
                        "all": ["value": "all"], "later": ["value": "later"],
                        "now": ["value": "now"], "gold": ["value": "gold"],
                    ],
                ],
                "b": [
                    "defaultValue": ["value": "default"],
                    "conditionalValues": [
                        "later": ["value": "later"], "all": ["useInAppDefault": true],
                    ],
                ],
                "c": ["conditionalValues": ["gold": ["value": "gold"]]],
            ],
        ])
        #expect(
            template.json["conditions"]?.arrayValue?.compactMap { $0["name"]?.stringValue }
                == ["gold", "later"])
        #expect(
            template.json["parameters"] == [
                "a": [
                    "defaultValue": ["value": "now"],
                    "conditionalValues": ["gold": ["value": "gold"]],
                ],
                "b": [
                    "defaultValue": ["useInAppDefault": true],
                    "conditionalValues": ["later": ["value": "later"]],
                ],
                "c": ["conditionalValues": ["gold": ["value": "gold"]]],
            ])
    }

    @Test func aValueThatIsNotEvaluatedIsLeftOutAsInDocuments() throws {
        let rollout: JSONNode = ["rolloutValue": ["rolloutId": "r", "value": "x", "percent": 10]]
        let template = try Self.template([
            "conditions": [
                ["name": "gold", "expression": Self.goldExpression],
                ["name": "server", "condition": Self.gold],
            ],
            "parameters": [
                "a": [
                    "defaultValue": ["value": "default"],
                    "conditionalValues": ["gold": rollout, "server": rollout],
                ]
            ],
        ])
        #expect(
            template.json["parameters"] == [
                "a": [
                    "defaultValue": ["value": "default"],
                    "conditionalValues": ["server": ["useInAppDefault": true]],
                ]
            ])
    }

    @Test func aPartThatCannotBeWrittenIsNamed() throws {
        let template = try Self.template([
            "conditions": [
                ["name": "no", "expression": "!app.customSignal['plan'].matches(['a'])"]
            ],
            "parameters": ["a": ["conditionalValues": ["no": ["value": "1"]]]],
        ])
        #expect(
            template.warnings == [
                "In the condition 'no', the rule app.customSignal['plan'].matches(['a']) counts as "
                    + "false: a regular expression cannot be negated there."
            ])
        #expect(
            template.json["conditions"]?.arrayValue?.first?["condition"]?["percent"]?[
                "percentOperator"] == "BETWEEN")
    }
}
