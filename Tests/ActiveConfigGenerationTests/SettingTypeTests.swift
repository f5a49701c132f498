import ActiveConfig
import ActiveConfigGeneration
import Foundation
import Testing

/// Setting types: their text form, their Swift name, and inference from values.
struct SettingTypeTests {
    @Test(arguments: [
        ("bool", "Bool"), ("int", "Int"), ("double", "Double"), ("float", "Float"),
        ("string", "String"), ("url", "URL"), ("duration", "Duration"), ("date", "Date"),
        ("data", "Data"), ("uuid", "UUID"), ("json", "SettingValue"), ("[int]", "[Int]"),
        ("{double}", "[String: Double]"), ("url?", "URL?"), ("[int?]?", "[Int?]?"),
        ("{[{uuid?}]}", "[String: [[String: UUID?]]]"),
        ("[[[[[[[[int]]]]]]]]", "[[[[[[[[Int]]]]]]]]"),
    ])
    func aTypeHasATextAndASwiftName(text: String, name: String) throws {
        #expect(try #require(SettingType(text)).swiftName == name)
    }

    @Test(arguments: [
        "", "Bool", "boolean", "int??", "[int", "int]", "[]", "{}", "?", "[int}", " int", "int ",
        "[int, int]", "{string: int}", "[[[[[[[[[int]]]]]]]]]",
    ])
    func anotherTextIsNoType(text: String) {
        #expect(SettingType(text) == nil)
    }

    @Test(arguments: [
        ("true", "bool"), ("3", "int"), ("3.0", "double"), ("9223372036854775808", "double"),
        (#""x""#, "string"), ("null", "json"), ("[]", "[json]"), ("{}", "{json}"),
        ("[1, 2]", "[int]"), ("[1, 2.5]", "[double]"), ("[9007199254740993, 2.5]", "[json]"),
        ("[true, 1]", "[json]"), ("[1, null]", "[json]"), (#"["a", 1]"#, "[json]"),
        ("[[1], [], [2.5]]", "[[double]]"), ("[[], []]", "[[json]]"), ("[[1], {}]", "[json]"),
        (#"{"a": 1, "b": 2.5}"#, "{double}"), (#"{"a": {"b": true}, "c": {}}"#, "{{bool}}"),
        (#"[{"a": "x"}, {"b": "y"}]"#, "[{string}]"),
        ("[[[[[[[[[1]]]]]]]]]", "[[[[[[[[json]]]]]]]]"),
    ])
    func theTypeOfAValueIsInferred(json: String, type: String) throws {
        let value = try SettingValue(jsonData: Data(json.utf8))
        #expect(SettingType(of: value) == SettingType(type))
    }

    @Test func aTypeSuitsAllValues() {
        #expect(SettingType(ofAll: [3, 0.5]) == .double)
        #expect(SettingType(ofAll: [["a": 3], ["b": 0.5]]) == .object(.double))
        #expect(SettingType(ofAll: [3, "x"]) == .json)
        #expect(SettingType(ofAll: []) == .json)
    }
}
