import Foundation
import Testing

@testable import ActiveConfig

struct RetryAfterTests {
    /// The date of the examples in RFC 9110, section 5.6.7.
    private static let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        arguments: [
            ("120", 120), ("0", 0), (" 7 ", 7), ("1000000000", 86_400),
            ("99999999999999999999999", 86_400), ("-5", nil), ("1.5", nil), ("", nil),
            ("soon", nil),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
            ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1993 08:50:37 GMT", 0),
            ("Mon, 06 Nov 2034 08:50:37 GMT", 86_400), ("Sun, 06 Foo 1994 08:50:37 GMT", nil),
            ("Sun, 99 Nov 1994 08:50:37 GMT", nil), ("Sun, 06 Nov 1994 08:50:37 CET", nil),
            ("٣", nil),
        ] as [(String, Int?)])
    func aFieldIsAWait(field: String, seconds: Int?) {
        #expect(
            RetryAfter.duration(field, date: nil, now: Self.now) == seconds.map { .seconds($0) })
    }

    @Test func aDateCountsFromTheTimeOfTheAnswerByTheServersClock() {
        let wait = RetryAfter.duration(
            "Sun, 06 Nov 1994 08:50:37 GMT", date: "Sun, 06 Nov 1994 08:50:07 GMT",
            now: Self.now.addingTimeInterval(-1e8))
        #expect(wait == .seconds(30))
    }
}
