import Foundation
import JSONTree
import Testing

struct TimestampTests {
    @Test(arguments: [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31t12:00:00z", "2026-01-31T12:00:00.000Z"),
        ("2026-01-31T12:00:00.5Z", "2026-01-31T12:00:00.500Z"),
        ("2026-01-31T12:00:00.123456789+01:00", "2026-01-31T11:00:00.123Z"),
        ("2026-01-31T23:59:59-23:59", "2026-02-01T23:58:59.000Z"),
        ("2026-01-31T12:00:00-00:00", "2026-01-31T12:00:00.000Z"),
        ("2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"),
    ])
    func aTimeIsReadInEachFormOfTheFormat(text: String, expected: String) throws {
        #expect(try #require(Date(timestamp: text)).timestamp == expected)
    }

    @Test(arguments: [
        "", "Z", "2026-01-31", "2026-01-31T12:00:00", "2027-02-30T00:00:00Z",
        "2027-02-29T00:00:00Z", "2026-06-31T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2030-01-01T00:00:00Z and more",
        "2030-01-01T00:00:00Z\0", " 2030-01-01T00:00:00Z", "2030-1-1T1:1:1Z",
        "2030-01-01 00:00:00Z", "2030-01-01T00:00:00+01:00+02:00", "2030-01-01T00:00:00+0100",
        "2030-01-01T00:00:00+24:00", "2030-01-01T00:00:00+01:60", "2030-01-01T00:00:00.Z",
        "144683-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "20300101T000000Z",
        "2030-01-01T00:00:0\u{660}Z", "2030-01-01T00:00:00Z\u{301}",
        "2030-01-01T00:00:00." + String(repeating: "1", count: 100) + "Z",
    ])
    func anotherTextIsNoTime(text: String) {
        #expect(Date(timestamp: text) == nil)
    }

    @Test func eachMillisecondIsWrittenAsItself() {
        for milliseconds in 0..<1_000 {
            let date = Date(timeIntervalSince1970: Double(1_790_000_000_000 + milliseconds) / 1_000)
            let digits = String("\(1_000 + milliseconds)".dropFirst())
            #expect(date.timestamp == "2026-09-21T14:13:20.\(digits)Z")
        }
    }

    @Test func aFractionIsReadToTheMicrosecond() throws {
        let start = try #require(Date(timestamp: "2026-11-22T19:45:00Z"))
        for milliseconds in 0..<1_000 {
            let digits = String("\(1_000 + milliseconds)".dropFirst())
            let date = try #require(Date(timestamp: "2026-11-22T19:45:00.\(digits)Z"))
            let fraction = date.timeIntervalSince(start)
            #expect(abs(fraction - Double(milliseconds) / 1_000) < 0.000_001)
        }
    }
}
