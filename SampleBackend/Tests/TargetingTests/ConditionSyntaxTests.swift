import Targeting
import Testing

/// Expressions split into their rules.
struct ConditionSyntaxTests {
    @Test(
        arguments: [
            ("user.id == '4\\'2'", ["user.id", "–", "==", "4'2"]),
            ("device.os!='ios'", ["device.os", "–", "!=", "ios"]),
            ("app.id in [ 'a' , 'b' ]", ["app.id", "–", "in", "a", "b"]),
            ("device.country in ['DE']", ["device.country", "–", "in", "DE"]),
            ("app.version.>=(['2.0'])", ["app.version", "–", ">=", "2.0"]),
            ("app.build.contains(['1', '2'])", ["app.build", "–", "contains", "1", "2"]),
            (
                "app.customSignal['plan'].exactlyMatches(['in'])",
                ["app.customSignal", "plan", "exactlyMatches", "in"]
            ),
            ("app.customSignal['n'] <= -.5", ["app.customSignal", "n", "<=", "-.5"]),
            ("app.customSignal['n'] == .25", ["app.customSignal", "n", "==", ".25"]),
            ("version(app.customSignal['v']) > '1.2'", ["version", "v", ">", "1.2"]),
            ("percent <= 12.50", ["percent", "–", "<=", "12.50"]),
            ("percent( 'seed.1' ) > 3", ["percent", "seed.1", ">", "3"]),
            ("percent('s') between 10 and 20.5", ["percent", "s", "between", "10", "20.5"]),
            (
                "dateTime < dateTime('2026-01-31T09:02:30', 'Europe/Lisbon')",
                ["dateTime", "–", "<", "2026-01-31T09:02:30", "Europe/Lisbon"]
            ),
            (
                "app.firstOpenTimestamp >= ('2022-10-31T14:37:47')",
                ["app.firstOpenTimestamp", "–", ">=", "2022-10-31T14:37:47"]
            ),
            (
                "app.audiences.inAtLeastOne(['a'])",
                ["app.audiences", "–", "inAtLeastOne", "a"]
            ),
            ("app.userProperty['k'] >= 3", ["app.userProperty", "k", ">=", "3"]),
        ])
    func aRuleIsSplitIntoItsParts(expression: String, parts: [String]) throws {
        let syntax = try ConditionSyntax(expression: "  \(expression) ")
        guard case .rule(let rule) = syntax else {
            Issue.record("\(syntax) is no rule")
            return
        }
        #expect([rule.element, rule.key ?? "–", rule.comparison] + rule.values == parts)
        #expect(rule.text == expression)
    }

    @Test func theTreeKeepsParenthesesAndOrder() throws {
        let text = "!(true || false) && (percent <= 1 && (percent <= 2 || percent <= 3))"
        func rule(_ number: Int) throws -> ConditionSyntax {
            try ConditionSyntax(expression: "percent <= \(number)")
        }
        let expected = ConditionSyntax.all([
            .not(.any([.constant(true), .constant(false)])),
            .all([try rule(1), .any([try rule(2), try rule(3)])]),
        ])
        #expect(try ConditionSyntax(expression: text) == expected)
    }

    @Test func aWrongExpressionIsRefusedWithItsColumn() {
        let error = #expect(throws: ConditionSyntaxError.self) {
            try ConditionSyntax(expression: "percent('x') < 50")
        }
        #expect(error?.column == 14)
    }
}
