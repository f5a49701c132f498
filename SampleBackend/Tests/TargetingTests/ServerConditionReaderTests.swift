import Foundation
import JSONTree
import Targeting
import Testing

struct ServerConditionReaderTests {
    @Test(arguments: [
        ("[]", "", "expected an object, found an array"),
        (#"{"orCondition": 1}"#, "orCondition", "expected an object, found a number"),
        (
            #"{"orCondition": {"conditions": {}}}"#, "orCondition.conditions",
            "expected an array, found an object"
        ),
        (
            #"{"orCondition": {"conditions": [{}, {"andCondition": {"conditions": [true]}}]}}"#,
            "orCondition.conditions[1].andCondition.conditions[0]",
            "expected an object, found a boolean"
        ),
        (#"{"true": true}"#, "true", "expected an object, found a boolean"),
        (
            #"{"percent": {"percentOperator": 1}}"#, "percent.percentOperator",
            "expected a string, found a number"
        ),
        (
            #"{"percent": {"microPercent": "1"}}"#, "percent.microPercent",
            "expected a number, found a string"
        ),
        (
            #"{"percent": {"microPercent": 100000001}}"#, "percent.microPercent",
            "expected millionths of a percent from 0 to 100000000"
        ),
        (
            #"{"customSignal": {"targetCustomSignalValues": ["a", null]}}"#,
            "customSignal.targetCustomSignalValues[1]", "expected a string, found null"
        ),
        (
            #"{"customSignal": {"customSignalOperator": "STRING_CONTAINS_REGEX", "customSignalKey": "k", "targetCustomSignalValues": ["a", "b("]}}"#,
            "customSignal.targetCustomSignalValues[1]",
            "character 2 of the regular expression: this '(' has no ')'"
        ),
    ])
    func aWrongConditionIsRefusedWithItsPath(json: String, path: String, reason: String) throws {
        let node = try JSONNode(jsonData: Data(json.utf8))
        let error = #expect(throws: ServerConditionError.self) {
            try TargetingCondition(serverCondition: node)
        }
        #expect(error?.path == path)
        #expect(error?.reason == reason)
    }

    @Test func theReaderSurvivesDeepNesting() throws {
        var node: JSONNode = ["true": [:]]
        for _ in 0..<200 { node = ["andCondition": ["conditions": [node]]] }
        let set = ConditionSet([try TargetingCondition(serverCondition: node)])
        let context = TargetingContext(userID: "1", date: Date(timeIntervalSince1970: 0))
        #expect(!set.evaluate(context)[0])
    }
    @Test(arguments: ["STRING_*", "SEMANTIC_VERSION_EQUAL"])
    func aReasonQuotesNoMoreThanTheBeginningOfAText(pattern: String) throws {
        let long = String(repeating: "1.", count: 5_000)
        let signal: JSONNode = [
            "customSignalOperator": .string(pattern.replacing("*", with: long)),
            "customSignalKey": "k", "targetCustomSignalValues": [.string(long)],
        ]
        let condition = try TargetingCondition(serverCondition: ["customSignal": signal])
        let context = TargetingContext(userID: "1", date: Date(timeIntervalSince1970: 0))
        let reason = try #require(ConditionSet([condition]).explain(0, in: context).reason)
        #expect(reason.contains("…"))
        #expect(reason.utf8.count < 200)
    }
}
