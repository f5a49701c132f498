import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Integers beyond 64 bits in documents and dictionaries: the nearest doubles, and their digits.
@Suite(.timeLimit(.minutes(Rounds.minutes)))
struct LargeIntegerReadingTests {
    private static let digits = "12345678901234567890"
    /// These digits round to the same double.
    private static let otherDigits = "12345678901234567891"
    private static let nearest = 12_345_678_901_234_567_890.0

    private static func document(
        _ value: String = digits, other: String = "1"
    ) throws -> ConfigurationState {
        try DocumentText.read(
            DocumentText.make(
                sections: """
                    {"Home": {"settings": {"limit": {"value": \(value)}}},
                     "Other": {"settings": {"limit": {"value": \(other)}}}}
                    """))
    }

    private static func written(_ state: ConfigurationState) -> String {
        String(decoding: state.jsonData(), as: UTF8.self)
    }

    @Test(
        arguments: [
            Row("alone", digits, digits), Row("negative", "-\(digits)", "-\(digits)"),
            Row("the first beyond Int64", "9223372036854775808", "9223372036854775808"),
            Row("the last within Int64", "9223372036854775807", "9223372036854775807"),
            Row("the longest", digits309, digits309),
            Row(
                "nested",
                #"{"b": [1, {"c": [\#(digits), [], \#(otherDigits)]}], "a": -\#(digits)}"#,
                #"{"a":-\#(digits),"b":[1,{"c":[\#(digits),[],\#(otherDigits)]}]}"#),
            Row(
                "doubles", "[1e19, \(digits).0, \(digits)e0, \(digits)]",
                "[1e+19,1.2345678901234567e+19,1.2345678901234567e+19,\(digits)]"),
            Row(
                "names that look like indexes", #"{"0": [\#(digits)], "1": 1e19}"#,
                #"{"0":[\#(digits)],"1":1e+19}"#),
            Row("a trailing comma", "[\(digits),]", "[\(digits)]"),
            Row(
                "the last of duplicate names", #"{"a": \#(otherDigits), "a": \#(digits)}"#,
                #"{"a":\#(digits)}"#),
            Row(
                "a duplicate with a double", #"{"a": [\#(digits)], "a": [\#(digits)e0]}"#,
                #"{"a":[1.2345678901234567e+19]}"#),
            Row(
                "equal names", #"{"é": \#(otherDigits), "e\u0301": \#(digits)}"#,
                #"{"é":\#(digits)}"#),
        ])
    func aDocumentKeepsTheirDigits(row: Row<String, String>) throws {
        let state = try Self.document(row.input, other: row.input)
        let text = Self.written(state)
        #expect(text.contains(#""Home":{"settings":{"limit":{"value":\#(row.expected)}}}"#))
        #expect(text.contains(#""Other":{"settings":{"limit":{"value":\#(row.expected)}}}"#))
        let again = try ConfigurationState(jsonData: state.jsonData())
        #expect(again == state && again.jsonData() == state.jsonData())
    }

    private static let digits309 = "1" + String(repeating: "7", count: 308)

    @Test func theAppReadsTheNearestDouble() throws {
        let home = try #require(try Self.document("[\(Self.digits)]")["Home"])
        #expect(home["limit"] == [.double(Self.nearest)])
        let limit = try #require(try Self.document()["Home"])
        #expect(limit["limit"] == .double(Self.nearest))
        #expect(limit.double(forKey: "limit") == Self.nearest)
        #expect(limit.integer(forKey: "limit") == nil && limit.string(forKey: "limit") == nil)
    }

    /// FORMAT 4.1: an accepted integer therefore has at most 309 digits.
    @Test(arguments: [310, 100_000])
    func anIntegerBeyondADoubleIsAnError(digits: Int) throws {
        let text = DocumentText.make(value: String(repeating: "9", count: digits))
        #expect(try DocumentText.fault(in: text).code == .numberOutOfRange)
    }

    @Test(
        arguments: [
            Row("an ignored member", #"{"value": 1, "note": \#(digits)}"#, "1"),
            Row("the last value", #"{"value": \#(digits), "value": 1e19}"#, "1e+19"),
            Row("a value after a double", #"{"value": 1e19, "value": \#(digits)}"#, digits),
        ])
    func onlyTheValueOfASettingCounts(row: Row<String, String>) throws {
        let sections = #"{"S": {"settings": {"k": \#(row.input)}}}"#
        let state = try DocumentText.read(DocumentText.make(sections: sections))
        #expect(Self.written(state).contains(#""k":{"value":\#(row.expected)}"#))
    }

    @Test func theLastOfEqualSettingsCounts() throws {
        let sections = """
            {"S": {"settings": {"a": {"value": \(Self.digits)}, "a": {"value": 1e19},
                "b": {"value": \(Self.digits)}, "b": null, "c": {"value": \(Self.otherDigits)},
                "c": {"value": \(Self.digits)}}}}
            """
        let state = try DocumentText.read(DocumentText.make(sections: sections))
        let expected = #"{"a":{"value":1e+19},"c":{"value":\#(Self.digits)}}"#
        #expect(Self.written(state).contains(expected))
        #expect(state.problems.map(\.name) == ["b", "c"])
    }

    @Test func metaKeepsTheDoubleOnly() throws {
        let state = try DocumentText.read(DocumentText.make(meta: #"{"n": \#(Self.digits)}"#))
        #expect(state.meta == ["n": .double(Self.nearest)])
        #expect(Self.written(state).contains(#""meta":{"n":1.2345678901234567e+19}"#))
        #expect(state.problems == [])
    }

    struct Maker: Sendable {
        let make: @Sendable () -> Any

        init(_ make: @escaping @Sendable () -> Any) { self.make = make }
    }

    @Test(
        arguments: [
            Row("UInt64", Maker { UInt64(12_345_678_901_234_567_890) }, digits),
            Row("2⁶³", Maker { UInt64(1) << 63 }, "9223372036854775808"),
            Row("NSNumber", Maker { NSNumber(value: UInt64.max) }, "18446744073709551615"),
            Row(
                "NSDecimalNumber", Maker { NSDecimalNumber(string: digits + digits) },
                digits + digits),
            Row("Decimal", Maker { Decimal(string: "-\(digits)1") ?? 0 }, "-\(digits)1"),
            Row(
                "a decimal fraction", Maker { NSDecimalNumber(string: "9300000000000000000.5") },
                "9.3e+18"),
            Row("Double", Maker { nearest }, "1.2345678901234567e+19"),
            Row("Float", Maker { Float(0x1p70) }, "1.1805916207174113e+21"),
            Row(
                "NSNumber of a Double", Maker { NSNumber(value: nearest) }, "1.2345678901234567e+19"
            ),
            Row("Int.max", Maker { Int.max }, "9223372036854775807"),
            Row(
                "a decimal of Int.min - 1",
                Maker { NSDecimalNumber(string: "-9223372036854775809") },
                "-9223372036854775809"),
            Row(
                "a decimal of Int.min", Maker { NSDecimalNumber(string: "-9223372036854775808") },
                "-9223372036854775808"),
        ])
    func aDictionaryKeepsTheDigits(row: Row<Maker, String>) throws {
        let value: [String: Any] = ["a": [1, ["b": row.input.make()]] as [Any]]
        let settings: [String: Any] = [
            "k": ["value": value], "l": ["value": row.input.make()], "m": ["value": 1],
        ]
        let state = try ConfigurationState(dictionary: [
            "meta": [String: Any](), "config_sections": ["S": ["settings": settings]],
        ])
        let text = Self.written(state)
        #expect(text.contains(#""k":{"value":{"a":[1,{"b":\#(row.expected)}]}}"#))
        #expect(text.contains(#""l":{"value":\#(row.expected)}"#))
        #expect(try ConfigurationState(jsonData: state.jsonData()) == state)
    }

    @Test func theObjectsOfJSONSerializationKeepTheDigits() throws {
        let document = try Self.document("[\(Self.digits)]")
        let any = try JSONSerialization.jsonObject(with: document.jsonData())
        let state = try ConfigurationState(dictionary: try #require(any as? [String: Any]))
        #expect(state == document && state.jsonData() == document.jsonData())
    }
}
