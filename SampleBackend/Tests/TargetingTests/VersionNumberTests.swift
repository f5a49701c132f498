import Testing

@testable import Targeting

struct VersionNumberTests {
    @Test(arguments: [
        ("1", "1", 0), ("1.0", "1", 0), ("1.2", "1.10", -1), ("1.10", "1.9.9", 1), ("2", "1.9", 1),
        ("1..2", "1.0.2", 0), ("01.2", "1.02", 0), ("202611210815", "202611210814", 1),
        ("1.0.0.0.0.0.0.1", "1", 1), ("0", "0.0.1", -1),
        ("999999999999999", "999999999999998", 1), ("1.123456789012345", "1.123456789012345.0", 0),
    ])
    func versionsOfAppsAreOrdered(left: String, right: String, order: Int) throws {
        let left = try #require(VersionNumber(appVersion: left))
        let right = try #require(VersionNumber(appVersion: right))
        #expect(left.order(to: right) == order)
        #expect(right.order(to: left) == -order)
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1.a", "v1", "1.2-beta", " 1", "-1", "1.2.3.4.5.6.7.8.9",
        "1234567890123456", "١",
    ])
    func theReaderRefusesWhatIsNoVersionOfAnApp(text: String) {
        #expect(VersionNumber(appVersion: text) == nil)
    }

    @Test(arguments: [
        ("1.2", "1.10", -1 as Int?), ("1.2.x", "1.3", -1), ("1.2.x", "1.2", nil), ("x", "1", nil),
        ("1.0x10", "1.16", 0), ("1.", "1", 0), ("", "0", 0), ("-1", "1.0", -1),
        (" 1 . 2 ", "1.2", 0), ("1.\u{301}5", "2", -1), ("1.\u{301}5", "1", nil),
    ])
    func versionsInSignalsAreOrdered(left: String, right: String, order: Int?) throws {
        let left = try #require(VersionNumber(signal: left))
        let right = try #require(VersionNumber(signal: right))
        #expect(left.order(to: right) == order)
        #expect(right.order(to: left) == order.map { -$0 })
    }

    @Test func aVersionInASignalHasAtMostFiveNumbers() {
        #expect(VersionNumber(signal: "1.2.3.4.5") != nil)
        #expect(VersionNumber(signal: "1.2.3.4.5.6") == nil)
        #expect(VersionNumber(signal: "1.2.3.4.5.") == nil)
    }
}
