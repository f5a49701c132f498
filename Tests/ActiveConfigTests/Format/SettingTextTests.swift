import Foundation
import Testing

@testable import ActiveConfig

/// Writing dates as text.
struct SettingTextTests {
    @Test func theTextOfADateKeepsEveryMillisecond() throws {
        for milliseconds in 0..<1000 {
            for seconds in [-86_400, 0, 1_700_000_000] {
                let date = Date(
                    timeIntervalSince1970: Double(seconds) + Double(milliseconds) / 1000)
                let text = SettingText.text(of: date)
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
