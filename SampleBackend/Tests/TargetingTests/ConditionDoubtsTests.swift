import JSONTree
import Targeting
import Testing

/// Rules that probably no client satisfies.
struct ConditionDoubtsTests {
    @Test(arguments: [
        ("device.os == 'iOS'", "ios"), ("device.os in ['android', 'OSX']", "macos"),
        ("device.country in ['Japan']", "JP"), ("device.country in ['jp']", "JP"),
        ("device.country in ['UK']", "GB"), ("device.language in ['Japanese']", "ja"),
        ("device.language in ['pt_BR']", "pt-BR"), ("device.language in ['EN']", "en"),
        ("!(device.os == 'Android') && percent <= 10", "android"),
    ])
    func aValueThatNoClientSendsHasALikelyOne(expression: String, likely: String) throws {
        let doubts = try TargetingCondition(expression: expression).doubts()
        #expect(doubts.map(\.likely) == [likely])
        #expect(doubts.first?.message.contains("'\(likely)'") == true)
        #expect(doubts.first?.rule.isEmpty == false)
    }

    @Test(arguments: [
        "device.os == 'ios'", "device.os == 'harmonyos'", "device.country in ['JP', 'GB']",
        "device.language in ['pt-BR']", "device.language in ['en', 'zh-Hans']",
        "user.id == 'iOS'", "app.customSignal['os'].exactlyMatches(['iOS'])", "true",
    ])
    func aValueThatClientsMaySendRaisesNoDoubt(expression: String) throws {
        #expect(try TargetingCondition(expression: expression).doubts().isEmpty)
    }

    @Test func aValueThatClientsSendRaisesNoDoubtHoweverItIsSpelled() throws {
        let condition = try TargetingCondition(expression: "device.country in ['jp', 'de']")
        let sent = KnownSignals(
            names: ["device.country"], values: ["device.country": ["jp"], "device.os": ["de"]])
        #expect(condition.doubts(knowing: sent).map(\.likely) == ["DE"])
    }

    @Test func aCustomSignalThatNoClientSendsRaisesADoubt() throws {
        let condition = try TargetingCondition(
            expression:
                "app.customSignal['Plan'].exactlyMatches(['gold']) && app.customSignal['age'] > 3")
        #expect(condition.doubts().isEmpty)
        let doubts = condition.doubts(
            knowing: KnownSignals(names: ["signal.plan", "app.version"]))
        #expect(doubts.map(\.likely) == ["plan", nil])
        #expect(
            condition.doubts(knowing: KnownSignals(names: ["signal.Plan", "signal.age"])).isEmpty)
    }

    @Test func theNumberOfDoubtsIsBounded() throws {
        let rules = Array(repeating: "device.os == 'iOS'", count: 9)
        let condition = try TargetingCondition(expression: rules.joined(separator: " || "))
        #expect(condition.doubts().count == 9)
        #expect(condition.doubts(atMost: 4).count == 4)
    }
}
