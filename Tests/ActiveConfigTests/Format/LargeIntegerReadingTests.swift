import ActiveConfigTesting
import Foundation
import Testing

@testable import ActiveConfig

/// Integers beyond 64 bits in documents and dictionaries: the nearest doubles, and problems.
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

    private static let double = "1.2345678901234567e+19"

    /// The number of problems is 2 when both settings have one.
    @Test(
        arguments: [
            Row("alone", digits, (double, 2)), Row("negative", "-\(digits)", ("-\(double)", 2)),
            Row("the first beyond Int64", "9223372036854775808", ("9.223372036854776e+18", 2)),
            Row("the last within Int64", "9223372036854775807", ("9223372036854775807", 0)),
            Row("the first below Int64", "-9223372036854775809", ("-9.223372036854776e+18", 2)),
            Row("the least of Int64", "-9223372036854775808", ("-9223372036854775808", 0)),
            Row("the longest", digits309, ("1.7777777777777777e+308", 2)),
            Row(
                "nested",
                #"{"b": [1, {"c": [\#(digits), [], \#(otherDigits)]}], "a": -\#(digits)}"#,
                (#"{"a":-\#(double),"b":[1,{"c":[\#(double),[],\#(double)]}]}"#, 2)),
            Row(
                "doubles", "[1e19, \(digits).0, \(digits)e0]",
                ("[1e+19,\(double),\(double)]", 0)),
            Row(
                "names that look like indexes", #"{"0": [\#(digits)], "1": 1e19}"#,
                (#"{"0":[\#(double)],"1":1e+19}"#, 2)),
            Row("a trailing comma", "[\(digits),]", ("[\(double)]", 2)),
            Row(
                "the last of duplicate names", #"{"a": 1, "a": \#(digits)}"#,
                (#"{"a":\#(double)}"#, 2)),
        ] as [Row<String, (text: String, problems: Int)>])
    func aDocumentHasTheirDoublesAndNamesThem(
        row: Row<String, (text: String, problems: Int)>
    ) throws {
        let state = try Self.document(row.input, other: row.input)
        let text = Self.written(state)
        #expect(text.contains(#""Home":{"settings":{"limit":{"value":\#(row.expected.text)}}}"#))
        #expect(text.contains(#""Other":{"settings":{"limit":{"value":\#(row.expected.text)}}}"#))
        #expect(state.problems.count == row.expected.problems)
        let again = try ConfigurationState(jsonData: state.jsonData())
        #expect(again == state && again.jsonData() == state.jsonData())
        // What is written has the doubles themselves.
        #expect(again.problems == [])
    }

    /// Every way to an integer, also where the nearest double is `Int.min`.
    @Test(arguments: [
        "9223372036854775808", "9223372036854775809", "18446744073709551615", digits,
        "-9223372036854775809", "-9223372036854776832", "-\(digits)",
    ])
    func noIntegerIsReadInsteadOfAnother(text: String) throws {
        let decoded = try JSONDecoder().decode(
            [String: SettingValue].self, from: Data(#"{"limit": \#(text)}"#.utf8))
        let any = try JSONSerialization.jsonObject(
            with: Data(DocumentText.make(value: text).utf8))
        let dictionary = try ConfigurationState(dictionary: try #require(any as? [String: Any]))
        let values = [
            try #require(try Self.document(text)["Home"]?["limit"]),
            try SettingValue(jsonData: Data(text.utf8)),
            try #require(decoded["limit"]), try #require(dictionary["S"]?["k"]),
        ]
        for value in values {
            #expect(value == .double(try #require(Double(text))))
            #expect(value.integerValue == nil && Int(settingValue: value) == nil)
            #expect(throws: DecodingError.self) { try value.decode(Int.self) }
            #expect(throws: DecodingError.self) { try value.decode(Int64.self) }
            #expect(throws: DecodingError.self) { try value.decode(UInt64.self) }
        }
        #expect(SettingValue.string(text).integerValue == nil)
        let config = ActiveConfig.make(
            configuration: .make(sections: ["Home": ["limit": values[0]]]))
        #expect(config[SettingKey("Home", "limit", default: 7)] == 7)
        #expect(config["Home"]?.integer(forKey: "limit") == nil)
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
            Row("an ignored member", #"{"value": 1, "note": \#(digits)}"#, false),
            Row("an ignored member before", #"{"note": \#(digits), "value": 1}"#, false),
            Row("the last value", #"{"value": \#(digits), "value": 1e19}"#, false),
            Row("a value after a double", #"{"value": 1e19, "value": \#(digits)}"#, true),
            Row("before an ignored one", #"{"value": \#(digits), "note": 1}"#, true),
            Row("before an ignored other", #"{"value": \#(digits), "n": \#(otherDigits)}"#, true),
            Row("no value", #"{"note": \#(digits)}"#, false), Row("no object", digits, false),
        ])
    func onlyTheValueOfASettingCounts(row: Row<String, Bool>) throws {
        let sections = #"{"S": {"settings": {"k": \#(row.input)}}}"#
        let state = try DocumentText.read(
            DocumentText.make(meta: #"{"n": \#(Self.digits)}"#, sections: sections))
        let rounded = state.problems.filter { $0.reason.contains("nearest double") }
        #expect(rounded.count == (row.expected ? 1 : 0))
        #expect(rounded.allSatisfy { $0.reason.hasPrefix("is the integer \(Self.digits), ") })
    }

    @Test func theLastOfEqualSettingsCounts() throws {
        let sections = """
            {"S": {"settings": {"a": {"value": \(Self.digits)}, "a": {"value": 1e19},
                "b": {"value": \(Self.digits)}, "b": null, "c": {"value": \(Self.otherDigits)},
                "c": {"value": \(Self.digits)}}}}
            """
        let state = try DocumentText.read(DocumentText.make(sections: sections))
        let expected = #"{"a":{"value":1e+19},"c":{"value":\#(Self.double)}}"#
        #expect(Self.written(state).contains(expected))
        #expect(state.problems.map(\.name) == ["b", "c"])
        #expect(state.problems.last?.reason.contains(" \(Self.digits), ") == true)
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
            Row("UInt64", Maker { UInt64(12_345_678_901_234_567_890) }, (double, digits)),
            Row(
                "2⁶³", Maker { UInt64(1) << 63 }, ("9.223372036854776e+18", "9223372036854775808")),
            Row(
                "NSNumber", Maker { NSNumber(value: UInt64.max) },
                ("1.8446744073709552e+19", "18446744073709551615")),
            Row(
                "NSDecimalNumber", Maker { NSDecimalNumber(string: digits + digits) },
                ("1.2345678901234568e+39", digits + digits)),
            Row(
                "Decimal", Maker { Decimal(string: "-\(digits)1") ?? 0 },
                ("-1.2345678901234568e+20", "-\(digits)1")),
            Row(
                "a decimal fraction", Maker { NSDecimalNumber(string: "9300000000000000000.5") },
                ("9.3e+18", nil)),
            Row("Double", Maker { nearest }, (double, nil)),
            Row("Float", Maker { Float(0x1p70) }, ("1.1805916207174113e+21", nil)),
            Row("NSNumber of a Double", Maker { NSNumber(value: nearest) }, (double, nil)),
            Row("Int.max", Maker { Int.max }, ("9223372036854775807", nil)),
            Row(
                "a decimal of Int.min - 1",
                Maker { NSDecimalNumber(string: "-9223372036854775809") },
                ("-9.223372036854776e+18", "-9223372036854775809")),
            Row(
                "a decimal of Int.min", Maker { NSDecimalNumber(string: "-9223372036854775808") },
                ("-9223372036854775808", nil)),
        ] as [Row<Maker, (text: String, digits: String?)>])
    func aDictionaryHasTheDoublesAndNamesThem(
        row: Row<Maker, (text: String, digits: String?)>
    ) throws {
        let value: [String: Any] = ["a": [1, ["b": row.input.make()]] as [Any]]
        let settings: [String: Any] = [
            "k": ["value": value], "l": ["value": row.input.make()], "m": ["value": 1],
        ]
        let state = try ConfigurationState(dictionary: [
            "meta": [String: Any](), "config_sections": ["S": ["settings": settings]],
        ])
        let text = Self.written(state)
        #expect(text.contains(#""k":{"value":{"a":[1,{"b":\#(row.expected.text)}]}}"#))
        #expect(text.contains(#""l":{"value":\#(row.expected.text)}"#))
        #expect(try ConfigurationState(jsonData: state.jsonData()) == state)
        let starts = row.expected.digits.map { ["has the integer \($0)", "is the integer \($0)"] }
        #expect(
            state.problems.map { String($0.reason.prefix { $0 != "," }) } == starts ?? [])
    }

    @Test func theObjectsOfJSONSerializationAreTheDocument() throws {
        let text = DocumentText.make(value: "[\(Self.otherDigits), \(Self.digits)]")
        let document = try DocumentText.read(text)
        let any = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let state = try ConfigurationState(dictionary: try #require(any as? [String: Any]))
        #expect(state == document && state.jsonData() == document.jsonData())
        // A dictionary has no order: the least digits are named, in a text the first.
        #expect(state.problems.map(\.reason).first?.contains(Self.digits) == true)
        #expect(document.problems.map(\.reason).first?.contains(Self.otherDigits) == true)
    }
}
