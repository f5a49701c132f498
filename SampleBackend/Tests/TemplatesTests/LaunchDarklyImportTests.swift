import Foundation
import JSONTree
import Testing

@testable import Templates

struct LaunchDarklyImportTests {
    private func imported(_ json: JSONNode, sectionName: String = "Default") throws
        -> LaunchDarklyImport
    {
        try LaunchDarklyImport(jsonData: json.jsonData(), sectionName: sectionName)
    }

    /// Imports one flag with the variations "a" to "d", of which "a" is served when it is off and
    /// "b" when it is on.
    private func flag(
        _ members: JSONNode = [:], segments: JSONNode = [:], others: JSONNode = [:]
    ) throws -> LaunchDarklyImport {
        var flag: JSONNode = [
            "on": true, "variations": ["a", "b", "c", "d"], "offVariation": 0,
            "fallthrough": ["variation": 1],
        ]
        for (name, value) in members.objectValue ?? [:] { flag.setMember(name, value) }
        var flags = others
        flags.setMember("f", flag)
        return try imported(["flags": flags, "segments": segments])
    }

    /// Imports a flag whose only rule has these clauses and serves "c".
    private func rule(_ clauses: [JSONNode], segments: JSONNode = [:]) throws
        -> LaunchDarklyImport
    {
        try flag(["rules": [["variation": 2, "clauses": .array(clauses)]]], segments: segments)
    }

    private func rule(
        _ attribute: String, _ operation: String, _ values: [JSONNode], isNegated: Bool = false
    ) throws -> LaunchDarklyImport {
        try rule([
            [
                "attribute": .string(attribute), "op": .string(operation),
                "values": .array(values), "negate": .bool(isNegated),
            ]
        ])
    }

    @Test func tagsThatASettingCannotHaveAreReported() throws {
        let long = String(repeating: "t", count: 65)
        let many = (0..<20).map { JSONNode.string("t\($0)") }
        let result = try flag(["tags": .array(["a", "a", "b,c", .string(long), 1] + many)])
        #expect(result.template.parameters["f"]?.tags == ["a"] + (0..<19).map { "t\($0)" })
        let remark = try #require(result.report.first { $0.path == "flags.f.tags" })
        #expect(remark.message.hasPrefix("5 of 25 are left out"))
    }

    private func problems(_ json: JSONNode, sectionName: String = "Default") -> [TemplateProblem] {
        do throws(TemplateValidationError) {
            _ = try LaunchDarklyImport(jsonData: json.jsonData(), sectionName: sectionName)
            return []
        } catch {
            return error.problems
        }
    }

    @Test func anAnswerOfTheRESTInterfaceBecomesATemplate() throws {
        let result = try LaunchDarklyImport(
            jsonData: Fixture.launchDarklyAnswer.data, sectionName: "Shop")
        let parameters = try #require(result.template.parameterGroups["Shop"]).parameters
        #expect(Array(parameters.names) == ["new_checkout", "search_limit"])
        #expect(
            result.template.conditions.map { "\($0.name): \($0.expression ?? "")" } == [
                "new-checkout target 2: user.id in ['ada', 'grace']",
                "segment beta: user.id in ['linus'] || !(user.id in ['mallory']) && "
                    + #"app.customSignal['email'].matches(['\\@example\\.com$'])"#,
                "new-checkout rule 2 share 1: (app.customSignal['country'].exactlyMatches(['DE', "
                    + "'AT']) && !(version(app.customSignal['appVersion']) < '2.5')) && "
                    + "percent('new-checkout') <= 12.5",
                "new-checkout rule 2 share 2: (app.customSignal['country'].exactlyMatches(['DE', "
                    + "'AT']) && !(version(app.customSignal['appVersion']) < '2.5')) && "
                    + "percent('new-checkout') > 12.5",
            ])
        #expect(
            parameters["new_checkout"]
                == TemplateParameter(
                    defaultValue: .value("false"),
                    conditionalValues: [
                        "new-checkout target 2": .value("true"), "segment beta": .value("true"),
                        "new-checkout rule 2 share 1": .value("true"),
                        "new-checkout rule 2 share 2": .value("false"),
                    ], description: "The checkout with one page", valueType: .boolean,
                    owner: "ada@example.com", tags: ["checkout"]))
        #expect(
            parameters["search_limit"]
                == TemplateParameter(
                    defaultValue: .value("10"), description: "Search limit", valueType: .number))
        let path = #"items["new-checkout"].environments.production"#
        #expect(
            result.report.map(\.path) == [
                "", #"items["old-banner"]"#, path + ".contextTargets[0]",
                path + ".rules[1].rollout",
                path + ".rules[1].clauses[0]", path + ".rules[2].clauses[0]",
                #"items["search.limit"].environments.production"#, #"items["search.limit"]"#,
                path + ".rules[1].clauses[1]", "items", #"items["new-checkout"]"#,
                #"items["search.limit"]"#,
            ])
        #expect(result.report[5].message.contains("left out: before compares a date"))
        #expect(result.report[5].message.hasSuffix("or else false"))
        #expect(result.report[6].message.contains("everyone gets 10"))
        #expect(result.report[7].message.contains("server-side SDKs only"))
    }

    @Test func theDataOfAnSDKBecomesATemplate() throws {
        let result = try LaunchDarklyImport(jsonData: Fixture.launchDarklyData.data)
        #expect(
            result.template.conditions.map { "\($0.name): \($0.expression ?? "")" } == [
                "theme target 2: user.id in ['ada']",
                "theme rule 1: app.customSignal['plan'].exactlyMatches(['pro', 'team'])",
                "theme default rule share 1: percent('seed61') between 50 and 75",
                "theme default rule share 2: percent('seed61') > 75",
                "segment staff: user.id in ['ada']",
            ])
        #expect(
            result.template.parameters["theme"]
                == TemplateParameter(
                    defaultValue: .value("light"),
                    conditionalValues: [
                        "theme target 2": .value("dark"), "theme rule 1": .value("system"),
                        "theme default rule share 1": .value("dark"),
                        "theme default rule share 2": .value("system"),
                    ], valueType: .string))
        #expect(
            result.template.parameters["everyone"]
                == TemplateParameter(
                    defaultValue: .value(#"{"columns":2,"title":"Hello"}"#), valueType: .json))
        #expect(result.template.parameters.count == 2)
        #expect(
            result.report.map(\.path) == [
                "", "flags.gone", "flags.theme.prerequisites[0]", "flags.theme.fallthrough.rollout",
                "flags.theme.contextTargets[0]",
            ])
        #expect(result.report[3].message.hasPrefix("it is an experiment"))
    }

    @Test func plainValuesOfAFileBecomeSettings() throws {
        let result = try imported([
            "flagValues": ["a": true, "b.c": .number("1.50"), "d": "x", "e": [1, "x"]]
        ])
        #expect(
            result.template.parameters.mapValues { $0.defaultValue?.content } == [
                "a": .value("true"), "b_c": .value("1.50"), "d": .value("x"),
                "e": .value(#"[1,"x"]"#),
            ])
        #expect(result.report.map(\.path) == [#"flagValues["b.c"]"#])
    }

    private static let wrongFiles: [(file: JSONNode, path: String, message: String)] = [
        ([], "", "it is an array; make it an object"),
        ([:], "", #"it has none of "items", "flags" and "flagValues"; give the answer of GET "#),
        (["flags": [:], "items": []], "", #"it has both "items" and "flags""#),
        (["parameters": [:]], "", "import it as one of Firebase"),
        (["config_sections": [:]], "", "it is a configuration document"),
        (["items": [:]], "items", "it is an object; make it an array"),
        (["items": [["key": 1]]], "items[0].key", "it is a number; make it a string"),
        (["items": [[:]]], "items[0].key", "it is missing"),
        (["items": [["key": "a"]]], "items", "the flags have no environments"),
        (
            ["items": [["key": "a", "environments": ["test": [:], "production": [:]]]]], "items",
            #"2 environments, such as "test", "production"; get those of one with ?env="#
        ),
        (
            ["items": [["key": "a", "environments": ["test": ["on": true, "_summary": [:]]]]]],
            "items.a.environments.test", "it is a summary without rules; get the flags with &summ"
        ),
        (
            [
                "items": [
                    ["key": "a", "environments": ["test": ["rules": []]]],
                    ["key": "b", "environments": [:]],
                ]
            ], "items.b.environments.test", "the flag has no such environment"
        ),
        (["flags": []], "flags", "it is an array; make it an object"),
        (["flags": ["a": 1]], "flags.a", "it is a number; make it an object"),
        (["flags": ["a": [:]]], "flags.a.variations", "it is missing"),
        (
            ["flags": ["a": ["variations": [1], "offVariation": 1]]], "flags.a.offVariation",
            "there is no variation 1: the flag has 1, counted from 0"
        ),
        (
            ["flags": ["a": ["variations": [1], "offVariation": -1]]], "flags.a.offVariation",
            "it is -1; make it an integer of at least 0"
        ),
        (
            ["flags": ["a": ["variations": [1], "on": 1]]], "flags.a.on",
            "it is a number; make it true or false"
        ),
        (
            ["flags": ["a": ["variations": [1], "on": true, "rules": [:]]]], "flags.a.rules",
            "it is an object; make it an array"
        ),
        (
            [
                "flags": [
                    "a": [
                        "variations": [1], "on": true,
                        "targets": [["variation": 0, "values": [1]]],
                    ]
                ]
            ], "flags.a.targets[0].values[0]", "it is a number; make it a string"
        ),
        (
            [
                "flags": [
                    "a": [
                        "variations": [1], "on": true,
                        "rules": [
                            ["variation": 0, "clauses": [["op": "in", "values": [1]]]]
                        ],
                    ]
                ]
            ], "flags.a.rules[0].clauses[0].attribute", "it is missing"
        ),
        (
            ["flags": ["a": ["variations": [1]]], "flagValues": ["a": 1]], "flags.a",
            #""flagValues" has a flag of this key, too"#
        ),
        (
            [
                "items": [
                    ["key": "a", "environments": ["test": ["rules": []]]],
                    ["key": "a", "environments": ["test": ["rules": []]]],
                ]
            ], "items.a", "another flag has the same key"
        ),
        (
            ["flags": [:], "segments": ["s": 1]], "segments.s", "it is a number; make it an object"
        ),
    ]

    @Test(arguments: wrongFiles)
    func aWrongFileIsRefusedWithThePlaceAndTheFix(
        file: JSONNode, path: String, message: String
    ) {
        let problem = problems(file).first
        #expect(problem?.path == path)
        #expect(problem?.message.contains(message) == true, "\(String(describing: problem))")
    }

    @Test func textThatIsNotJSONIsRefusedWithItsPlace() {
        let error = #expect(throws: TemplateValidationError.self) {
            try LaunchDarklyImport(jsonData: Data("{\"flags\":\n {".utf8))
        }
        #expect(error?.description.contains("line 2") == true)
    }

    @Test func filesOverALimitAreRefused() throws {
        let tooMany = (0..<3_001).map { (key: "a\($0)", value: JSONNode.number("1")) }
        let values = JSONNode.object(NamedValues(tooMany, uniquingKeysWith: { $1 }))
        #expect(
            problems(["flagValues": values]) == [
                TemplateProblem(
                    path: "flags", message: "it has 3001 parameters; import at most 3000")
            ])
        #expect(
            problems(["flags": [:]], sectionName: String(repeating: "x", count: 257)) == [
                TemplateProblem(
                    path: "section", message: "the name has 257 characters; use at most 256")
            ])
        let rules = (0..<2_001).map { index -> JSONNode in
            let values = JSONNode.array([.string("u\(index)")])
            return [
                "variation": 0, "clauses": [["attribute": "key", "op": "in", "values": values]],
            ]
        }
        let problem = problems([
            "flags": ["a": ["on": true, "variations": [1], "rules": .array(rules)]]
        ]).first
        #expect(problem?.message.contains("more than 2000 conditions") == true)
        #expect(throws: TemplateValidationError.self) {
            try LaunchDarklyImport(
                jsonData: Data(
                    #"{"flagValues": {"a": "\#(String(repeating: "x", count: 16 << 20))"}}"#.utf8))
        }
    }

    @Test func aPartOfTheFlagsIsNamed() throws {
        let result = try imported([
            "totalCount": 57,
            "items": [
                [
                    "key": "a", "variations": [["value": 1]],
                    "environments": ["test": ["rules": [], "offVariation": 0]],
                ]
            ],
        ])
        #expect(result.report.map(\.path) == ["items"])
        #expect(result.report[0].message.hasPrefix("it has 1 of 57 flags"))
    }

    private static let types: [(variations: JSONNode, type: ParameterValueType, value: String)] = [
        ([true, false], .boolean, "true"), ([1, .number("2.5")], .number, "1"),
        (["x", "y"], .string, "x"),
        ([["a": 1], ["b": 2]], .json, #"{"a":1}"#), (["x", 1], .json, #""x""#),
        ([.null, 1], .json, "null"),
    ]

    @Test(arguments: types)
    func theVariationsDecideTheType(
        variations: JSONNode, type: ParameterValueType, value: String
    ) throws {
        let parameter = try flag(["variations": variations, "on": false]).template.parameters["f"]
        #expect(
            parameter == TemplateParameter(defaultValue: .value(value), valueType: type))
    }

    @Test func aFlagThatServesNoVariationLeavesTheSettingToTheApp() throws {
        let off = try flag(["on": false, "offVariation": .null])
        #expect(off.template.parameters["f"]?.defaultValue?.content == .useInAppDefault)
        let on = try flag(["fallthrough": [:]])
        #expect(on.template.parameters["f"]?.defaultValue?.content == .useInAppDefault)
        #expect(on.report.first?.message.contains("the app's own default") == true)
    }

    @Test func aPrerequisiteThatIsFulfilledForEveryoneIsLeftOut() throws {
        let others: JSONNode = [
            "on": ["on": true, "variations": [1, 2], "fallthrough": ["variation": 1]],
            "off": ["on": false, "variations": [1, 2], "offVariation": 1],
            "some": [
                "on": true, "variations": [1, 2], "fallthrough": ["variation": 1],
                "rules": [["variation": 0, "clauses": []]],
            ],
        ]
        for (prerequisites, value) in [
            ([["key": "on", "variation": 1]], "b"), ([["key": "on", "variation": 0]], "a"),
            ([["key": "off", "variation": 1]], "a"), ([["key": "some", "variation": 1]], "a"),
            ([["key": "none", "variation": 1]], "a"),
            ([["key": "on", "variation": 1], ["key": "some", "variation": 1]], "a"),
        ] as [([JSONNode], String)] {
            let result = try flag(
                [
                    "prerequisites": .array(prerequisites),
                    "targets": [["variation": 2, "values": ["u"]]],
                ], others: others)
            #expect(result.template.parameters["f"]?.defaultValue == .value(value))
            #expect(
                result.template.parameters["f"]?.conditionalValues.isEmpty == (value == "a"))
            let remarks = result.report.filter { $0.path.hasPrefix("flags.f.prerequisites[") }
            #expect(remarks.count == prerequisites.count, "\(remarks)")
        }
    }

    @Test func aPlaceholderInATextIsNamed() throws {
        let result = try flag(["variations": ["${user.id}", "b"]])
        #expect(result.report.isEmpty)
        let served = try flag(["variations": ["a", "${user.id}"]])
        #expect(served.report.map(\.path) == ["flags.f"])
    }

    @Test func aLongDescriptionIsCut() throws {
        let result = try flag(["description": .string(String(repeating: "x", count: 300))])
        #expect(result.template.parameters["f"]?.description?.count == 256)
        #expect(result.report.map(\.path) == ["flags.f.description"])
    }

    @Test func sharesOfTheDefaultRuleBecomeConditions() throws {
        let result = try flag([
            "fallthrough": [
                "rollout": [
                    "variations": [
                        ["variation": 2, "weight": 100], ["variation": 3, "weight": 33_333],
                        ["variation": 0, "weight": 0], ["variation": 1, "weight": 1],
                    ]
                ]
            ]
        ])
        #expect(
            result.template.conditions.map(\.expression) == [
                "percent('f') <= 0.1", "percent('f') between 0.1 and 33.433",
            ])
        let parameter = result.template.parameters["f"]
        #expect(parameter?.defaultValue == .value("b"))
        #expect(parameter?.conditionalValues.map { $0.value } == [.value("c"), .value("d")])
        #expect(result.report.map(\.path) == ["flags.f.fallthrough.rollout"])
    }

    @Test func aShareOfEverybodyIsAVariation() throws {
        let result = try flag([
            "fallthrough": [
                "rollout": [
                    "variations": [
                        ["variation": 3, "weight": 100_000], ["variation": 0, "weight": 0],
                    ]
                ]
            ]
        ])
        #expect(result.template.conditions.isEmpty && result.report.isEmpty)
        #expect(result.template.parameters["f"]?.defaultValue == .value("d"))
    }

    @Test(
        arguments: [
            ["bucketBy": "email"], ["contextKind": "device"], ["bucketBy": "/a/b"],
        ] as [JSONNode])
    func sharesOfAnythingButUsersAreLeftOut(members: JSONNode) throws {
        var rollout: JSONNode = [
            "variations": [
                ["variation": 2, "weight": 50_000], ["variation": 3, "weight": 50_000],
            ]
        ]
        for (name, value) in members.objectValue ?? [:] { rollout.setMember(name, value) }
        let result = try flag([
            "fallthrough": ["rollout": rollout],
            "rules": [["clauses": [], "rollout": rollout]],
        ])
        #expect(result.template.conditions.isEmpty)
        #expect(result.template.parameters["f"]?.defaultValue == .value("a"))
        #expect(result.report.count == 2)
        #expect(result.report.allSatisfy { $0.message.contains("left out: it draws") })
    }

    @Test func eachFlagHasASeedOfItsOwn() throws {
        let rollout: JSONNode = [
            "rollout": [
                "variations": [["variation": 0, "weight": 1], ["variation": 1, "weight": 99_999]]
            ]
        ]
        let flag: JSONNode = ["on": true, "variations": [1, 2], "fallthrough": rollout]
        let name = String(repeating: "k", count: 40)
        let result = try imported(["flags": .object(["\(name)1": flag, "\(name)2": flag])])
        #expect(
            result.template.conditions.map(\.expression) == [
                "percent('\(name.prefix(26))') <= 0.001",
                "percent('\(name.prefix(26))_2') <= 0.001",
            ])
    }

    private static let clauses: [(String, String, [JSONNode], String)] = [
        ("key", "in", ["a", "it's"], #"user.id in ['a', 'it\'s']"#),
        ("plan", "in", ["a", .number("5.0"), true, .null], "S.exactlyMatches(['a', '5', 'true'])"),
        ("plan", "contains", ["a", 1], "S.contains(['a'])"),
        ("plan", "startsWith", ["a.b"], #"S.matches(['^a\\.b'])"#),
        ("plan", "endsWith", ["a$", "ü"], #"S.matches(['a\\$$', 'ü$'])"#),
        ("plan", "matches", ["^a+$"], "S.matches(['^a+$'])"),
        ("plan", "lessThan", [.number("1e3")], "S < 1000"),
        ("plan", "lessThanOrEqual", [.number("-0.5"), "x"], "S <= -0.5"),
        ("plan", "greaterThan", [1, 2], "S > 1 || S > 2"),
        ("plan", "greaterThanOrEqual", [1], "S >= 1"),
        ("plan", "semVerEqual", ["1.2"], "version(S) == '1.2'"),
        ("plan", "semVerLessThan", ["1"], "version(S) < '1'"),
        ("plan", "semVerGreaterThan", ["1.2.3"], "version(S) > '1.2.3'"),
    ]

    @Test(arguments: clauses)
    func aClauseBecomesAnExpression(
        attribute: String, operation: String, values: [JSONNode], expression: String
    ) throws {
        let expected = expression.replacingOccurrences(of: "S", with: "app.customSignal['plan']")
        let result = try rule(attribute, operation, values)
        #expect(result.template.conditions.map(\.expression) == [expected])
        let negation = try rule(attribute, operation, values, isNegated: true)
        #expect(negation.template.conditions.map(\.expression) == ["!(\(expected))"])
    }

    @Test func aRuleWithoutClausesIsTrueForEveryone() throws {
        #expect(try rule([]).template.conditions.map(\.expression) == ["true"])
    }

    @Test func attributesOfTheAppBecomeItsSignals() throws {
        func expression(_ attribute: String, _ operation: String) throws -> String? {
            try rule([
                [
                    "contextKind": "ld_application", "attribute": .string(attribute),
                    "op": .string(operation), "values": ["1.2"],
                ]
            ]).template.conditions.first?.expression
        }
        #expect(try expression("/id", "in") == "app.id in ['1.2']")
        #expect(
            try expression("versionName", "semVerGreaterThan") == "app.version.>(['1.2'])")
        #expect(try expression("/versionName", "in") == "app.version.exactlyMatches(['1.2'])")
        #expect(try expression("version", "in") == nil)
    }

    private static let inexpressible: [(clause: JSONNode, reason: String)] = [
        (["attribute": "a", "op": "before", "values": [1]], "before compares a date of the user"),
        (["attribute": "a", "op": "after", "values": [1]], "after compares a date of the user"),
        (["attribute": "a", "op": "near", "values": [1]], #"the operator "near" has no counter"#),
        (
            ["attribute": "a", "op": "in", "values": [], "negate": true],
            "its negated clause has no values"
        ),
        (["attribute": "a", "op": "in", "values": [.null]], "no value of its clause is of a type"),
        (["attribute": "key", "op": "in", "values": [1]], "no value of its clause is of a type"),
        (["attribute": "key", "op": "contains", "values": ["a"]], "contains searches in user.id"),
        (["attribute": "a", "op": "lessThan", "values": ["1"]], "no value of its clause"),
        (["attribute": "a", "op": "lessThan", "values": [.number("1e30")]], "has too many digits"),
        (
            ["attribute": "a", "op": "semVerEqual", "values": ["1.2.0-beta"]],
            #""1.2.0-beta" is not a version"#
        ),
        (
            ["attribute": "a", "op": "semVerEqual", "values": ["1.02"]],
            #"the version "1.02" has a leading zero"#
        ),
        (["attribute": "a", "op": "matches", "values": ["(?=x)"]], "regular expression"),
        (["attribute": "kind", "op": "in", "values": ["user"]], "the kind of the context"),
        (
            ["contextKind": "device", "attribute": "model", "op": "in", "values": ["x"]],
            #"of the context kind "device""#
        ),
        (
            ["contextKind": "user", "attribute": "/a/b", "op": "in", "values": ["x"]],
            #"the nested attribute "/a/b""#
        ),
        (
            ["attribute": .string(String(repeating: "a", count: 251)), "op": "in", "values": [1]],
            "more than 250 characters"
        ),
        (["op": "segmentMatch", "values": ["none"]], #"the file has no segment "none""#),
        (["op": "segmentMatch", "values": ["big"]], "it is a big segment"),
        (["op": "segmentMatch", "values": ["circle"]], "it contains itself"),
        (["op": "segmentMatch", "values": ["devices"]], "it lists contexts of other kinds"),
        (["op": "segmentMatch", "values": ["dated"]], "before compares a date"),
        (["op": "segmentMatch", "values": ["shared"]], #"it draws by the attribute "email""#),
        (
            ["op": "segmentMatch", "values": ["pro"], "negate": true],
            "the negation of a segment with rules on signals"
        ),
    ]

    private static let segments: JSONNode = [
        "big": ["unbounded": true],
        "circle": ["rules": [["clauses": [["op": "segmentMatch", "values": ["circle"]]]]]],
        "devices": ["excludedContexts": [["contextKind": "device", "values": ["d"]]]],
        "dated": ["rules": [["clauses": [["attribute": "a", "op": "before", "values": [1]]]]]],
        "shared": ["rules": [["clauses": [], "weight": 5, "bucketBy": "email"]]],
        "pro": ["rules": [["clauses": [["attribute": "plan", "op": "in", "values": ["pro"]]]]]],
    ]

    @Test(arguments: inexpressible)
    func aRuleThatCannotBeExpressedIsLeftOutWithAReason(clause: JSONNode, reason: String) throws {
        let names = clause["values"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let segments = Self.segments.objectValue?.filter { names.contains($0.key) } ?? [:]
        let other: JSONNode = ["attribute": "key", "op": "in", "values": ["u"]]
        let result = try flag(
            [
                "rules": [
                    ["variation": 2, "clauses": [other, clause]],
                    ["variation": 3, "clauses": [other]],
                ]
            ], segments: .object(segments))
        #expect(result.template.conditions.map(\.name) == ["f rule 2"])
        let remark =
            result.report.first { $0.path == "flags.f.rules[0].clauses[1]" }
            ?? result.report.first { $0.path == "flags.f.rules[0]" }
        #expect(remark?.message.contains(reason) == true, "\(result.report)")
        #expect(remark?.message.contains("left out") == true)
        #expect(remark?.message.hasSuffix("or else \"b\"") == true, "\(result.report)")
    }

    @Test func settingsShareTheConditionOfASegmentWhereTheirOrdersAllow() throws {
        func match(_ segment: String, _ variation: Int) -> JSONNode {
            [
                "variation": .number("\(variation)"),
                "clauses": [["op": "segmentMatch", "values": [.string(segment)]]],
            ]
        }
        func flag(_ rules: JSONNode...) -> JSONNode {
            ["on": true, "variations": [0, 1, 2, 3], "rules": .array(rules)]
        }
        let result = try imported([
            "flags": [
                "a": flag(match("s", 1), match("t", 2)), "b": flag(match("t", 1), match("s", 2)),
                "c": flag(match("t", 1)),
                "d": flag(
                    [
                        "variation": 3,
                        "clauses": [["attribute": "key", "op": "in", "values": ["u"]]],
                    ], match("t", 2)),
            ],
            "segments": [
                "s": ["included": ["1"]], "t": ["included": ["2"]], "u": ["included": ["3"]],
            ],
        ])
        #expect(
            result.template.conditions.map(\.name) == [
                "segment s", "d rule 1", "segment t", "segment s_2", "segment u",
            ])
        let values = result.template.parameters.mapValues { Array($0.conditionalValues.names) }
        #expect(
            values == [
                "a": ["segment s", "segment t"], "b": ["segment t", "segment s_2"],
                "c": ["segment t"], "d": ["d rule 1", "segment t"],
            ])
    }

    @Test func segmentsContainSegmentsAndShares() throws {
        let result = try rule(
            [["op": "segmentMatch", "values": ["all"]]],
            segments: [
                "all": [
                    "excluded": ["x"],
                    "rules": [
                        ["clauses": [["op": "segmentMatch", "values": ["staff"], "negate": true]]],
                        ["clauses": [], "weight": 12_345],
                    ],
                ],
                "staff": ["included": ["a", "b"]],
            ])
        #expect(
            result.template.conditions.map(\.expression) == [
                "!(user.id in ['x']) && (!(user.id in ['a', 'b']) || true && "
                    + "percent('all') <= 12.345)"
            ])
        #expect(result.report.map(\.path) == ["segments.all.rules[1]"])
    }

    @Test func longListsOfUsersBecomeSeveralConditions() throws {
        let ids = (0..<2_000).map { JSONNode.string("user-\($0)-0123456789") }
        let result = try flag(
            [
                "targets": [["variation": 2, "values": .array(ids)]],
                "rules": [
                    ["variation": 3, "clauses": [["op": "segmentMatch", "values": ["s"]]]],
                    [
                        "variation": 3,
                        "clauses": [["attribute": "key", "op": "in", "values": .array(ids)]],
                    ],
                ],
            ], segments: ["s": ["included": .array(ids)]])
        let conditions = result.template.conditions
        #expect(conditions.count == 12)
        #expect(conditions.map(\.name).prefix(2) == ["f target 1", "f target 1_2"])
        for id in ids {
            #expect(
                conditions.count {
                    $0.expression?.contains("'\(id.stringValue ?? "")'") == true
                } == 3)
        }
    }

    @Test(arguments: [["weight": 99_000], ["variation": .null, "weight": 99_000]] as [JSONNode])
    func aShareWithoutVariationIsNamed(share: JSONNode) throws {
        let rollout: JSONNode = [
            "rollout": ["variations": [["variation": 2, "weight": 1_000], share]]
        ]
        var rule = rollout
        rule.setMember("clauses", [])
        let result = try flag(["fallthrough": rollout, "rules": [rule]])
        #expect(result.template.conditions.isEmpty)
        #expect(result.template.parameters["f"]?.defaultValue == .value("a"))
        #expect(
            result.report.map(\.path) == [
                "flags.f.fallthrough.rollout.variations[1]",
                "flags.f.rules[0].rollout.variations[1]",
            ])
        #expect(
            result.report.allSatisfy {
                $0.message.contains("left out: a share of its rollout has no variation")
            })
    }

    @Test func targetsWithoutVariationAreNamed() throws {
        let result = try flag([
            "targets": [["values": ["u"]], ["variation": .null, "values": ["v"]], ["values": []]]
        ])
        #expect(result.template.conditions.isEmpty)
        #expect(result.report.map(\.path) == ["flags.f.targets[0]", "flags.f.targets[1]"])
        #expect(result.report.allSatisfy { $0.message.hasSuffix(#"or else "b""#) })
    }

    @Test func remarksOnNamesHideNoOthers() throws {
        let renamed = (0..<1_500).map { (key: "a.\($0)", value: JSONNode.number("1")) }
        let clause: JSONNode = ["attribute": "a", "op": "before", "values": [1]]
        let signal: JSONNode = ["attribute": "plan", "op": "in", "values": ["pro"]]
        let result = try imported([
            "flagValues": .object(NamedValues(renamed, uniquingKeysWith: { $1 })),
            "flags": [
                "f": [
                    "on": true, "variations": [1],
                    "rules": [
                        ["variation": 0, "clauses": [clause]],
                        ["variation": 0, "clauses": [signal]],
                    ],
                    "fallthrough": ["variation": 0],
                ]
            ],
        ])
        #expect(
            result.report.prefix(3).map(\.path) == [
                "", "flags.f.rules[0].clauses[0]", #"flagValues["a.0"]"#,
            ])
        #expect(result.report.count == ImportReport.maximumCount + 1)
        #expect(result.report.last?.message.contains("there are 502 more remarks") == true)
    }

    @Test func repeatedValuesAreBounded() {
        let long = JSONNode.string(String(repeating: "x", count: 1 << 20))
        let rules = (0..<20).map { index -> JSONNode in
            let values = JSONNode.array([.string("u\(index)")])
            return [
                "variation": 0, "clauses": [["attribute": "key", "op": "in", "values": values]],
            ]
        }
        let found = problems([
            "flags": ["a": ["on": true, "variations": [long], "rules": .array(rules)]]
        ])
        #expect(found.count == 1)
        #expect(
            found.first?.message.hasPrefix("its values become more than 16777216 bytes") == true)
    }

    @Test func conditionsBeyondTheMaximumAreNotCollected() {
        let share: JSONNode = ["variation": 0, "weight": 1]
        let rollout: JSONNode = [
            "variations": .array((0..<50_000).map { _ in share })
        ]
        let rule: JSONNode = [
            "clauses": [["attribute": "key", "op": "in", "values": ["u"]]],
            "rollout": rollout,
        ]
        let found = problems([
            "flags": ["a": ["on": true, "variations": [1], "rules": [rule, rule]]]
        ])
        #expect(found.first?.message.contains("more than 2000 conditions") == true, "\(found)")
    }

    @Test func theInnermostReasonOfASegmentIsNamedOnce() throws {
        var segments: JSONNode = [
            "s15": ["rules": [["clauses": [["attribute": "a", "op": "before", "values": [1]]]]]]
        ]
        for index in 0..<15 {
            let clause: JSONNode = ["op": "segmentMatch", "values": [.string("s\(index + 1)")]]
            segments.setMember("s\(index)", ["rules": [["clauses": [clause]]]])
        }
        let result = try rule([["op": "segmentMatch", "values": ["s0"]]], segments: segments)
        let message = try #require(
            result.report.first { $0.path == "flags.f.rules[0].clauses[0]" }?.message)
        #expect(
            message.hasPrefix(
                "the rule is left out: the segment \"s0\" cannot be a condition "
                    + "(segments.s15.rules[0].clauses[0]): before compares a date"))
    }

    @Test(arguments: [false, true])
    func theDepthOfSegmentsDoesNotDependOnTheirOrder(isReversed: Bool) throws {
        let indexes = Array(0...20)
        var segments = JSONNode.emptyObject
        for index in isReversed ? indexes.reversed() : indexes {
            let clause: JSONNode = ["op": "segmentMatch", "values": [.string("s\(index + 1)")]]
            segments.setMember(
                "s\(index)", index == 20 ? ["included": ["u"]] : ["rules": [["clauses": [clause]]]])
        }
        let result = try imported(["flags": [:], "segments": segments])
        #expect(result.template.conditions.contains { $0.name == "segment s1" })
        #expect(result.report.map(\.path) == ["segments.s0"])
        #expect(
            result.report.first?.message.contains("more than 20 segments contain each other")
                == true)
    }

    @Test func repeatedSegmentsAreBoundedByTheirLength() throws {
        for texts in [["a"], ["a", "bc"], ["a", "", "ü"]] {
            let expression = TargetingExpression.any(texts.map { TargetingExpression($0) })
            #expect(expression.length == expression.text.utf8.count)
        }
        let users = JSONNode.array((0..<100_000).map { .string("user-\($0)") })
        let names = JSONNode.array((0..<100_000).map { _ in "s" })
        let result = try rule(
            [["op": "segmentMatch", "values": names]], segments: ["s": ["included": users]])
        #expect(
            result.report.first?.message.contains("segments are too long to be repeated") == true)
    }

    @Test func manyTargetsAreOrderedInLinearTime() throws {
        let count = 100_000
        let lists = JSONNode.array(
            (0..<count).map { ["variation": .number("\($0 % 2)"), "values": []] })
        let others = JSONNode.array(
            (0..<count).map { _ in ["variation": 3, "contextKind": "user", "values": []] })
        let result = try flag(["targets": lists, "contextTargets": others])
        #expect(result.template.conditions.isEmpty && result.report.isEmpty)
    }

    @Test func noListOfTargetsIsLostInTheDataOfAnSDK() throws {
        let result = try flag([
            "targets": [
                ["variation": 2, "values": ["a"]], ["variation": 3, "values": ["b"]],
                ["variation": 0, "values": ["c"]],
            ],
            "contextTargets": [
                ["contextKind": "user", "variation": 3, "values": []],
                ["contextKind": "user", "variation": 2, "values": ["d"]],
                ["contextKind": "user", "variation": 1, "values": ["e"]],
            ],
        ])
        #expect(
            result.template.conditions.map(\.expression) == [
                "user.id in ['b']", "user.id in ['a']", "user.id in ['d']", "user.id in ['e']",
            ])
        #expect(result.report.map(\.path) == ["flags.f.targets[2]"])
        #expect(result.report.first?.message.contains("as in LaunchDarkly's SDKs") == true)
    }

    @Test func theSeedOfAKeyDiffersFromANumberedOne() throws {
        func flag(seed: JSONNode) -> JSONNode {
            [
                "on": true, "variations": [1, 2],
                "fallthrough": [
                    "rollout": [
                        "seed": seed,
                        "variations": [
                            ["variation": 0, "weight": 1], ["variation": 1, "weight": 99_999],
                        ],
                    ]
                ],
            ]
        }
        let result = try imported([
            "flags": [
                "seed61": flag(seed: .null), "a": flag(seed: 61), "b": flag(seed: 61),
                "seed-5": flag(seed: .null), "seeds": flag(seed: .null),
            ]
        ])
        #expect(
            result.template.conditions.map(\.expression) == [
                "percent('_seed61') <= 0.001", "percent('seed61') <= 0.001",
                "percent('seed61') <= 0.001", "percent('_seed-5') <= 0.001",
                "percent('seeds') <= 0.001",
            ])
    }

    @Test(
        arguments: [
            ["attribute": "key", "op": "in", "values": []], ["op": "segmentMatch"],
            ["attribute": "plan", "op": "contains", "values": [], "negate": false],
        ] as [JSONNode])
    func aClauseWithoutValuesMatchesNobody(clause: JSONNode) throws {
        let other: JSONNode = ["attribute": "key", "op": "in", "values": ["u"]]
        let clauses: JSONNode = ["clauses": [other, clause]]
        let result = try rule([other, clause])
        #expect(result.template.conditions.isEmpty && result.report.isEmpty)
        let segment = try rule(
            [["op": "segmentMatch", "values": ["s"]]],
            segments: ["s": ["included": ["v"], "rules": [clauses]]])
        #expect(segment.template.conditions.map(\.expression) == ["user.id in ['v']"])
        #expect(segment.report.isEmpty)
    }

    @Test(
        arguments: [
            ["attribute": "key", "op": "in", "values": [], "negate": true],
            ["op": "segmentMatch", "values": [], "negate": true],
        ] as [JSONNode])
    func aNegatedClauseWithoutValuesIsTrueForEveryone(clause: JSONNode) throws {
        let other: JSONNode = ["attribute": "key", "op": "in", "values": ["u"]]
        #expect(try rule([clause]).template.conditions.map(\.expression) == ["true"])
        let result = try rule([clause, other])
        #expect(result.template.conditions.map(\.expression) == ["user.id in ['u']"])
        #expect(result.report.isEmpty)
    }

    private static let unusual:
        [(operation: String, value: JSONNode, isNegated: Bool, message: String?)] = [
            ("semVerEqual", "1.2", false, "compared by LaunchDarkly, but here the clause is not"),
            ("semVerLessThan", "1.2", true, "no version, the negated clause is true in Launch"),
            ("lessThan", 1, true, "where the value is no number, the negated clause is true in"),
            ("greaterThanOrEqual", 1, true, "where the value is no number"),
            ("greaterThan", 1, false, nil), ("contains", "1", true, nil),
        ]

    @Test(arguments: unusual)
    func aRemarkNamesValuesThatCompareOtherwise(
        operation: String, value: JSONNode, isNegated: Bool, message: String?
    ) throws {
        let report = try rule("plan", operation, [value], isNegated: isNegated).report
        let remarks = report.filter { $0.path == "flags.f.rules[0].clauses[0]" }
        #expect(remarks.count == (message == nil ? 0 : 1), "\(report)")
        #expect(remarks.first?.message.contains(message ?? "") != false, "\(report)")
    }

    @Test func theReportAndTheTimeAreBounded() throws {
        let clause: JSONNode = ["attribute": "a", "op": "matches", "values": ["[ab]*a[ab]{400}c"]]
        let rules = (0..<2_000).map { index -> JSONNode in
            var clause = clause
            clause.setMember("attribute", .string("a\(index)"))
            return ["variation": 0, "clauses": [clause]]
        }
        let result = try flag(["rules": .array(rules)])
        #expect(result.report.count == ImportReport.maximumCount + 1)
        #expect(result.template.conditions.count < 100)
        let names = (0..<40).map { "s\($0)" }
        let chained = zip(names, names.dropFirst() + ["s40"]).map { name, next in
            let clause: JSONNode = ["op": "segmentMatch", "values": [.string(next)]]
            let rule: JSONNode = ["clauses": [clause]]
            return (key: name, value: ["rules": [rule, rule]] as JSONNode)
        }
        let segments = NamedValues(
            chained + [(key: "s40", value: ["included": ["u"]])], uniquingKeysWith: { $1 })
        let nested = try rule(
            [["op": "segmentMatch", "values": ["s0"]]], segments: .object(segments))
        #expect(nested.report.contains { $0.message.contains("segments contain each other") })
    }
}
