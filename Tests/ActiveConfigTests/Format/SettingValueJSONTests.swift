import ActiveConfig
import Foundation
import Testing

/// Standalone JSON values, by the rules of the exchange format (FORMAT 1, 4).
@Suite(.onOneThread)
struct SettingValueJSONTests {
    /// Texts with their values.
    private static let rows: [(text: String, expected: SettingValue)] = [
        ("null", .null), (" true ", true), ("-7", -7), ("1.0", 1.0), ("1e2", 100.0),
        (#""a\u00e9""#, "aé"), ("[1,2.5,]", [1, 2.5]),
        (#"{"b": {"c": []}, "a": 1, "a": 2}"#, ["b": ["c": []], "a": 2]), ("\u{FEFF}3", 3),
    ]

    @Test(arguments: rows)
    func theValueReadsAnyValue(text: String, expected: SettingValue) throws {
        let value = try SettingValue(jsonData: Data(text.utf8))
        #expect(value == expected)
        #expect(try SettingValue(jsonData: value.jsonData()) == expected)
    }

    @Test(arguments: [
        ("", ConfigurationFormatError.Code.unexpectedEnd), ("1 2", .contentAfterDocument),
        ("{'a': 1}", .syntax), ("[1", .unexpectedEnd), ("1e999", .numberOutOfRange),
        (String(repeating: "[", count: 100_000), .tooDeep),
    ])
    func theErrorSaysWhatIsWrongAndWhere(text: String, code: ConfigurationFormatError.Code) throws {
        let error = #expect(throws: ConfigurationFormatError.self) {
            try SettingValue(jsonData: Data(text.utf8))
        }
        #expect(error?.code == code)
        #expect(error?.byteOffset != nil)
    }

    @Test func theValueKeepsItsLimits() throws {
        let limits = ConfigurationLimits(maximumSize: 4, maximumDepth: 1)
        #expect(try SettingValue(jsonData: Data("[1]".utf8), limits: limits) == [1])
        for text in ["[123]", "[[]]"] {
            #expect(throws: ConfigurationFormatError.self) {
                try SettingValue(jsonData: Data(text.utf8), limits: limits)
            }
        }
    }

    @Test func theValueWritesTheSameBytesForTheSameValue() {
        let value: SettingValue = ["b": 1.0, "a": [nil, true, "x"]]
        #expect(
            String(decoding: value.jsonData(), as: UTF8.self) == #"{"a":[null,true,"x"],"b":1.0}"#)
        #expect(SettingValue.double(.nan).jsonData() == Data("null".utf8))
    }
}
