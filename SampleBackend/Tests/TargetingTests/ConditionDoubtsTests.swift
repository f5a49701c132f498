import JSONTree
import Targeting
import Testing

/// Rules that probably no client satisfies.
struct ConditionDoubtsTests {
    @Test(arguments: [
        ("device.os == 'iOS'", "ios"), ("device.os in ['android', 'OSX']", "macos"),
        ("device.country in ['Japan']", "JP"), ("device.country in ['jp']", "JP"),
        ("device.country in ['UK']", "GB"), ("device.language in ['Japanese']", "ja"),
        ("device.language.exactlyMatches(['pt_BR'])", "pt-BR"),
        ("device.language.exactlyMatches(['EN'])", "en"),
        ("device.language in ['zh-CN']", "zh-Hans"), ("device.language in ['zh_HK']", "zh-Hant-HK"),
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
        "device.language in ['pt-BR', 'pt_PT', 'DE']", "device.language in ['en', 'zh-Hans']",
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

    @Test(arguments: [
        ("BST", "UTC+06:00 here, without summer time"), ("IST", "UTC+05:30"),
        ("EST", "UTC-05:00 here, without summer time"),
    ])
    func aTimeZoneWithoutAPlaceGetsARemarkOnItsOffset(zone: String, part: String) throws {
        let condition = try TargetingCondition(
            expression: "dateTime < dateTime('2030-07-01T00:00:00', '\(zone)')")
        #expect(condition.zoneRemarks.count == 1)
        #expect(condition.zoneRemarks.first?.contains(part) == true, "\(condition.zoneRemarks)")
    }

    @Test(arguments: ["", ", 'UTC'", ", 'GMT'", ", 'Europe/London'"])
    func aTimeZoneWithAPlaceGetsNoRemark(zone: String) throws {
        let condition = try TargetingCondition(
            expression: "dateTime < dateTime('2030-07-01T00:00:00'\(zone))")
        #expect(condition.zoneRemarks.isEmpty)
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
