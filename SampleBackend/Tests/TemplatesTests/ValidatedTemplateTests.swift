import Foundation
import JSONTree
import Targeting
import Templates
import Testing

struct ValidatedTemplateTests {
    /// Template with its problems.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let json: String
        /// Paths of the problems.
        let paths: [String]
        /// Part of the first problem's message.
        let message: String

        init(_ name: String, _ json: String, _ paths: [String], _ message: String) {
            testDescription = name
            self.json = json
            self.paths = paths
            self.message = message
        }
    }

    @Test(arguments: rows)
    func theCheckSaysWhatIsWrongAndWhere(row: Row) throws {
        let found = problems(of: row.json)
        #expect(found.map(\.path) == row.paths)
        let first = try #require(found.first)
        #expect(first.message.contains(row.message), "\(first.message)")
        #expect(!first.message.hasSuffix("."))
    }

    @Test func theCheckFindsAllProblemsAtOnceInAStableOrder() {
        let json = #"""
            {"conditions": [{"name": "a", "expression": "device.os = = 'ios'"}, {"name": ""}],
             "parameters": {"1a": {"defaultValue": {"value": 1}},
               "b": {"conditionalValues": {"zz": {"value": "x"}}, "valueType": "TEXT"}},
             "parameterGroups": {"My.Group": {"parameters": {"c": {"description": 3,
               "conditionalValues": {"a": {}}}}}}}
            """#
        let paths = problems(of: json).map(\.path)
        #expect(
            paths == [
                "conditions[0].expression", "conditions[1].name", "conditions[1]",
                "parameters.1a",
                "parameters.1a.defaultValue.value", "parameters.b.valueType",
                "parameters.b.conditionalValues.zz",
                #"parameterGroups["My.Group"].parameters.c.description"#,
                #"parameterGroups["My.Group"].parameters.c.conditionalValues.a"#,
            ])
        #expect(problems(of: json).map(\.path) == paths)
    }

    @Test func theCheckGivesTheColumnOfAnExpressionThatCannotBeParsed() throws {
        let found = problems(
            of: #"{"conditions": [{"name": "a", "expression": "device.os = = 'ios'"}]}"#)
        let problem = try #require(found.first)
        #expect(problem.path == "conditions[0].expression")
        #expect((problem.column ?? 0) > 1)
        #expect(problem.description.contains("conditions[0].expression, column"))
    }

    @Test func theCheckGivesTheLineOfTextThatIsNoJSON() throws {
        let problem = try #require(problems(of: "{\"parameters\":\n  {\"a\": tru}}").first)
        #expect(problem.message.contains("line 2, column"))
        #expect(problems(of: "").count == 1)
        #expect(problems(of: #"{"a": 1, "a": 2}"#).first?.message.contains("occurs twice") == true)
    }

    @Test func theCheckParsesTheConditionsInTheirOrder() throws {
        let validated = try ValidatedTemplate(json: Fixture.clientTemplate.json)
        #expect(validated.conditions.count == validated.template.conditions.count)
        #expect(validated.conditions.map(\.usesPercent).filter { $0 }.count == 2)
        #expect(validated.conditions.firstIndex { !$0.dates.isEmpty } == 3)
    }

    @Test(arguments: ["rolloutValue", "personalizationValue", "experimentValue"])
    func theCheckKeepsWhatOnlyFirebaseEvaluatesInEveryPlace(name: String) throws {
        let value = #"{"\#(name)": {"id": "x", "percent": 1.50}}"#
        let parameters = """
            {"a": {"defaultValue": \(value), "conditionalValues": {"all": \(value)}}}
            """
        let json = try JSONNode(
            jsonData: Data(
                """
                {"conditions": [{"name": "all", "expression": "true"}], "parameters": \(parameters),
                 "parameterGroups": {"Home": {"parameters": \(parameters)}}}
                """.utf8))
        let validated = try ValidatedTemplate(json: json)
        #expect(validated.json == json)
        #expect(validated.template.json() == json)
        let places = ["parameters.a", "parameterGroups.Home.parameters.a"]
        #expect(
            validated.warnings.map(\.path)
                == places.flatMap { ["\($0).defaultValue", "\($0).conditionalValues.all"] })
        #expect(validated.warnings.allSatisfy { $0.message.hasPrefix("\(name) is kept") })
        #expect(validated.warnings.first?.message.contains("without a default value") == true)
        #expect(validated.warnings.last?.message.contains("counts as false") == true)
    }

    @Test func theCheckWarnsOfWhatIsKeptAndNotEvaluated() throws {
        let warnings = try ValidatedTemplate(json: Fixture.clientTemplate.json).warnings
            .filter { $0.message != "it has no effect" }
        #expect(
            warnings.map(\.path) == [
                "conditions[5].expression", "conditions[5].expression",
                #"parameterGroups.Home.parameters.shows_offers.conditionalValues["power users"]"#,
                "parameterGroups.Home.parameters.shows_offers.conditionalValues.DACH",
                #"parameterGroups.Home.parameters.shows_offers.conditionalValues["half of the rest"]"#,
            ])
        #expect(warnings.first?.message.hasPrefix("app.userProperty") == true)
        #expect(try ValidatedTemplate(json: Fixture.serverTemplate.json).warnings.isEmpty)
    }

    @Test func problemsBeyondThoseThatAreListedAreCounted() {
        let conditions = (1...1_500).map { _ -> JSONNode in ["name": "", "expression": "true"] }
        let error = #expect(throws: TemplateValidationError.self) {
            try ValidatedTemplate(json: ["conditions": .array(conditions)])
        }
        let all = error?.problems ?? []
        #expect(all.count == 1_001)
        let rest = all.last?.message.split(separator: " ").compactMap { Int($0) }.first ?? 0
        #expect(rest >= 500, "\(all.last?.message ?? "")")
    }

    @Test func aMemberThatIsNearlyAKnownOneIsNamed() throws {
        let validated = try ValidatedTemplate(
            jsonData: Data(
                #"""
                {"parameterGroup": {}, "owner": "Ada",
                 "conditions": [{"name": "ios", "expression": "true", "tagcolor": "BLUE", "x": 1}],
                 "parameters": {"a": {"valuetype": "NUMBER", "default_value": {}, "team": "Ada",
                   "masterkeyOnly": true, "defaultValue": null},
                  "b": {"defaultValue": {"value": "", "VALUE": "", "value1": ""}}},
                 "parameterGroups": {"Home": {"Parameters": {}, "icon": "x"}}}
                """#.utf8))
        let meant = [
            ("parameterGroup", "parameterGroups"), ("owner", nil),
            ("conditions[0].tagcolor", "tagColor"), ("conditions[0].x", nil),
            ("parameters.a.valuetype", "valueType"), ("parameters.a.default_value", "defaultValue"),
            ("parameters.a.team", nil), ("parameters.a.masterkeyOnly", "masterKeyOnly"),
            ("parameters.b.defaultValue.VALUE", "value"),
            ("parameters.b.defaultValue.value1", "value"),
            ("parameterGroups.Home.Parameters", "parameters"), ("parameterGroups.Home.icon", nil),
        ]
        #expect(validated.warnings.map(\.path) == meant.map(\.0))
        for (warning, name) in zip(validated.warnings, meant.map(\.1)) {
            #expect(
                warning.message.hasSuffix("; write \(name ?? "") if that is intended")
                    == (name != nil), "\(warning)")
            #expect(warning.message.hasPrefix("it has no effect"))
        }
        #expect(validated.template.json()["parameterGroup"] == [:])
    }

    @Test(arguments: [
        ("sections", "parameterGroups"), ("groups", "parameterGroups"),
        ("parametersGroups", "parameterGroups"), ("paramaters", "parameters"),
        ("condition", "conditions"), ("settings", "parameters"),
    ])
    func anUnknownMemberOfATemplateIsNamedWithTheNearestKnownOne(name: String, meant: String) throws
    {
        let warning = try #require(
            try ValidatedTemplate(json: ["parameters": [:], name: 1]).warnings.first)
        #expect(warning.path == name)
        #expect(warning.message == "it has no effect; write \(meant) if that is intended")
    }

    @Test(arguments: [
        ("condtionalValues", "conditionalValues"), ("conditions", "conditionalValues"),
        ("default", "defaultValue"), ("value", "defaultValue"), ("type", "valueType"),
        ("desciption", "description"),
    ])
    func anUnknownMemberOfAParameterIsNamedWithTheNearestKnownOne(
        name: String, meant: String
    ) throws {
        let warning = try #require(
            try ValidatedTemplate(json: ["parameters": ["a": [name: 1]]]).warnings.first)
        #expect(warning.path == "parameters.a.\(name)")
        #expect(warning.message == "it has no effect; write \(meant) if that is intended")
    }

    @Test func theCheckLeavesTheVersionOutOfWhatIsStored() throws {
        let validated = try ValidatedTemplate(
            jsonData: Data(
                #"{"version": {"description": "Spring"}, "parameters": {}, "x": 1.0}"#.utf8))
        #expect(validated.json.description == #"{"parameters":{},"x":1.0}"#)
        #expect(validated.template.version?.description == "Spring")
        #expect(validated.template.version?.number == 0)
    }

    @Test func theCheckAllowsTheSameKeyInTwoGroups() {
        #expect(
            problems(
                of: #"""
                    {"parameterGroups": {"A": {"parameters": {"k": {}}}, "B": {"parameters": {"k": {}}}},
                     "parameters": {"k": {}}}
                    """#
            ).isEmpty)
    }

    @Test func theCheckCutsNamesInPathsAndMessages() {
        let name = String(repeating: "\u{FC}", count: 100_000)
        let found = problems(
            of: #"{"parameters": {"a": {"conditionalValues": {"\#(name)": {"value": "x"}}}}}"#)
        #expect(found.count == 1)
        #expect(found.allSatisfy { $0.description.count < 800 })
    }

    /// Invalid templates, named after their problems.
    static let rows: [Row] = [
        Row("an array", "[]", [""], "make it an object"),
        Row("conditions as object", #"{"conditions": {}}"#, ["conditions"], "make it an array"),
        Row("parameters as array", #"{"parameters": []}"#, ["parameters"], "make it an object"),
        Row("groups as string", #"{"parameterGroups": ""}"#, ["parameterGroups"], "an object"),
        Row(
            "condition as string", #"{"conditions": ["a"]}"#,
            ["conditions[0]", "conditions[0].name", "conditions[0]"], "make it an object"),
        Row(
            "name missing", #"{"conditions": [{"expression": "true"}]}"#, ["conditions[0].name"],
            "needs a name"),
        Row(
            "name of another type", #"{"conditions": [{"name": 5, "expression": "true"}]}"#,
            ["conditions[0].name"], "it is a number; make it a string"),
        Row(
            "name with a tab", #"{"conditions": [{"name": "a\tb", "expression": "true"}]}"#,
            ["conditions[0].name"], "control character"),
        Row(
            "name twice",
            #"{"conditions": [{"name": "a", "expression": "true"}, {"name": "a", "expression": "true"}]}"#,
            ["conditions[1].name"], "rename one"),
        Row(
            "expression missing", #"{"conditions": [{"name": "a"}]}"#, ["conditions[0]"],
            "has no expression"),
        Row(
            "expression and condition",
            #"{"conditions": [{"name": "a", "expression": "true", "condition": {"true": {}}}]}"#,
            ["conditions[0]"], "remove one of the two"),
        Row(
            "expression of another type", #"{"conditions": [{"name": "a", "expression": true}]}"#,
            ["conditions[0].expression"], "make it a string"),
        Row(
            "server condition",
            #"{"conditions": [{"name": "a", "condition": {"orCondition": {"conditions": [3]}}}]}"#,
            ["conditions[0].condition.orCondition.conditions[0]"], "object"),
        Row(
            "colour", #"{"conditions": [{"name": "a", "expression": "true", "tagColor": "RED"}]}"#,
            ["conditions[0].tagColor"], "no colour \"RED\""),
        Row("parameter as string", #"{"parameters": {"a": "x"}}"#, ["parameters.a"], "an object"),
        Row(
            "key with a dot", #"{"parameters": {"a.b": {}}}"#, [#"parameters["a.b"]"#],
            "start with a letter"),
        Row(
            "key with a quotation mark", #"{"parameters": {"a\"b": {}}}"#,
            [#"parameters["a\"b"]"#], "start with a letter"),
        Row("empty key", #"{"parameters": {"": {}}}"#, [#"parameters[""]"#], "start with"),
        Row("key with a digit first", #"{"parameters": {"1a": {}}}"#, ["parameters.1a"], "start"),
        Row(
            "key beyond ASCII", #"{"parameters": {"größe": {}}}"#, [#"parameters["größe"]"#],
            "start with"),
        Row(
            "type", #"{"parameters": {"a": {"valueType": "boolean"}}}"#, ["parameters.a.valueType"],
            "STRING, BOOLEAN, NUMBER, JSON"),
        Row(
            "type of another type", #"{"parameters": {"a": {"valueType": 1}}}"#,
            ["parameters.a.valueType"], "make it a string"),
        Row(
            "value as number", #"{"parameters": {"a": {"defaultValue": {"value": 5}}}}"#,
            ["parameters.a.defaultValue.value"], "make it a string"),
        Row(
            "default as string", #"{"parameters": {"a": {"defaultValue": "x"}}}"#,
            ["parameters.a.defaultValue"], "make it an object"),
        Row(
            "empty value", #"{"parameters": {"a": {"defaultValue": {}}}}"#,
            ["parameters.a.defaultValue"], "has no value"),
        Row(
            "null value", #"{"parameters": {"a": {"defaultValue": {"value": null}}}}"#,
            ["parameters.a.defaultValue"], "has no value"),
        Row(
            "two values",
            #"{"parameters": {"a": {"defaultValue": {"value": "x", "useInAppDefault": true}}}}"#,
            ["parameters.a.defaultValue"], "more than one"),
        Row(
            "useInAppDefault false",
            #"{"parameters": {"a": {"defaultValue": {"useInAppDefault": false}}}}"#,
            ["parameters.a.defaultValue.useInAppDefault"], "can only be true"),
        Row(
            "no such condition",
            #"{"parameterGroups": {"Home": {"parameters": {"title": {"conditionalValues": {"beta": {"value": "x"}}}}}}}"#,
            ["parameterGroups.Home.parameters.title.conditionalValues.beta"],
            "no condition is called \"beta\""),
        Row(
            "conditional values as array", #"{"parameters": {"a": {"conditionalValues": []}}}"#,
            ["parameters.a.conditionalValues"], "make it an object"),
        Row(
            "masterKeyOnly as string", #"{"parameters": {"a": {"masterKeyOnly": "yes"}}}"#,
            ["parameters.a.masterKeyOnly"], "true or false"),
        Row(
            "description as number", #"{"parameters": {"a": {"description": 1}}}"#,
            ["parameters.a.description"], "make it a string"),
        Row(
            "group as array", #"{"parameterGroups": {"A": []}}"#, ["parameterGroups.A"],
            "make it an object"),
        Row(
            "group without a name", #"{"parameterGroups": {"": {}}}"#, [#"parameterGroups[""]"#],
            "needs a name"),
        Row(
            "key twice in Default",
            #"{"parameters": {"a": {}}, "parameterGroups": {"Default": {"parameters": {"a": {}}}}}"#,
            ["parameterGroups.Default.parameters.a"], "rename one"),
        Row(
            "version description", #"{"parameters": {}, "version": {"description": 1}}"#,
            ["version.description"],
            "make it a string"),
    ]

    @Test func theCheckTellsNamesApartByTheirBytes() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        func template(_ names: [String], _ value: String) -> String {
            let conditions = names.map { #"{"name": "\#($0)", "expression": "true"}"# }
            return """
                {"conditions": [\(conditions.joined(separator: ","))],
                 "parameters": {"a": {"conditionalValues": {"\(value)": {"value": "1"}}}}}
                """
        }
        #expect(problems(of: template([composed], composed)).isEmpty)
        let other = problems(of: template([composed], decomposed))
        #expect(other.map(\.path) == [#"parameters.a.conditionalValues["\#(decomposed)"]"#])
        let twins = problems(of: template([composed, decomposed], composed))
        #expect(twins.map(\.path) == ["conditions[1].name"])
        #expect(twins.first?.message.contains("looks like") == true)
        // A template that was published earlier stays valid.
        #expect(problems(of: template([composed], decomposed), limits: .none).isEmpty)
        // Clients compare the names of groups as Swift strings, and see the last of the two.
        let groups = try ValidatedTemplate(
            jsonData: Data(
                #"{"parameterGroups": {"\#(composed)": {}, "a": {}, "\#(decomposed)": {}}}"#.utf8))
        #expect(groups.template.parameterGroups.count == 3)
        #expect(groups.warnings.map(\.path) == [#"parameterGroups["\#(decomposed)"]"#])
        #expect(groups.warnings.first?.message.contains("looks the same") == true)
    }

    @Test func aTimeZoneWithoutAPlaceGetsAWarning() throws {
        let template = try ValidatedTemplate(json: [
            "conditions": [
                [
                    "name": "late",
                    "expression": "dateTime > dateTime('2030-07-01T00:00:00', 'BST')",
                ]
            ], "parameters": [:],
        ])
        #expect(template.warnings.count == 1)
        #expect(template.warnings.first?.message.contains("UTC+06:00") == true)
    }
}
