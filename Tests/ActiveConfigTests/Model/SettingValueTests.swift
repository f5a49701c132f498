import ActiveConfig
import Foundation
import Testing

/// Values as literals, as text and through coders.
struct SettingValueTests {
    @Test func theValueIsMadeOfLiterals() {
        let value: SettingValue = [
            "n": nil, "b": true, "i": -3, "d": 1.0, "s": "x", "t": "a\(1)b", "a": [1, [2.5]],
            "o": [:],
        ]
        let expected = SettingValue.object([
            "n": .null, "b": .bool(true), "i": .integer(-3), "d": .double(1), "s": .string("x"),
            "t": .string("a1b"), "a": .array([.integer(1), .array([.double(2.5)])]),
            "o": .object([:]),
        ])
        #expect(value == expected)
        #expect([] as SettingValue == .array([]))
    }

    /// FORMAT 1.3.
    @Test func theValueTakesTheLastOfANameInALiteral() {
        #expect(["a": 1, "b": 2, "a": 3] as SettingValue == .object(["a": 3, "b": 2]))
    }

    @Test func theValueDistinguishesKinds() {
        let values: [SettingValue] = [
            nil, false, 0, 0.0, "", [], [:], true, 1, 1.0, "1", [1], ["1": 1],
        ]
        for (index, value) in values.enumerated() {
            for (other, another) in values.enumerated() {
                #expect((value == another) == (index == other))
            }
        }
        #expect(Set(values).count == values.count)
    }

    @Test func theValueIsDescribedAsJSON() {
        let value: SettingValue = ["b": [1, 1.0, nil, true], "a": "\"é\n"]
        #expect(value.description == #"{"a":"\"é\n","b":[1,1.0,null,true]}"#)
    }

    static let values: [Row<SettingValue, SettingValue>] = [
        Row("null", nil, nil), Row("true", true, true), Row("false", false, false), Row("0", 0, 0),
        Row("1", 1, 1), Row("Int.max", .integer(.max), .integer(.max)),
        Row("Int.min", .integer(.min), .integer(.min)), Row("1.5", 1.5, 1.5),
        Row("1e300", 1e300, 1e300),
        Row("text", "é\n😹", "é\n😹"), Row("empty text", "", ""), Row("[]", [], []),
        Row("{}", [:], [:]),
        Row(
            "nested", ["a": [1, [nil, true, ["b": "x"]], 2.5], "é": [:]],
            ["a": [1, [nil, true, ["b": "x"]], 2.5], "é": [:]]),
    ]

    @Test(arguments: values)
    func theValueSurvivesJSONCoders(row: Row<SettingValue, SettingValue>) throws {
        let data = try JSONEncoder().encode(row.input)
        #expect(try JSONDecoder().decode(SettingValue.self, from: data) == row.expected)
        let foundation = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        let ours = try JSONSerialization.jsonObject(
            with: Data(row.input.description.utf8), options: .fragmentsAllowed)
        #expect(NSArray(array: [foundation]) == NSArray(array: [ours]))
    }

    @Test(arguments: values, [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func theValueSurvivesPropertyListCoders(
        row: Row<SettingValue, SettingValue>, format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let data = try encoder.encode(["v": row.input])
        let copy = try PropertyListDecoder().decode([String: SettingValue].self, from: data)
        #expect(copy == ["v": row.expected])
    }

    /// The documentation states this limit of Foundation's decoder.
    @Test func theValueIsAnIntegerWhereJSONDecoderCannotTell() throws {
        let copy = try JSONDecoder().decode(SettingValue.self, from: Data("1.0".utf8))
        #expect(copy == 1)
        let beyond = try JSONDecoder().decode(
            SettingValue.self, from: Data("18446744073709551615".utf8))
        #expect(beyond == .double(0x1p64))
    }

    @Test func theValueCannotEncodeWhatJSONHasNoTextFor() {
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(SettingValue.double(.nan)) }
    }

    /// Otherwise a section with it would differ from itself, and each comparison would find a
    /// change.
    @Test func theValueThatIsNotANumberEqualsItself() {
        let quiet = SettingValue.double(.nan)
        let other = SettingValue.double(Double(nan: 5, signaling: false))
        #expect(quiet == other && quiet.hashValue == other.hashValue)
        #expect(["a": [quiet]] as SettingValue == ["a": [other]])
        #expect(quiet != 0 && quiet != .null)
    }

    @Test func theValueCannotDecodeWhatIsNoValue() throws {
        let data = try PropertyListEncoder().encode(["v": [Date.now]])
        #expect(throws: DecodingError.self) {
            try PropertyListDecoder().decode([String: SettingValue].self, from: data)
        }
    }
}
