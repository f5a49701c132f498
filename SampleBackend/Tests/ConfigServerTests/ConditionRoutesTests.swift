import InMemoryTemplateStore
import JSONTree
import SeededRandomness
import ServerTestSupport
import Testing

/// Splitting expressions into their rules (API 3).
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct ConditionRoutesTests {
    private static let path = "/v1/conditions:parse"

    @Test func eachExpressionHasItsTreeOrItsProblem() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer(
                "POST", Self.path,
                body: ["expressions": ["device.os == 'ios' && !true", "percent('x') < 50"]])
            #expect(answer.status == 200)
            let conditions = try answer.json["conditions"]?.arrayValue ?? []
            try #require(conditions.count == 2)
            #expect(
                conditions[0] == [
                    "tree": [
                        "kind": "all",
                        "operands": [
                            [
                                "kind": "rule", "element": "device.os", "key": .null,
                                "comparison": "==", "values": ["ios"],
                                "text": "device.os == 'ios'",
                            ],
                            ["kind": "not", "operands": [["kind": "constant", "value": true]]],
                        ],
                    ]
                ])
            #expect(conditions[1]["problem"]?["path"] == "expressions[1]")
            #expect(conditions[1]["problem"]?["column"] == .number("14"))
        }
    }

    @Test func theExpressionsOfARequestShareTheBudgetOfATemplate() async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let expressions = (0..<100).map { number -> JSONNode in
                .string("app.customSignal['s'].matches(['z[ab]*a[ab]{400}c\(number)'])")
            }
            let answer = try await server.administer(
                "POST", Self.path, body: ["expressions": .array(expressions)])
            let conditions = try answer.json["conditions"]?.arrayValue ?? []
            #expect(conditions.count == 100)
            #expect(conditions.first?["tree"] != nil)
            let problem = conditions.last?["problem"]?["message"]?.stringValue
            #expect(problem?.contains("steps a request") == true)
        }
    }

    private static let wrongRequests: [(body: JSONNode, reason: String)] = [
        (.emptyObject, "expressions is missing"),
        (["expressions": [1]], "expressions[0] is a number"),
        (["expressions": .array(Array(repeating: "true", count: 101))], "101 expressions"),
    ]

    @Test(arguments: wrongRequests)
    func aWrongRequestIsRefused(body: JSONNode, reason: String) async throws {
        try await RunningServer.with(store: InMemoryTemplateStore()) { server in
            let answer = try await server.administer("POST", Self.path, body: body)
            #expect(answer.status == 400)
            #expect(try answer.json["error"]?["message"]?.stringValue?.contains(reason) == true)
        }
    }
}
