import HTTPServing
import HTTPTypes
import JSONTree
import Targeting
import TemplateStore
import Templates

/// The route of API 3 that parses condition expressions into their rules.
struct ConditionRoutes: Sendable {
    /// Maximum number of expressions in one request.
    private static let maximumExpressions = 100

    var routes: [Route] {
        [
            Route(
                "/v1/conditions:parse",
                [
                    .post: Endpoint(
                        access: RoleAccess(.viewer, admitsLimitedTokens: true), handler: parse)
                ])
        ]
    }

    /// Returns the syntax tree or the problem of each expression; nothing is stored.
    @Sendable
    private func parse(_ request: RouteRequest) throws -> RouteResponse {
        guard case .array(let nodes)? = try request.jsonBody(knows: ["expressions"])["expressions"]
        else {
            throw RequestError.invalidArgument(
                "expressions is missing or not an array: send {\"expressions\": [\"true\"]}.")
        }
        guard nodes.count <= Self.maximumExpressions else {
            throw RequestError.invalidArgument(
                "There are \(nodes.count) expressions: send at most \(Self.maximumExpressions).")
        }
        var conditions: [JSONNode] = []
        // As for a template, regular expressions are compiled to find their errors, within a
        // budget.
        let budget = ConditionBudget()
        for (index, node) in nodes.enumerated() {
            guard let expression = node.stringValue else {
                throw RequestError.invalidArgument(
                    "expressions[\(index)] is \(node.kindDescription): send a string.")
            }
            do throws(ConditionSyntaxError) {
                let syntax = try ConditionSyntax(expression: expression, budget: budget)
                conditions.append(["tree": syntax.json])
            } catch {
                let problem = TemplateProblem(
                    path: "expressions[\(index)]", message: error.reason, column: error.column)
                conditions.append(["problem": problem.json])
            }
        }
        return .json(["conditions": .array(conditions)])
    }
}

extension ConditionSyntax {
    /// `{"kind": "all", "operands": [{"kind": "rule", "element": "percent", …}]}`.
    fileprivate var json: JSONNode {
        switch self {
        case .constant(let value): ["kind": "constant", "value": .bool(value)]
        case .rule(let rule): rule.json
        case .not(let operand): ["kind": "not", "operands": [operand.json]]
        case .all(let operands): ["kind": "all", "operands": .array(operands.map(\.json))]
        case .any(let operands): ["kind": "any", "operands": .array(operands.map(\.json))]
        }
    }
}

extension RuleSyntax {
    fileprivate var json: JSONNode {
        [
            "kind": "rule", "element": .string(element), "key": key.map { .string($0) } ?? .null,
            "comparison": .string(comparison), "values": .array(values.map { .string($0) }),
            "text": .string(text),
        ]
    }
}
