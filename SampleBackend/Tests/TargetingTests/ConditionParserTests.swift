import Foundation
import SeededRandomness
import Targeting
import Testing

struct ConditionParserTests {
    /// Valid expressions with every element and operator.
    static let accepted = [
        "true", "false", " true ", "true&&false", "!true", "!!false", "(true)", "( true || false )",
        "app.id == '1:2:ios:3'", "app.id != 'a'", "app.id in ['a', 'b']", "app.id in ['a','b']",
        "app.version.<(['1.0'])", "app.version.<=(['1.0'])", "app.version.>(['1.0'])",
        "app.version.>=(['1.0'])", "app.version.==(['1.0'])", "app.version.!=(['1.0'])",
        "app.version.contains(['a', 'b'])", "app.version.notContains(['a'])",
        "app.version.exactlyMatches(['a'])", "app.version.matches(['^1\\.[0-9]+$'])",
        "app.build.>=(['202611210815'])", "app.build.==( [ '1' ] )", "app.version.<(['1..2'])",
        "app.userProperty['k'] == 1", "app.userProperty['k'] != -0.25",
        "app.userProperty['k'].contains(['a'])", "app.customSignal['k'] >= +5",
        "app.customSignal['k'] <= .5", "app.customSignal['k']<5",
        "app.customSignal['k'].matches(['a|b'])", "app.customSignal['it\\'s'].contains(['\\\\'])",
        "version(app.customSignal['k']) >= '1.2.0'", "version( app.customSignal['k'] ) != '1'",
        "app.audiences.inAtLeastOne(['a'])", "app.audiences.notInAtLeastOne(['a'])",
        "app.importedSegments.inAll(['a'])", "app.importedSegments.notInAll(['a'])",
        "app.firstOpenTimestamp >= ('2022-10-31T14:37:47', 'America/Los_Angeles')",
        "app.firstOpenTimestamp < ('2022-10-31T14:37:47')",
        "app.firebaseInstallationId in ['a']",
        "app.operatingSystemAndVersion.inAtLeastOne(['a'])", "app.browserAndVersion == 'a'",
        "app.browserAndVersion.>=(['1'])", "app.operatingSystemAndVersion in ['a']",
        "device.os == 'ios'", "device.os != 'android'", "device.os in ['ios', 'web']",
        "device.country in ['US']", "device.language in ['en-US', 'de']",
        "dateTime < dateTime('2025-01-01T09:02:30')", "dateTime <= dateTime('2025-01-01T09:02:30')",
        "dateTime >= dateTime('2025-01-01T09:02:30', 'Europe/Lisbon')",
        "dateTime > dateTime('2024-02-29T00:00:00', 'UTC')",
        "percent <= 10", "percent > 50", "percent between 0 and 20", "percent <= 0.000001",
        "percent <= 100", "percent <= 100.000000", "percent('a-b_c.9') <= 10",
        "percent( 's' ) between 0.5 and 0.5", "user.id in ['1', '2']", "user.id == '3'",
        "user.id != '3'", "user.id == '日本'", "true\n&&\tfalse", "!(user.id == '3') || true",
    ]

    @Test(arguments: accepted)
    func aRightExpressionIsAccepted(expression: String) {
        #expect(throws: Never.self) { try TargetingCondition(expression: expression) }
    }

    /// Invalid expression with its error.
    struct Refused: CustomTestStringConvertible {
        let expression: String
        let column: Int
        let reason: String
        var testDescription: String { expression }

        init(_ expression: String, _ column: Int, _ reason: String) {
            self.expression = expression
            self.column = column
            self.reason = reason
        }
    }

    static let refused = [
        Refused("", 1, "the expression is empty; write true for a condition that always holds"),
        Refused(
            "device.country == 'US'", 16,
            "expected 'in' after device.country; use device.country in ['US']"),
        Refused(
            "device.country in \"US\"", 19,
            "expected a list in '[' and ']', found '\"'; write ['…']"),
        Refused(
            "device.country in [\"US\"]", 20,
            "expected a country in single quotes; write ' instead of \""),
        Refused("true and false", 6, "expected '&&' or '||'; write '&&' for 'and'"),
        Refused("true or false", 6, "expected '&&' or '||'; write '||' for 'or'"),
        Refused("true & false", 6, "expected '&&' or '||'; write '&' twice"),
        Refused("true | false", 6, "expected '&&' or '||'; write '|' twice"),
        Refused("true)", 5, "this ')' has no '('; remove it"),
        Refused("true false", 6, "expected '&&', '||' or the end, found 'false'"),
        Refused(
            "(true", 6, "expected '&&', '||' or ')', found the end; the '(' in column 1 is open"),
        Refused("true &&", 8, "expected a rule such as device.os == 'ios', found the end"),
        Refused("app.version >= '2.1'", 13, "use app.version.>=(['2.1'])"),
        Refused("app.version >= 2.0", 13, "use app.version.>=(['2.0'])"),
        Refused("app.version >= beta", 13, "use app.version.>=(['1.0.1'])"),
        Refused("app.version.>= (['1'])", 15, "remove the space between .>= and '('"),
        Refused(
            "app.version .>=(['1'])", 12, "remove the space between app.version and '.'"),
        Refused("app.userProperty['x'] .contains(['a'])", 22, "remove the space before '.'"),
        Refused(
            "app.userProperty['x'] == 'def'", 26,
            "expected a number; for a text use .exactlyMatches(['def'])"),
        Refused(
            "app.userProperty['x'].==('d')", 23,
            "unknown method of app.userProperty; expected one of contains, notContains, "
                + "exactlyMatches, matches"),
        Refused(
            "app.firstOpenTimestamp <= dateTime('2025-01-01T09:02:30')", 27,
            "expected ('…') with a date, found 'dateTime'; remove dateTime"),
        Refused(
            "device.contry in ['US']", 1,
            "unknown element 'device.contry'; did you mean 'device.country'?"),
        Refused("é == 1", 1, "expected a rule such as device.os == 'ios', found 'é'"),
        Refused(
            "user.id == 'é日' && device.os", 29,
            "expected '==', '!=' or 'in' after device.os, found the end"),
        Refused("device.os == 'ios", 14, "the text that begins here has no closing '; add one"),
        Refused(
            "device.os in []", 15, "the list is empty; write at least one text in single quotes"),
        Refused("device.os in ['a' 'b']", 19, "expected ',' or ']', found '''"),
        Refused("percent < 10", 9, "expected '<=', '>' or 'between' after percent, found '<'"),
        Refused("percent <= 101", 12, "expected a number from 0 to 100, found 101"),
        Refused("percent <= -1", 12, "expected a number from 0 to 100, found '-'"),
        Refused("percent <= 1.0000001", 12, "a percentage has at most 6 decimals; round it"),
        Refused("percent <= 10%", 14, "write the number without '%'"),
        Refused("percent between 20 and 10", 17, "the first bound is above the second; swap them"),
        Refused("percent ('s') <= 10", 8, "remove the space between percent and '('"),
        Refused(
            "percent('a b') <= 10", 9,
            "a seed has 1 to 32 characters of A to Z, a to z, 0 to 9, '-', '_' and '.'"),
        Refused(
            "app.version.>=(['1.0', '2.0'])", 15,
            ".>= takes one version; use .exactlyMatches for many"),
        Refused(
            "app.version.>=(['1.x'])", 17,
            "'1.x' is not a version; write at most 8 numbers of at most 15 digits between dots, such "
                + "as '1.0.1'"),
        Refused(
            "dateTime < ('2025-01-01T00:00:00')", 12, "expected dateTime('…'), found '('"),
        Refused(
            "dateTime < dateTime('2025-02-29T00:00:00')", 21,
            "'2025-02-29T00:00:00' is not a date; write it as in '2025-01-31T09:02:30'"),
        Refused(
            "dateTime < dateTime('2025-01-01T00:00:00', 'Mars/One')", 44,
            "the time zone 'Mars/One' is unknown; write one such as 'America/New_York'"),
        Refused(
            "app.version.matches(['a(b'])", 24, "in the regular expression: this '(' has no ')'"),
        Refused(
            "app.version.matches(['\\'日(?=a)'])", 26,
            "in the regular expression: looking ahead or behind is not supported: RE2 has no (?="),
    ]

    @Test(arguments: refused)
    func aWrongExpressionIsRefusedWithItsColumn(row: Refused) {
        let error = #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(expression: row.expression)
        }
        #expect(error?.column == row.column)
        #expect(error?.reason == row.reason)
    }

    @Test func theParserBoundsTheLength() throws {
        let limit = TargetingCondition.maximumLength
        let longest = "true" + String(repeating: " ", count: limit - 4)
        #expect(throws: Never.self) { try TargetingCondition(expression: longest) }
        let error = #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(expression: longest + " ")
        }
        #expect(error?.column == limit + 1)
    }

    @Test(arguments: ["!", "(", "!("])
    func theParserBoundsTheNesting(opening: String) throws {
        func expression(_ depth: Int) -> String {
            let count = depth / opening.count
            let closing = opening.contains("(") ? String(repeating: ")", count: count) : ""
            return String(repeating: opening, count: count) + "true" + closing
        }
        let limit = TargetingCondition.maximumNesting
        #expect(throws: Never.self) { try TargetingCondition(expression: expression(limit)) }
        let error = #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(expression: expression(limit + 2))
        }
        #expect(error?.column == limit + 1)
    }

    @Test func theParserBoundsTheRules() throws {
        let limit = TargetingCondition.maximumRules
        let most = Array(repeating: "percent <= 1", count: limit)
        #expect(throws: Never.self) {
            try TargetingCondition(expression: most.joined(separator: " && "))
        }
        #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(expression: (most + ["true"]).joined(separator: " && "))
        }
    }

    @Test func theParserNamesWhatItUses() throws {
        let condition = try TargetingCondition(
            expression: "app.audiences.inAll(['a']) && percent('s') <= 1 && percent > 3 || "
                + "app.userProperty['k'] == 1 && app.audiences.inAll(['b']) && percent('s') > 2")
        #expect(condition.unevaluatedElements == ["app.audiences", "app.userProperty"])
        #expect(condition.seeds == ["s", ""])
        #expect(condition.usesPercent)
        #expect(condition.dates.isEmpty)
        let dated = try TargetingCondition(
            expression: "!(dateTime < dateTime('2025-01-01T09:02:30'))")
        #expect(dated.dates.count == 1)
        #expect(!dated.usesPercent)
        #expect(ConditionSet([condition, dated, dated]).dates == dated.dates)
        #expect(ConditionSet([condition]).dates.isEmpty)
    }

    @Test func theParserSurvivesGarbage() {
        var generator = SeededGenerator(seed: 1)
        let tokens = [
            "app.version", ".>=", "(", ")", "['1']", "[", "]", "'", "'a'", "&&", "||", "!", " ",
            " ",
            "percent", "<=", "10", "0.5", "between", "and", "device.country", "in", "dateTime",
            "app.customSignal", "['k']", ".matches", "(['a+'])", "(['(a|b){2,3}'])", "true",
            "user.id", "==", "\\", "\"", "é", "😀", ",", "version(", "app.audiences", ".inAll",
            "\n", "%", "'2025-01-01T09:02:30'", "-",
        ]
        var accepted = 0
        for _ in Rounds.numbers(20_000, nightly: 100_000) {
            let count = Int.random(in: 0...12, using: &generator)
            let expression = (0..<count).map { _ in
                tokens.randomElement(using: &generator) ?? ""
            }.joined()
            do throws(ConditionSyntaxError) {
                _ = try TargetingCondition(expression: expression)
                accepted += 1
            } catch {
                let end = max(expression.count, 0) + 1
                if !(1...end).contains(error.column) || error.reason.isEmpty {
                    Issue.record("\(expression): \(error)")
                }
            }
        }
        #expect(accepted > 0)
    }
    @Test(arguments: [
        "dateTime < dateTime('2025-01-01T00:00:00', '*')", "dateTime < dateTime('*')",
        "app.firstOpenTimestamp > ('*')", "app.version.>=(['*'])",
        "version(app.customSignal['k']) >= '*.x'", "device.country == '*'",
        "app.customSignal['k'] == '*'", "percent <= 7*", "*", "*.x", "true *",
        "app.version.matches(['\\\\p{*}'])", "app.version.matches(['(?*)'])",
    ])
    func anErrorQuotesNoMoreThanTheBeginningOfAText(pattern: String) throws {
        let long = String(repeating: "7", count: 10_000)
        let error = #expect(throws: ConditionSyntaxError.self) {
            try TargetingCondition(expression: pattern.replacing("*", with: long))
        }
        #expect(try #require(error).reason.utf8.count < 600)
    }
}
