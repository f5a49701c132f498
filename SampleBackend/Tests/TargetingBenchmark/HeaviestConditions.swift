import Foundation
import JSONTree
import Targeting

/// The slowest conditions that one template may have.
enum HeaviestConditions {
    /// Kind of condition: as many conditions as a budget allows, with the contexts to evaluate.
    typealias Case = (
        name: String, conditions: [TargetingCondition], contexts: [TargetingContext]
    )

    /// Maximum number of conditions in a template.
    private static let maximumCount = 2_000

    /// All kinds of conditions, each with the signal that makes it slowest.
    static func all() -> [Case] {
        let letters = String(repeating: "ab", count: 250)
        let kana = String(repeating: "あé", count: 250)
        return [
            fill("states", text: letters) { matches("z?[ab]*a[ab]{\(400 + $0 % 9)}c\($0)") },
            fill("short patterns", text: letters) { matches("[ab]*a[ab]{12}c\($0)") },
            fill("optional parts", text: String(repeating: "a", count: 500)) {
                matches("(?:(?:a?){100}){9}b|zz\($0)")
            },
            fill("classes", text: kana) { matches("([\\p{L}\($0)]\\p{Lo}?){30}[\\p{Nd}\($0)]") },
            fill("tables", text: kana) { matches("[\\p{L}\($0)]{2}\\p{Nd}x\($0)") },
            fill("anchors", text: String(repeating: "a ", count: 250)) {
                matches("(?:\\b|\\B)(?:a?\\b ?){\(300 + $0 % 7)}x\($0)")
            },
            fill("parts", text: String(repeating: "a", count: 500)) { number in
                let parts = (0..<100).map {
                    "'\(String(repeating: "a", count: 100 + $0))b\(number)'"
                }
                return "app.customSignal['s'].contains([\(parts.joined(separator: ", "))])"
            },
            fill("seeds", text: letters) { number in
                (0..<100).map { "percent('s\(number)-\($0)') > 100" }.joined(separator: " || ")
            },
            fill("signals", text: letters) { number in
                (0..<100).map { "app.customSignal['s\(number)-\($0)'] > 1" }
                    .joined(separator: " || ")
            },
            fill("lists", text: letters) { number in
                (0..<50).map { rule in
                    let items = (0..<10).map { "'\(number)-\(rule)-\($0)'" }
                    return "app.customSignal['s'].exactlyMatches([\(items.joined(separator: ","))])"
                }.joined(separator: " || ")
            },
        ]
    }

    /// Condition that searches for a regular expression.
    private static func matches(_ pattern: String) -> String {
        "app.customSignal['s'].matches(['\(pattern)'])"
    }

    /// Adds conditions until the budget is used up, or the maximum number is reached.
    private static func fill(
        _ name: String, text: String, _ expression: (Int) -> String
    ) -> Case {
        let budget = ConditionBudget()
        var conditions: [TargetingCondition] = []
        while conditions.count < maximumCount,
            let condition = try? TargetingCondition(
                expression: expression(conditions.count), budget: budget)
        {
            conditions.append(condition)
        }
        let context = TargetingContext(
            userID: "user-1234567890", signals: Signals(custom: ["s": text]),
            date: Date(timeIntervalSince1970: 1_800_000_000))
        return (name, conditions, [context])
    }
}
