import Foundation
import JSONTree
import Targeting
import Testing

struct VectorTests {
    /// Evaluates a server condition.
    private func evaluate(
        _ condition: JSONNode, id: String? = nil, custom: [ExactText: String] = [:],
        forced: Int? = nil
    ) throws -> Bool {
        let set = ConditionSet([try TargetingCondition(serverCondition: condition)])
        let context = TargetingContext(
            userID: id, signals: Signals(custom: custom), date: Date(timeIntervalSince1970: 0))
        let result =
            if let forced {
                set.evaluate(context, forcedPercentile: forced)[0]
            } else {
                set.evaluate(context)[0]
            }
        if forced == nil { #expect(set.explain(0, in: context).isTrue == result) }
        return result
    }

    @Test func theEvaluatorFollowsTheStructure() throws {
        for vector in try Vectors.list("structure") {
            let condition = try #require(vector["condition"])
            let expected = try #require(vector["expected"]?.boolValue as Bool?)
            #expect(try evaluate(condition, id: "123") == expected, "\(vector)")
        }
    }

    @Test(arguments: ["percent", "percentForced"])
    func theEvaluatorFollowsPercent(list: String) throws {
        for vector in try Vectors.list(list) {
            let percent: JSONNode = ["percent": try #require(vector["percent"])]
            let result = try evaluate(
                Vectors.wrapped(percent, vector["wrap"]?.stringValue),
                id: Vectors.id(vector["randomizationId"]),
                forced: vector["forcedPercentile"]?.integerValue)
            #expect(result == vector["expected"]?.boolValue, "\(vector)")
        }
    }

    @Test func theEvaluatorComputesThePercentiles() throws {
        for vector in try Vectors.list("percentiles") {
            let seed = try #require(vector["seed"]?.stringValue)
            let id = try #require(Vectors.id(vector["randomizationId"]))
            let expected = vector["microPercentile"]?.integerValue
            #expect(Percentile.micro(seed: seed, id: id) == expected, "\(vector)")
        }
    }

    @Test func theEvaluatorSpreadsUsersEvenly() throws {
        let cases = try Vectors.list("percentStatistical", "cases")
        let conditions = try cases.map { vector in
            let percent = try #require(vector["percent"])
            return try TargetingCondition(serverCondition: [
                "percent": [
                    "percentOperator": try #require(percent["percentOperator"]),
                    "microPercent": percent["microPercent"] ?? .null,
                    "microPercentRange": percent["microPercentRange"] ?? .null,
                    "seed": "seed",
                ]
            ])
        }
        let set = ConditionSet(conditions)
        var counts = Array(repeating: 0, count: cases.count)
        for user in 0..<100_000 {
            let context = TargetingContext(
                userID: "user-\(user)", date: Date(timeIntervalSince1970: 0))
            let results = set.evaluate(context)
            for index in counts.indices where results[index] { counts[index] += 1 }
        }
        for (vector, count) in zip(cases, counts) {
            let expected = try #require(vector["expectedTrue"]?.integerValue)
            let tolerance = try #require(vector["tolerance"]?.integerValue)
            #expect(abs(count - expected) <= tolerance, "\(vector): \(count)")
        }
    }

    @Test func theEvaluatorFollowsCustomSignals() throws {
        for vector in try Vectors.list("customSignal", "cases") {
            let expected = try #require(vector["expected"]?.boolValue as Bool?)
            let targets = try #require(vector["targets"]?.arrayValue).compactMap(\.stringValue)
            let actual = Vectors.signal(vector["actual"])
            var variants = [(targets, actual)]
            if vector["whitespaceVariant"]?.boolValue == true {
                variants.append((targets.map { "   \($0) " }, actual.map { " \($0)  " }))
            }
            for (targets, actual) in variants {
                let condition: JSONNode = [
                    "customSignal": [
                        "customSignalOperator": try #require(vector["operator"]),
                        "customSignalKey": "user_prop",
                        "targetCustomSignalValues": .array(targets.map { .string($0) }),
                    ]
                ]
                let result = try evaluate(
                    Vectors.wrapped(condition, "or_and"),
                    custom: actual.map { ["user_prop": $0] } ?? [:])
                #expect(result == expected, "\(vector) \(targets) \(actual ?? "nil")")
            }
        }
        for vector in try Vectors.list("customSignal", "special") {
            let condition: JSONNode = ["customSignal": try #require(vector["customSignal"])]
            let result = try evaluate(Vectors.wrapped(condition, "or_and"))
            #expect(result == vector["expected"]?.boolValue, "\(vector)")
        }
    }

    @Test func theEvaluatorAcceptsAndRefusesTheExpressions() throws {
        for vector in try Vectors.list("expressionSyntax", "valid") {
            let expression = try #require(vector.stringValue)
            #expect(throws: Never.self) { try TargetingCondition(expression: expression) }
        }
        for vector in try Vectors.list("expressionSyntax", "invalid") {
            let expression = try #require(vector.stringValue)
            #expect(throws: ConditionSyntaxError.self, "\(expression)") {
                try TargetingCondition(expression: expression)
            }
        }
    }

    @Test func theEvaluatorEvaluatesTheConditionsOfServerTemplates() throws {
        var count = 0
        for vector in try Vectors.list("serverTemplate") {
            for condition in vector["conditions"]?.arrayValue ?? [] {
                let node = try #require(condition["condition"])
                #expect(throws: Never.self) { try TargetingCondition(serverCondition: node) }
                count += 1
            }
        }
        #expect(count > 0)
    }
}
