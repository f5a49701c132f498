import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// `init(dictionary:)` with the objects that JSONSerialization and property lists produce.
struct DictionaryReaderTests {
    /// Object that a configuration cannot represent.
    private final class Custom {}

    /// Closure that makes the value where it is used, because `Any` is not `Sendable`.
    struct Maker: Sendable {
        let make: @Sendable () -> Any

        init(_ make: @escaping @Sendable () -> Any) { self.make = make }
    }

    /// Document with one setting.
    private func document(_ value: Any) -> [String: Any] {
        [
            "meta": [String: Any](),
            "config_sections": ["S": ["settings": ["k": ["value": value]]]],
        ]
    }

    /// Setting that the reader makes of `value`.
    private func value(_ value: Any) throws -> SettingValue {
        try #require(ConfigurationState(dictionary: document(value)).section(named: "S")?["k"])
    }

    /// Error of reading a dictionary; the test fails if there is none.
    private func fault(_ dictionary: [String: Any]) throws -> ConfigurationFormatError {
        try #require(throws: ConfigurationFormatError.self) {
            try ConfigurationState(dictionary: dictionary)
        }
    }

    static let rows: [Row<Maker, SettingValue>] = [
        Row("Bool", Maker { true }, true), Row("Int", Maker { 1 }, 1),
        Row("Int8", Maker { Int8(-1) }, -1),
        Row("UInt8", Maker { UInt8(255) }, 255), Row("Int32", Maker { Int32.min }, -2_147_483_648),
        Row("UInt64", Maker { UInt64(7) }, 7),
        Row("Int64.max", Maker { Int64.max }, .integer(.max)),
        Row("Int64.min", Maker { Int64.min }, .integer(.min)),
        Row("beyond Int64", Maker { UInt64(1) << 63 }, .double(0x1p63)),
        Row("UInt64.max", Maker { UInt64.max }, .double(0x1p64)), Row("Double", Maker { 1.0 }, 1.0),
        Row("Float", Maker { Float(1.5) }, 1.5), Row("String", Maker { "x" }, "x"),
        Row("NSNumber true", Maker { NSNumber(value: true) }, true),
        Row("NSNumber false", Maker { NSNumber(value: false) }, false),
        Row("NSNumber 1", Maker { NSNumber(value: 1) }, 1),
        Row("NSNumber 0", Maker { NSNumber(value: 0) }, 0),
        Row("NSNumber Int8 1", Maker { NSNumber(value: Int8(1)) }, 1),
        Row("NSNumber UInt64", Maker { NSNumber(value: UInt64.max) }, .double(0x1p64)),
        Row("NSNumber 1.0", Maker { NSNumber(value: 1.0) }, 1.0),
        Row("NSNumber Float", Maker { NSNumber(value: Float(0.5)) }, 0.5),
        Row("NSDecimalNumber 12", Maker { NSDecimalNumber(string: "12") }, 12),
        Row("NSDecimalNumber 0.1", Maker { NSDecimalNumber(string: "0.1") }, 0.1),
        Row("Decimal", Maker { Decimal(string: "1.25") ?? 0 }, 1.25),
        Row("NSNull", Maker { NSNull() }, nil), Row("NSString", Maker { NSString("é") }, "é"),
        Row("Date", Maker { Date(timeIntervalSince1970: 0) }, "1970-01-01T00:00:00Z"),
        Row(
            "Date with milliseconds", Maker { Date(timeIntervalSince1970: 1_700_000_000.001) },
            "2023-11-14T22:13:20.001Z"),
        Row("Data", Maker { Data([0, 255, 1]) }, "AP8B"), Row("empty Data", Maker { Data() }, ""),
        Row("array", Maker { [1, "x", [true], NSNull()] as [Any] }, [1, "x", [true], nil]),
        Row("NSArray", Maker { NSArray(array: [1, 2.0]) }, [1, 2.0]),
        Row("dictionary", Maker { ["a": ["b": 1]] }, ["a": ["b": 1]]),
        Row("NSDictionary", Maker { NSDictionary(dictionary: ["a": false]) }, ["a": false]),
        Row("AnyHashable keys", Maker { ["a": 1] as [AnyHashable: Any] }, ["a": 1]),
        Row("empty ones", Maker { [[String: Any](), [Any]()] as [Any] }, [[:], []]),
        Row("SettingValue", Maker { SettingValue.object(["a": 1]) }, ["a": 1]),
    ]

    @Test(arguments: rows)
    func theReaderTakesAValueAsWhatItIs(row: Row<Maker, SettingValue>) throws {
        let value = try value(row.input.make())
        #expect(value == row.expected)
        let deep = try self.value([["d": row.input.make()] as [String: Any]] as [Any])
        #expect(deep == [["d": row.expected]])
        let meta = ["meta": ["m": row.input.make()], "config_sections": [String: Any]()]
        #expect(try ConfigurationState(dictionary: meta).meta == ["m": row.expected])
    }

    @Test(arguments: [
        Row("a class", Maker { Custom() }, "Custom"),
        Row("a URL", Maker { URL(filePath: "/") }, "URL"),
        Row("a set", Maker { Set([1]) }, "Set<Int>"), Row("a type", Maker { Int.self }, "Int.Type"),
        Row("number keys", Maker { [1: 2] }, "Dictionary<Int, Int>"),
        Row("a late date", Maker { Date(timeIntervalSince1970: 1e15) }, "date"),
        Row("no date", Maker { Date(timeIntervalSince1970: .nan) }, "date"),
    ])
    func theReaderNamesThePathOfAnUnsupportedValue(row: Row<Maker, String>) throws {
        let error = try fault(document(["a": [0, 1, ["b": row.input.make()]] as [Any]]))
        #expect(error.code == .unsupportedValue)
        #expect(error.path == "config_sections.S.settings.k.value.a[2].b")
        #expect(error.reason.contains(" \(row.expected) "))
        #expect(error.byteOffset == nil && error.line == nil && error.column == nil)
        let meta = try fault(["meta": ["m": row.input.make()], "config_sections": [String: Any]()])
        #expect(meta.path == "meta.m")
    }

    @Test(arguments: [
        Row("NaN", Maker { Double.nan }, "meta.n"),
        Row("inf", Maker { -Double.infinity }, "meta.n"),
        Row("float", Maker { Float.infinity }, "meta.n"),
        Row("decimal", Maker { NSDecimalNumber.notANumber }, "meta.n"),
        Row("in an array", Maker { [1.0, .nan] }, "meta.n[1]"),
    ])
    func theReaderRefusesNumbersThatJSONHasNoTextFor(row: Row<Maker, String>) throws {
        let dictionary = ["meta": ["n": row.input.make()], "config_sections": [String: Any]()]
        let error = try fault(dictionary)
        #expect(error.code == .numberOutOfRange)
        #expect(error.path == row.expected)
    }

    @Test(arguments: [
        Row("no meta", Maker { ["config_sections": [String: Any]()] }, ("", true)),
        Row(
            "meta array", Maker { ["meta": [1], "config_sections": [String: Any]()] },
            ("meta", true)),
        Row("no sections", Maker { ["meta": [String: Any]()] }, ("", false)),
        Row(
            "sections text", Maker { ["meta": [String: Any](), "config_sections": "x"] },
            ("config_sections", false)),
    ])
    func theReaderNeedsMetaAndSections(row: Row<Maker, (String, Bool)>) throws {
        let dictionary = try #require(row.input.make() as? [String: Any])
        let error = try fault(dictionary)
        #expect(error.code == (row.expected.1 ? .metaMissing : .sectionsMissing))
        #expect(error.path == row.expected.0)
    }

    @Test func theReaderRefusesANewerVersion() throws {
        let dictionary: [String: Any] = [
            "meta": ["format_version_string": "2.0"], "config_sections": [String: Any](),
        ]
        let error = try fault(dictionary)
        #expect(error.code == .unsupportedFormatVersion)
        #expect(error.path == "meta.format_version_string")
    }

    /// FORMAT 3.2 and 3.3: ignored members may have values of any type.
    @Test func theReaderIgnoresWhatTheFormatIgnores() throws {
        let dictionary: [String: Any] = [
            "meta": [String: Any](), "other": Custom(),
            "config_sections": [
                "A": 1, "B": Custom(), "C": ["settings": [1]], "D": ["other": Custom()],
                "E": [
                    "settings": [
                        "a": 1, "b": ["other": Custom()], "c": ["value": 3, "other": Custom()],
                        "d": ["value": NSNull()],
                    ] as [String: Any]
                ],
            ] as [String: Any],
        ]
        let expected = ConfigurationState.make(
            meta: [:], sections: ["A": [:], "B": [:], "C": [:], "D": [:], "E": ["c": 3, "d": nil]])
        #expect(try ConfigurationState(dictionary: dictionary) == expected)
    }

    /// FORMAT 1.4: the same depth limit as for text.
    @Test func theReaderRefusesWhatIsTooDeep() throws {
        var nested: Any = []
        for _ in 1..<123 { nested = [nested] }
        #expect(try value(nested).arrayValue?.count == 1)
        let error = try fault(document([nested]))
        #expect(error.code == .tooDeep)
        #expect(error.path.hasSuffix(".value" + String(repeating: "[0]", count: 123)))
        for _ in 0..<1000 { nested = ["a": nested] }
        #expect(try fault(document(nested)).code == .tooDeep)
    }

    @Test func theReaderTakesWhatJSONSerializationGives() throws {
        let text = DocumentText.make(
            value: #"[0,1,-1,true,false,1.5,-0.25,null,"é",{"a":[]},9223372036854775807]"#)
        let any = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let dictionary = try #require(any as? [String: Any])
        #expect(try ConfigurationState(dictionary: dictionary) == DocumentText.read(text))
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func theReaderTakesWhatAPropertyListGives(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let value: [String: Any] = [
            "zero": 0, "one": 1, "true": true, "false": false, "half": 0.5, "whole": 2.0,
            "text": "é",
            "date": Date(timeIntervalSince1970: 86_400), "data": Data([1, 2, 3]),
            "array": [1, true],
        ]
        let data = try PropertyListSerialization.data(
            fromPropertyList: document(value), format: format, options: 0)
        let any = unsafe try PropertyListSerialization.propertyList(
            from: data, options: [], format: nil)
        let state = try ConfigurationState(dictionary: try #require(any as? [String: Any]))
        let expected: SettingValue = [
            "zero": 0, "one": 1, "true": true, "false": false, "half": 0.5, "whole": 2.0,
            "text": "é",
            "date": "1970-01-02T00:00:00Z", "data": "AQID", "array": [1, true],
        ]
        #expect(state.section(named: "S")?["k"] == expected)
    }
}
