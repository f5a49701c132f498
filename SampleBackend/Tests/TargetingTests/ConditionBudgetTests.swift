import Foundation
import JSONTree
import Testing

@testable import Targeting

struct ConditionBudgetTests {
    /// Regular expression with more states than the table can hold.
    private static func heavyPattern(_ number: Int) -> String { "z[ab]*a[ab]{400}c\(number)" }

    /// Condition that searches a signal for a regular expression.
    private static func expression(_ pattern: String, in signal: String = "s") -> String {
        "app.customSignal['\(signal)'].matches(['\(pattern)'])"
    }

    @Test func theBudgetRefusesWhatIsOverTheBudgetOfTheTemplate() throws {
        let budget = ConditionBudget()
        var accepted = 0
        let error = #expect(throws: ConditionSyntaxError.self) {
            for number in 0..<500 {
                let text = "true && " + Self.expression(Self.heavyPattern(number))
                _ = try TargetingCondition(expression: text, budget: budget)
                accepted += 1
            }
        }
        // Each takes about 400 steps for each of 500 characters.
        #expect((20..<60).contains(accepted))
        #expect(error?.column == 41)
        #expect(error?.reason.contains("more than 10000000 steps a request; use fewer") == true)
    }

    @Test func theBudgetTakesNothingForWhatWasLookedForBefore() throws {
        let budget = ConditionBudget()
        _ = try TargetingCondition(
            expression: Self.expression(Self.heavyPattern(0)), budget: budget)
        let (steps, size) = (budget.steps, budget.size)
        for _ in 0..<1_000 {
            _ = try TargetingCondition(
                expression: Self.expression(Self.heavyPattern(0)), budget: budget)
        }
        // The remaining work for each of them is to read the result.
        #expect(budget.steps > steps - 1_000 * 200)
        #expect(budget.size == size)
        _ = try TargetingCondition(
            expression: Self.expression(Self.heavyPattern(0), in: "t"), budget: budget)
        #expect(budget.steps < steps - 1_000 * 100 - 400 * 500)
        #expect(budget.size == size)
    }

    @Test func theBudgetAllowsThousandsOfOrdinaryExpressions() throws {
        let budget = ConditionBudget()
        for number in 0..<4_000 {
            let patterns = [
                "^[\\w.-]+@example-\(number)\\.(com|org)$", "^(?i)campaign[-_ ]?\(number)\\b",
                "\\d{4}-\\d{2}-\(number)", "^/products/\(number)(/.*)?$",
            ]
            _ = try TargetingCondition(
                expression: Self.expression(patterns[number % 4]), budget: budget)
        }
    }

    @Test(arguments: [
        "(?:(?:a?){100}){49}b", "(?:(?:a{100}){100}){100}", String(repeating: "\\pL", count: 200),
    ])
    func theBudgetTakesAPublishedConditionThatIsTooLargeForFalse(pattern: String) throws {
        let expression = "!" + Self.expression(pattern) + " || true"
        let error = #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(expression: expression)
        }
        #expect(error?.reason.hasPrefix("in the regular expression: ") == true)
        let published = try TargetingCondition(
            expression: expression, budget: ConditionBudget(isPublished: true))
        guard pattern != "(?:(?:a?){100}){49}b" else {
            // RE2 refuses this pattern, but it fits into the budget, so it is still evaluated.
            #expect(published.excess == nil)
            return
        }
        #expect(published.excess?.hasPrefix("in the regular expression: it") == true)
        let set = ConditionSet([published])
        let context = TargetingContext(
            userID: "1", signals: Signals(custom: ["s": "a"]), date: Date(timeIntervalSince1970: 0))
        #expect(!set.evaluate(context)[0])
        #expect(
            set.explain(0, in: context).reason == "the condition takes too much time or memory")
    }

    @Test func theBudgetTakesPublishedConditionsOverTheBudgetForFalse() throws {
        let budget = ConditionBudget(isPublished: true)
        let conditions = try (0..<500).map { number in
            try TargetingCondition(
                expression: "true || " + Self.expression(Self.heavyPattern(number)), budget: budget)
        }
        let set = ConditionSet(conditions)
        let results = set.evaluate(
            TargetingContext(userID: "1", date: Date(timeIntervalSince1970: 0)))
        for index in conditions.indices {
            #expect(results[index] == (conditions[index].excess == nil))
        }
        #expect(results[0])
        #expect(!results[499])
    }

    @Test func theParserCountsTheScalarsOfAnExpression() throws {
        func expression(_ count: Int) -> String {
            "user.id == 'e" + String(repeating: "\u{301}", count: count - 14) + "'"
        }
        #expect(expression(16_384).unicodeScalars.count == 16_384)
        #expect(throws: Never.self) { try TargetingCondition(expression: expression(16_384)) }
        let error = #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(expression: expression(16_385))
        }
        #expect(error?.column == 16_385)
        let published = try TargetingCondition(
            expression: expression(16_385), budget: ConditionBudget(isPublished: true))
        #expect(published.excess?.hasPrefix("the expression is longer than 16384") == true)
        // It is never true, but a promotion must still leave it behind.
        #expect(published.namesUsers)
    }

    @Test func theParserCountsTheScalarsOfASignalsName() throws {
        func expression(_ marks: Int) -> String {
            "app.customSignal['e\(String(repeating: "\u{301}", count: marks))'] > 0"
        }
        #expect(throws: Never.self) { try TargetingCondition(expression: expression(249)) }
        let error = #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(expression: expression(250))
        }
        #expect(error?.column == 18)
    }

    @Test func anErrorShowsLittleOfWhatIsWrong() {
        let error = #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(
                expression: "user.id == e" + String(repeating: "\u{301}", count: 10_000))
        }
        #expect(error?.description.unicodeScalars.count ?? .max < 200)
    }

    @Test func theBudgetBoundsTheConditionsOfServersAsFirebaseDoes() throws {
        func compound(_ count: Int) -> JSONNode {
            ["orCondition": ["conditions": .array(Array(repeating: ["true": [:]], count: count))]]
        }
        func signal(_ count: Int) -> JSONNode {
            [
                "customSignal": [
                    "customSignalOperator": "STRING_CONTAINS", "customSignalKey": "k",
                    "targetCustomSignalValues": .array(Array(repeating: "a", count: count)),
                ]
            ]
        }
        for (make, path) in [
            (compound, "orCondition.conditions"),
            (signal, "customSignal.targetCustomSignalValues"),
        ] {
            #expect(throws: Never.self) { try TargetingCondition(serverCondition: make(100)) }
            let error = #expect(throws: ServerConditionError.self) {
                try TargetingCondition(serverCondition: make(101))
            }
            #expect(error?.path == path)
            #expect(error?.reason.contains("use at most 100") == true)
            let published = try TargetingCondition(
                serverCondition: make(101), budget: ConditionBudget(isPublished: true))
            #expect(published.excess == error?.reason)
        }
    }

    @Test func aSearchFindsPartsAsTheyStand() {
        let parts = ["", "a", "ab", "aab", "aaab", "abab", "é", "b\u{301}"]
        var searches = TextSearches()
        for part in parts { searches.append(part) }
        for (index, part) in parts.enumerated() {
            for text in ["", "a", "aaaab", "abaabab", "caféb\u{301}", "aabaaab", "ababab"] {
                let range = Array(text.utf8).indices.contains { start in
                    text.utf8.dropFirst(start).starts(with: part.utf8)
                }
                #expect(
                    searches.isFound(index, in: text) == (range || part.isEmpty),
                    "\(part) in \(text)")
            }
        }
        searches.append(String(repeating: "a", count: 2_001))
        #expect(!searches.isFound(parts.count, in: String(repeating: "a", count: 3_000)))
    }

    @Test func anEvaluationBoundsWhatIsHashed() throws {
        // Not all of the 300 seeds with an ID of 100 kB are hashed, and nothing traps.
        let rules = (0..<300).map { "percent('seed-\($0)') > 100" }
        let set = ConditionSet([
            try TargetingCondition(expression: rules.joined(separator: " || ")),
            try TargetingCondition(expression: "percent('last') <= 100"),
        ])
        func results(_ length: Int) -> Bool {
            set.evaluate(
                TargetingContext(
                    userID: String(repeating: "u", count: length),
                    date: Date(timeIntervalSince1970: 0)))[1]
        }
        #expect(results(1_000))
        #expect(!results(100_000))
    }
}
