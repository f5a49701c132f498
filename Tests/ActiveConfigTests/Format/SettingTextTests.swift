import Foundation
import Testing

@testable import ActiveConfig

/// Dates as text.
@Suite(.onOneThread)
struct SettingTextTests {
    @Test func theTextOfADateKeepsEveryMillisecond() throws {
        for milliseconds in 0..<1000 {
            for seconds in [-86_400, 0, 1_700_000_000] {
                let date = Date(
                    timeIntervalSince1970: Double(seconds) + Double(milliseconds) / 1000)
                let text = try #require(SettingText.text(of: date))
                let digits = "\(1000 + milliseconds)".dropFirst()
                #expect(text.hasSuffix(milliseconds == 0 ? "0Z" : ".\(digits)Z"))
                #expect(text.contains(".") == (milliseconds != 0))
                let copy = try #require(SettingText.date(.string(text)))
                #expect(abs(copy.timeIntervalSince(date)) < 0.000_01, "\(text)")
            }
        }
    }

    @Test func theTextOfADateIsRoundedToMilliseconds() {
        let nearlyOne = Date(timeIntervalSince1970: 0.999_9)
        #expect(SettingText.text(of: nearlyOne) == "1970-01-01T00:00:01Z")
        let little = Date(timeIntervalSince1970: 1.000_4)
        #expect(SettingText.text(of: little) == "1970-01-01T00:00:01Z")
    }
}

/// Parsing of durations.
struct SettingTextDurationTests {
    @Test(arguments: [
        Row("seconds", "PT1S", Duration.seconds(1)),
        Row("all", "P1W2DT3H4M5.5S", .seconds(788_645.5)),
        Row("hours", "PT36H", .seconds(129_600)),
        Row("a fraction of an hour", "PT0.5H", .seconds(1800)),
        Row("minus", "-P1D", .seconds(-86_400)), Row("a comma", "PT1,25S", .milliseconds(1250)),
        Row("zeros", "PT0001.10S", .milliseconds(1100)), Row("white space", " PT1S\n", .seconds(1)),
        Row(
            "a third", "PT0.333333333333333333S",
            Duration(secondsComponent: 0, attosecondsComponent: 333_333_333_333_333_333)),
        Row(
            "more digits than attoseconds", "PT0.0000000000000000019S",
            Duration(secondsComponent: 0, attosecondsComponent: 1)),
        Row("a plain number", "1.001", .milliseconds(1001)),
        Row("an exponent", "15e-1", .milliseconds(1500)),
        Row("a plus", "+5", .seconds(5)),
    ])
    func aTextIsReadExactly(row: Row<String, Duration>) {
        #expect(SettingText.duration(.string(row.input)) == row.expected)
    }

    @Test(arguments: [
        "P", "PT", "P1DT", "", " ", "-", "-P", "1S", "PT1", "PT1X", "PT1S1M", "P1H", "PT1D", "P1Y",
        "P1M",
        "PT.5S", "PT5.S", "PT-5S", "--PT5S", "pt5s", "PT1SS", "PT１S", "PT5S\u{301}", "PT1 S",
        "P1WT",
        "PT9200000001S", "-PT9200000001S", "P99999999999999999999W", "inf", "nan", "0x5", "1e300",
    ])
    func aTextOfAnotherFormIsRefused(text: String) {
        #expect(SettingText.duration(.string(text)) == nil)
    }

    @Test func theLongestDurationIsRead() {
        #expect(SettingText.duration("PT9200000000S") == .seconds(9_200_000_000))
        #expect(SettingText.duration(-9_200_000_000.0) == .seconds(-9_200_000_000))
        #expect(SettingText.duration(.double(9.2e9.nextUp)) == nil)
        #expect(SettingText.duration(.integer(.min)) == nil)
    }
}
