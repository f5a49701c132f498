import Foundation
import JSONTree
import Testing

@testable import Targeting

/// Texts that the console writes and the server parses; its tests read the same fixtures.
@Suite struct ConsoleFixtureTests {
    /// Elements of the list in a file, or in one of its members; fails if there are none.
    private static func rows(_ file: String, _ member: String? = nil) throws -> [JSONNode] {
        let url = try #require(
            Bundle.module.url(
                forResource: file, withExtension: "json", subdirectory: "Fixtures"))
        let json = try JSONNode(jsonData: try Data(contentsOf: url))
        let list = if let member { json[member] } else { json }
        let rows = try #require(list?.arrayValue)
        try #require(!rows.isEmpty)
        return rows
    }

    /// A rule or a combination of rules, with its text.
    private func syntax(_ tree: JSONNode) throws -> ConditionSyntax {
        func operands() throws -> [ConditionSyntax] {
            try #require(tree["operands"]?.arrayValue).map(syntax)
        }
        switch tree["kind"]?.stringValue {
        case "constant": return .constant(try #require(tree["value"]?.boolValue as Bool?))
        case "not": return .not(try #require(try operands().first))
        case "all": return .all(try operands())
        case "any": return .any(try operands())
        default:
            return .rule(
                RuleSyntax(
                    element: try #require(tree["element"]?.stringValue),
                    key: tree["key"]?.stringValue,
                    comparison: try #require(tree["comparison"]?.stringValue),
                    values: try #require(tree["values"]?.arrayValue).compactMap(\.stringValue),
                    text: try #require(tree["text"]?.stringValue)))
        }
    }

    @Test func aConditionIsReadAsTheConsoleHasWrittenIt() throws {
        for row in try Self.rows("written-conditions") {
            let text = try #require(row["text"]?.stringValue)
            let tree = try syntax(try #require(row["tree"]))
            #expect(try ConditionSyntax(expression: text) == tree, "\(text)")
        }
    }

    @Test func aPercentageIsReadAndWrittenAsByTheConsole() throws {
        for row in try Self.rows("percent-texts", "numbers") {
            let micro = try #require(row["micro"]?.integerValue)
            let text = try #require(row["text"]?.stringValue)
            #expect(Percentile.percentText(micro) == text)
            var parser = try ConditionParser(text, budget: ConditionBudget())
            #expect(try parser.parsePercentage() == micro)
        }
    }

    /// Texts of the numbers of the `percent` rules.
    private func percentages(_ syntax: ConditionSyntax) -> [String] {
        switch syntax {
        case .constant: []
        case .not(let operand): percentages(operand)
        case .all(let operands), .any(let operands): operands.flatMap(percentages)
        case .rule(let rule): rule.element == "percent" ? rule.values : []
        }
    }

    @Test func theConsoleFindsTheNumbersOfPercentages() throws {
        for row in try Self.rows("percent-texts", "expressions") {
            let expression = try #require(row["expression"]?.stringValue)
            let numbers = try #require(row["numbers"]?.arrayValue).compactMap(\.stringValue)
            let syntax = try ConditionSyntax(expression: expression)
            #expect(percentages(syntax) == numbers, "\(expression)")
        }
    }

    @Test func aSignalOfAPreviewIsTheOneOfTheQuery() throws {
        for row in try Self.rows("signal-names") {
            let query = try #require(row["query"]?.stringValue)
            let short = try #require(row["short"]?.stringValue)
            #expect(SignalName(queryName: query) == SignalName(query))
            #expect(SignalName(short) == SignalName(query), "\(query)")
            #expect(SignalName(query)?.queryName == query)
        }
    }
}
