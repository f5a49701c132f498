import Foundation
import JSONTree
import SeededRandomness
import Targeting
import Testing

struct ServerConditionWriterTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static func written(
        _ expression: String
    ) throws -> (json: JSONNode?, remarks: [String]) {
        try TargetingCondition(expression: expression).serverCondition(at: date)
    }

    /// A rule on a custom signal.
    private static func signal(_ name: String, _ key: String, _ targets: JSONNode) -> JSONNode {
        [
            "customSignal": [
                "customSignalOperator": .string(name), "customSignalKey": .string(key),
                "targetCustomSignalValues": targets,
            ]
        ]
    }

    private static func all(_ nodes: JSONNode...) -> JSONNode {
        ["andCondition": ["conditions": .array(nodes)]]
    }

    private static func any(_ nodes: JSONNode...) -> JSONNode {
        ["orCondition": ["conditions": .array(nodes)]]
    }

    /// A condition that is false for everyone.
    private static let never: JSONNode = [
        "percent": [
            "percentOperator": "BETWEEN",
            "microPercentRange": ["microPercentLowerBound": 0, "microPercentUpperBound": 0],
        ]
    ]

    private static func percent(
        _ name: String, _ bound: JSONNode, seed: JSONNode? = "s"
    ) -> JSONNode {
        var members: JSONNode = ["percentOperator": .string(name)]
        members.setMember("seed", seed)
        members.setMember("microPercent", bound)
        return ["percent": members]
    }

    private static let plan = "app.customSignal['plan']"

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let expression: String
        let json: JSONNode?
        let reason: String

        init(_ name: String, _ row: (expression: String, json: JSONNode?, reason: String)) {
            (self.name, expression, json, reason) = (name, row.expression, row.json, row.reason)
        }

        init(_ name: String, _ row: (expression: String, json: JSONNode?)) {
            self.init(name, (row.expression, row.json, ""))
        }

        var testDescription: String { name }
    }

    static let rules: [Row] = [
        .init("percent", ("percent('s') <= 12.5", percent("LESS_OR_EQUAL", 12_500_000))),
        .init("no seed", ("percent > 10", percent("GREATER_THAN", 10_000_000, seed: nil))),
        .init("negated percent", ("!(percent('s') <= 10)", percent("GREATER_THAN", 10_000_000))),
        .init(
            "between",
            (
                "percent('s') between 10 and 20",
                [
                    "percent": [
                        "percentOperator": "BETWEEN", "seed": "s",
                        "microPercentRange": [
                            "microPercentLowerBound": 10_000_000,
                            "microPercentUpperBound": 20_000_000,
                        ],
                    ]
                ]
            )),
        .init(
            "negated between",
            (
                "!(percent('s') between 10 and 20)",
                any(percent("LESS_OR_EQUAL", 10_000_000), percent("GREATER_THAN", 20_000_000))
            )),
        .init(
            "texts",
            (
                "\(plan).exactlyMatches(['gold', 'team'])",
                signal("STRING_EXACTLY_MATCHES", "plan", ["gold", "team"])
            )),
        .init(
            "another text",
            (
                "!(\(plan).exactlyMatches(['a.']))",
                signal(
                    "STRING_CONTAINS_REGEX", "plan",
                    [#"^(?:$|[^a]|a(?:$|[^\.]|\.(?:[\s\S])))[\s\S]*"#])
            )),
        .init(
            "a text with white space around it",
            (
                "\(plan).exactlyMatches([' a ', 'b'])",
                any(
                    signal("STRING_EXACTLY_MATCHES", "plan", ["b"]),
                    signal("STRING_CONTAINS_REGEX", "plan", ["^ a $"]))
            )),
        .init(
            "a part of a text",
            ("\(plan).contains(['a'])", signal("STRING_CONTAINS", "plan", ["a"]))),
        .init(
            "no part of a text",
            ("\(plan).notContains(['a'])", signal("STRING_DOES_NOT_CONTAIN", "plan", ["a"]))),
        .init(
            "negated method",
            ("!(\(plan).notContains(['a']))", signal("STRING_CONTAINS", "plan", ["a"]))),
        .init(
            "regular expression",
            (
                #"\#(plan).matches(['(?i)k\d+$', '[[:^alpha:]]'])"#,
                signal(
                    "STRING_CONTAINS_REGEX", "plan",
                    [
                        "^[\\s\\S]*[Kk\u{212A}][0-9]+$",
                        #"^[\s\S]*[^A-Za-z][\s\S]*"#,
                    ])
            )),
        .init("number", ("\(plan) >= 1.50", signal("NUMERIC_GREATER_EQUAL", "plan", ["1.5"]))),
        .init("negated number", ("!(\(plan) == 1)", signal("NUMERIC_NOT_EQUAL", "plan", ["1"]))),
        .init(
            "version",
            ("version(\(plan)) < '1.2.0'", signal("SEMANTIC_VERSION_LESS_THAN", "plan", ["1.2"]))),
        .init(
            "version of the app",
            (
                "app.version.>=(['2.0'])",
                signal("SEMANTIC_VERSION_GREATER_EQUAL", "app.version", ["2"])
            )),
        .init(
            "system",
            ("device.os == 'ios'", signal("STRING_EXACTLY_MATCHES", "device.os", ["ios"]))),
        .init(
            "language",
            (
                "device.language in ['pt-BR']",
                signal(
                    "STRING_CONTAINS_REGEX", "device.language",
                    [#"^[Pp][Tt][\-_][Bb][Rr](?:$|[\-_])[\s\S]*"#])
            )),
        .init(
            "user",
            (
                "user.id == '7'",
                any(
                    signal("STRING_EXACTLY_MATCHES", "randomization_id", ["7"]),
                    signal("STRING_EXACTLY_MATCHES", "randomizationId", ["7"]),
                    signal("STRING_EXACTLY_MATCHES", "randomizationID", ["7"]))
            )),
        .init(
            "a custom signal with the name of another",
            (
                "app.customSignal['device.os'].contains(['a'])",
                signal("STRING_CONTAINS", "signal.device.os", ["a"])
            )),
        .init("time that has come", ("dateTime >= dateTime('2020-01-01T00:00:00')", nil)),
        .init("time to come", ("dateTime > dateTime('2090-01-01T00:00:00')", never)),
        .init("an element that is not evaluated", ("app.audiences.inAll(['a'])", never)),
        .init("its opposite", ("!app.audiences.inAll(['a'])", never)),
        .init(
            "a part that is always false",
            (
                "dateTime > dateTime('2090-01-01T00:00:00') && \(plan) == 1 || \(plan) == 2",
                signal("NUMERIC_EQUAL", "plan", ["2"])
            )),
        .init(
            "the opposite of a conjunction",
            (
                "!(\(plan) == 1 && (percent('s') <= 10 || true && \(plan).contains(['a'])))",
                any(
                    signal("NUMERIC_NOT_EQUAL", "plan", ["1"]),
                    all(
                        percent("GREATER_THAN", 10_000_000),
                        signal("STRING_DOES_NOT_CONTAIN", "plan", ["a"])))
            )),
    ]

    @Test(arguments: rules)
    func aRuleIsWrittenWithoutRemark(row: Row) throws {
        let (json, remarks) = try Self.written(row.expression)
        #expect(json == row.json, "\(String(describing: json))")
        #expect(remarks == [])
    }

    static let omissions: [Row] = [
        .init(
            "negated regular expression",
            ("!(\(plan).matches(['a']))", never, "a regular expression cannot be negated")),
        .init(
            "line breaks",
            (#"\#(plan).matches(['(?m)^a'])"#, never, "means something else")),
        .init(
            "characters that JavaScript takes for two",
            (#"\#(plan).matches(['\pL'])"#, never, "means something else")),
        .init(
            "six numbers", ("app.version.==(['1.2.3.4.5.6'])", never, "at most 5 numbers")),
        .init(
            "long text",
            (
                "user.id != '\(String(repeating: "a", count: 61))'", never,
                "cannot be compared"
            )),
        .init(
            "one of two",
            (
                "\(plan).matches(['(?m)^a']) || \(plan) == 1",
                signal("NUMERIC_EQUAL", "plan", ["1"]), "means something else"
            )),
        .init(
            "one of two, negated",
            ("!(\(plan).matches(['a']) || \(plan) == 1)", never, "cannot be negated")),
    ]

    @Test(arguments: omissions)
    func aRuleWithoutCounterpartIsFalseAndNamed(row: Row) throws {
        let (json, remarks) = try Self.written(row.expression)
        #expect(json == row.json, "\(String(describing: json))")
        #expect(remarks.count == 1)
        #expect(remarks.first?.contains(row.reason) == true, "\(remarks)")
    }

    @Test func aConditionThatIsNestedTooDeepIsFalseThereAndNamed() throws {
        let a = "app.customSignal['a'] == 1"
        let deep = "\(a) && (\(a) || (\(a) && (\(a) || (\(a) && \(a)))))"
        let (json, remarks) = try Self.written(deep)
        let rule = Self.signal("NUMERIC_EQUAL", "a", ["1"])
        // The last `or` has one operand that is left.
        #expect(json == Self.all(rule, Self.any(rule, Self.all(rule, rule))))
        #expect(remarks.count == 1)
        #expect(remarks.first?.contains("four levels") == true)
    }

    @Test func longListsAreSplit() throws {
        let texts = (0..<250).map { "'t\($0)'" }.joined(separator: ", ")
        let (json, remarks) = try Self.written("\(Self.plan).exactlyMatches([\(texts)])")
        let rules = try #require(json?["orCondition"]?["conditions"]?.arrayValue)
        let counts = rules.map {
            $0["customSignal"]?["targetCustomSignalValues"]?.arrayValue?.count
        }
        #expect(counts == [100, 100, 50])
        let rows = (0..<150).map { "\(Self.plan) == \($0)" }.joined(separator: " || ")
        let many = try Self.written(rows)
        let parts = try #require(many.json?["orCondition"]?["conditions"]?.arrayValue)
        #expect(parts.map { $0["orCondition"]?["conditions"]?.arrayValue?.count } == [100, 50])
        #expect(remarks + many.remarks == [])
    }

    /// ``ServerConditionReader`` evaluates as Firebase's library for Node.js does.
    @Test func aWrittenConditionHasTheSameResultForAnyUser() throws {
        var generator = ConditionGenerator(seed: 20_261_129)
        var counts = (same: 0, true: 0, omitted: 0)
        for _ in 0..<3_000 {
            let expression = generator.expression(depth: 3)
            let condition = try TargetingCondition(expression: expression)
            let context = generator.context()
            let (json, remarks) = condition.serverCondition(at: context.date)
            let reread = try json.map { try TargetingCondition(serverCondition: $0) }
            let expected = ConditionSet([condition]).evaluate(context)[0]
            let user = Self.libraryContext(context)
            let result = reread.map { ConditionSet([$0]).evaluate(user)[0] } ?? true
            if remarks.isEmpty {
                #expect(
                    result == expected,
                    "\(expression) as \(String(describing: json)) for \(context)")
                counts.same += 1
                if result { counts.true += 1 }
            } else {
                #expect(
                    expected || !result,
                    "\(expression) as \(String(describing: json)) for \(context)")
                counts.omitted += 1
            }
        }
        #expect(counts.same > 2_000 && counts.true > 500 && counts.omitted > 50, "\(counts)")
    }

    /// A user as a library has it, all of whose values are custom signals.
    private static func libraryContext(_ context: TargetingContext) -> TargetingContext {
        var custom: [ExactText: String] = [:]
        for name in SignalName.standard + context.signals.custom.map({ .custom($0.key) }) {
            let key = if case .custom(let text) = name { text.text } else { name.queryName }
            custom[ExactText(key)] = context.signals[name]
        }
        custom["randomizationId"] = context.userID
        return TargetingContext(
            userID: context.userID, signals: Signals(custom: custom), date: .distantPast)
    }
}
