import Foundation
import JSONTree
import SeededRandomness
import Targeting
import Testing

struct ConditionSetTests {
    /// User with a value for everything.
    static let context = TargetingContext(
        userID: "123",
        signals: Signals(
            appID: "com.example", appVersion: "1.10.0", appBuild: "42", deviceOS: "ios",
            deviceCountry: "US", deviceLanguage: "en-US",
            custom: ["plan": "gold", "age": " 42 ", "sdk": "1.2", "none": "", "word": "abc"]),
        date: Date(timeIntervalSince1970: 1_735_722_150))  // 2025-01-01T09:02:30Z

    /// Evaluates one expression, and checks that its explanation agrees.
    private func evaluate(
        _ expression: String, _ context: TargetingContext = context
    ) throws -> Bool {
        let set = ConditionSet([try TargetingCondition(expression: expression)])
        let result = set.evaluate(context)[0]
        #expect(set.explain(0, in: context).isTrue == result, "\(expression)")
        return result
    }

    @Test(arguments: [
        ("device.language in ['de']", "de", true), ("device.language in ['de']", "de-AT", true),
        ("device.language in ['de']", "de_DE", true), ("device.language in ['DE']", "de-CH", true),
        ("device.language in ['de']", "den", false), ("device.language in ['de-DE']", "de", false),
        ("device.language in ['pt_BR']", "pt-BR", true),
        ("device.language in ['en', 'zh-Hans']", "zh-Hans-CN", true),
        ("device.language in ['zh-Hans']", "zh-Hant-TW", false),
        ("!(device.language in ['de'])", "de-AT", false),
        ("device.language.exactlyMatches(['de'])", "de-AT", false),
        ("device.language.exactlyMatches(['de-AT'])", "de-AT", true),
        ("device.language.notContains(['-AT'])", "de-AT", false),
    ])
    func aLanguageIncludesTheTagsThatExtendIt(
        expression: String, language: String, isTrue: Bool
    ) throws {
        var context = Self.context
        context.signals.deviceLanguage = language
        #expect(try evaluate(expression, context) == isTrue)
    }

    @Test(arguments: [65, 256, 257, 300])
    func eachConditionOfALongTemplateHasItsOwnResult(count: Int) throws {
        let set = ConditionSet(
            try (0..<count).map { try TargetingCondition(expression: "user.id == '\($0)'") })
        for user in [0, 1, 62, 63, 64, 127, 128, 191, 192, 255, 256, 299] where user < count {
            let results = set.evaluate(
                TargetingContext(userID: "\(user)", date: Date(timeIntervalSince1970: 0)))
            #expect((0..<count).filter { results[$0] } == [user])
            #expect(
                set.explain(
                    user,
                    in: TargetingContext(
                        userID: "\(user)", date: Date(timeIntervalSince1970: 0))
                ).isTrue)
        }
    }

    @Test(arguments: [
        "device.os == 'ios'", "device.os != 'android'", "device.os in ['web', 'ios']",
        "app.id == 'com.example'", "app.id != 'x'", "device.country in ['DE', 'US']",
        "device.language in ['en-US']", "user.id == '123'", "user.id != '1'",
        "user.id in ['1', '123']", "app.version.>(['1.9'])", "app.version.==(['1.10'])",
        "app.version.!=(['1.1'])", "app.version.<=(['1.10.0.0'])", "app.version.<(['1.10.0.1'])",
        "app.version.contains(['.10'])", "app.version.notContains(['.9'])",
        "app.version.exactlyMatches(['1.10.0'])", "app.version.matches(['^1\\.'])",
        "app.build.>=(['42'])", "app.customSignal['age'] == 42", "app.customSignal['age'] < 42.5",
        "app.customSignal['none'] == 0", "app.customSignal['plan'].contains(['x', 'ol'])",
        "app.customSignal['plan'].notContains(['x'])", "app.customSignal['plan'].matches(['l.$'])",
        "version(app.customSignal['sdk']) >= '1.2.0'",
        "version(app.customSignal['sdk']) < '1.10'",
        "dateTime >= dateTime('2025-01-01T09:02:30')",
        "dateTime <= dateTime('2025-01-01T09:02:30', 'UTC')",
        "dateTime < dateTime('2025-01-01T09:02:31')",
        "dateTime >= dateTime('2025-01-01T04:02:30', 'America/New_York')",
        "percent <= 42.395619", "percent > 42.395618", "percent between 42.395618 and 42.395619",
        "true || false && false", "!false && true", "!(true && false)", "!!true",
        "(true || false) && true",
    ])
    func aConditionIsTrue(expression: String) throws {
        #expect(try evaluate(expression))
        #expect(try !evaluate("!(\(expression))"))
    }

    @Test(arguments: [
        "device.os == 'iOS'", "device.country in ['us']", "app.version.contains(['X'])",
        "app.version.>=(['1.10.1'])", "app.version.==(['1.1'])",
        "app.customSignal['plan'].exactlyMatches(['Gold'])",
        "dateTime < dateTime('2025-01-01T09:02:30')", "percent <= 42.395618",
        "percent > 42.395619", "percent between 42.395619 and 50", "(true || true) && false",
        "!true || false",
    ])
    func aConditionIsFalse(expression: String) throws {
        #expect(try !evaluate(expression))
        #expect(try evaluate("!(\(expression))"))
    }

    @Test(arguments: [
        "app.audiences.inAll(['a'])", "app.audiences.notInAll(['a'])",
        "app.userProperty['k'] != 1", "app.firstOpenTimestamp > ('2022-10-31T14:37:47')",
        "app.firebaseInstallationId in ['a']", "app.browserAndVersion != 'a'",
        "app.customSignal['missing'] != 1", "app.customSignal['missing'].notContains(['a'])",
        "app.customSignal['word'] != 1", "app.customSignal['word'] == 1",
        "version(app.customSignal['word']) != '1.0'",
    ])
    func aConditionIsUnknown(expression: String) throws {
        #expect(try !evaluate(expression))
        #expect(try !evaluate("!(\(expression))"))
        #expect(try !evaluate("!!(\(expression))"))
    }

    @Test(arguments: [
        "device.os != 'x'", "device.country in ['US']", "device.language in ['en']",
        "app.id != 'x'", "app.version.!=(['1'])", "app.version.notContains(['x'])",
        "app.build.<(['1'])", "user.id != 'x'", "percent <= 100", "percent > 0",
        "app.customSignal['plan'].notContains(['x'])",
    ])
    func aConditionAndItsNegationAreFalseWithoutAUser(expression: String) throws {
        let noUser = TargetingContext(userID: nil, date: Date(timeIntervalSince1970: 0))
        #expect(try !evaluate(expression, noUser))
        #expect(try !evaluate("!(\(expression))", noUser))
    }

    @Test func aConditionTreatsAnEmptyIDAsMissingInPercent() throws {
        let empty = TargetingContext(userID: "", date: Date(timeIntervalSince1970: 0))
        #expect(try !evaluate("percent <= 100", empty))
        #expect(try !evaluate("!(percent <= 100)", empty))
    }

    @Test func aConditionFollowsKleene() throws {
        let texts: [(text: String, value: Bool?)] = [
            ("true", true), ("false", false), ("app.audiences.inAll(['a'])", nil),
        ]
        for left in texts {
            for right in texts {
                let and: Bool? =
                    left.value == false || right.value == false
                    ? false : left.value == nil || right.value == nil ? nil : true
                let or: Bool? =
                    left.value == true || right.value == true
                    ? true : left.value == nil || right.value == nil ? nil : false
                for (sign, expected) in [("&&", and), ("||", or)] {
                    let text = "\(left.text) \(sign) \(right.text)"
                    #expect(try evaluate(text) == (expected == true), "\(text)")
                    #expect(try evaluate("!(\(text))") == (expected == false), "!(\(text))")
                }
            }
        }
    }

    @Test func aConditionComparesBytes() throws {
        var context = Self.context
        context.userID = "e\u{301}"
        #expect(try !evaluate("user.id == '\u{E9}'", context))
        #expect(try evaluate("user.id == 'e\u{301}'", context))
        #expect(try evaluate("user.id != '\u{E9}'", context))
        #expect(try evaluate("user.id in ['\u{E9}', 'e\u{301}']", context))
    }

    @Test func aConditionComparesNamesAndSeedsByBytes() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let conditions = [composed, decomposed].map { name in
            "app.customSignal['\(name)'].exactlyMatches(['\(name.utf8.count)'])"
        }
        let set = ConditionSet(try conditions.map { try TargetingCondition(expression: $0) })
        var context = Self.context
        context.signals.custom = [ExactText(composed): "2", ExactText(decomposed): "3"]
        #expect(set.evaluate(context)[0])
        #expect(set.evaluate(context)[1])
        context.signals.custom = [ExactText(composed): "3"]
        #expect(!set.evaluate(context)[0])
        #expect(!set.evaluate(context)[1])
        let seeds = ConditionSet(
            try [decomposed, composed].map { seed in
                try TargetingCondition(serverCondition: [
                    "percent": [
                        "percentOperator": "LESS_OR_EQUAL", "seed": .string(seed),
                        "microPercent": .number("\(Percentile.micro(seed: seed, id: "123"))"),
                    ]
                ])
            })
        // If both seeds were one, the second condition would use the first one's percentile.
        #expect(
            Percentile.micro(seed: decomposed, id: "123")
                > Percentile.micro(seed: composed, id: "123"))
        #expect(seeds.evaluate(Self.context)[0])
        #expect(seeds.evaluate(Self.context)[1])
        let both = try TargetingCondition(serverCondition: [
            "orCondition": [
                "conditions": .array(
                    [composed, decomposed, composed].map {
                        ["percent": ["percentOperator": "GREATER_THAN", "seed": .string($0)]]
                    })
            ]
        ])
        #expect(both.seeds.map { Array($0.utf8) } == [composed, decomposed].map { Array($0.utf8) })
    }

    @Test func aConditionLooksForBytes() throws {
        var context = Self.context
        context.signals.custom = ["text": "cafe\u{301}s", "mark": "a\u{301}"]
        #expect(try evaluate("app.customSignal['text'].contains(['cafe'])", context))
        #expect(try !evaluate("app.customSignal['text'].contains(['caf\u{E9}'])", context))
        #expect(try evaluate("app.customSignal['mark'].contains(['a'])", context))
        #expect(try evaluate("app.customSignal['mark'].contains(['\u{301}'])", context))
        #expect(try evaluate("app.customSignal['mark'].matches(['^a.$'])", context))
    }

    @Test func aConditionCountsTheScalarsOfASignal() throws {
        var context = Self.context
        let rule = "app.customSignal['text'].contains(['e'])"
        context.signals.custom = ["text": "e" + String(repeating: "\u{301}", count: 499)]
        #expect(try evaluate(rule, context))
        context.signals.custom = ["text": "e" + String(repeating: "\u{301}", count: 500)]
        // The signal is shown as one character, but is longer than allowed, so it counts as
        // unknown.
        #expect(try !evaluate(rule, context))
        #expect(try !evaluate("!(\(rule))", context))
        #expect(try !evaluate("app.customSignal['text'].matches(['e'])", context))
        #expect(try !evaluate("!app.customSignal['text'].matches(['e'])", context))
    }

    @Test func anExplanationSaysWhyAConditionIsFalse() throws {
        func explain(_ expression: String) throws -> ConditionExplanation {
            ConditionSet([try TargetingCondition(expression: expression)])
                .explain(0, in: Self.context)
        }
        let country = try explain("device.os == 'ios' && device.country in ['JP']")
        #expect(country.failedRule == "device.country in ['JP']")
        #expect(country.reason == "device.country is 'US'")
        #expect(country.percentiles.isEmpty)
        let missing = try explain("app.customSignal['x'] == 1")
        #expect(missing.reason == "no signal signal.x was sent")
        let percent = try explain("percent <= 10 && percent('s') > 1")
        #expect(percent.failedRule == "percent <= 10")
        #expect(percent.reason == "percent is 42.395619")
        #expect(percent.percentiles.map(\.seed) == ["", "s"])
        #expect(percent.percentiles.first?.microPercentile == 42_395_619)
        let either = try explain("true && (device.os == 'web' || device.country in ['JP'])")
        #expect(either.failedRule == "device.os == 'web' || device.country in ['JP']")
        #expect(either.reason == "device.os is 'ios'; device.country is 'US'")
        let negated = try explain("!(device.os == 'ios')")
        #expect(negated.failedRule == "!(device.os == 'ios')")
        #expect(negated.reason == "device.os is 'ios'")
        let word = try explain("app.customSignal['word'] == 1")
        #expect(word.reason == "app.customSignal['word'] is 'abc', which is not a number")
        #expect(
            try explain("app.audiences.inAll(['a'])").reason
                == "this backend does not know app.audiences")
        let isTrue = try explain("device.os == 'ios'")
        #expect(isTrue.isTrue)
        #expect(isTrue.failedRule == nil)
        #expect(isTrue.reason == nil)
    }

    @Test func aConditionEvaluatesAsItExplains() throws {
        var generator = ConditionGenerator(seed: 7)
        var truths = 0
        let rounds = Rounds.count(100, nightly: 300)
        for _ in 0..<rounds {
            let conditions = try (0..<20).map { _ in
                let expression = generator.expression(depth: 4)
                return try TargetingCondition(expression: expression)
            }
            let set = ConditionSet(conditions)
            for _ in 0..<10 {
                let context = generator.context()
                let results = set.evaluate(context)
                for index in conditions.indices {
                    let explanation = set.explain(index, in: context)
                    if results[index] != explanation.isTrue
                        || explanation.isTrue != (explanation.reason == nil)
                    {
                        Issue.record("\(conditions[index]) \(context) \(explanation)")
                    }
                    truths += results[index] ? 1 : 0
                }
            }
        }
        // Some of the generated conditions are true, and some are false.
        #expect((rounds * 20..<rounds * 180).contains(truths))
    }
}
