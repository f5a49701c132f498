import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Checks of the original's suite for its sections: a table of typed reads.
struct OriginalSectionTests {
    /// Value with a check of one typed read.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let value: SettingValue
        let isRight: @Sendable (ActiveConfigSection) -> Bool

        init(
            _ testDescription: String, _ value: SettingValue,
            _ isRight: @escaping @Sendable (ActiveConfigSection) -> Bool
        ) {
            self.testDescription = testDescription
            self.value = value
            self.isRight = isRight
        }
    }

    static let rows = [
        Row("a string is a string", "String") { $0.string(forKey: "Key") == "String" },
        Row("a number is not a string", 3) { $0.string(forKey: "Key") == nil },
        Row("an object is not an array", ["SomeKey": "SomeObject"]) {
            $0.array(forKey: "Key") == nil
        },
        Row("an array is not an object", ["oneObject", "anotherObject"]) {
            $0.dictionary(forKey: "Key") == nil
        },
        Row("an object is an object", ["SomeKey": "SomeObject"]) {
            $0.dictionary(forKey: "Key") == ["SomeKey": "SomeObject"]
        },
        Row("an array is an array", ["oneObject", "anotherObject"]) {
            $0.array(forKey: "Key") == ["oneObject", "anotherObject"]
        },
        Row("an array of other values is not a string array", [[:], [:]]) {
            $0.stringArray(forKey: "Key") == nil
        },
        Row("an array of strings is a string array", ["One string", "Another string"]) {
            $0.stringArray(forKey: "Key") == ["One string", "Another string"]
        },
        Row("a string is a URL", "http://www.url.com/") {
            $0.url(forKey: "Key")?.absoluteString == "http://www.url.com/"
        },
        Row("10 is the integer 10", 10) { $0.integer(forKey: "Key") == 10 },
        Row("an array is not an integer", [1]) { $0.integer(forKey: "Key") == nil },
        Row("an array is not a float", [1]) { $0.float(forKey: "Key") == nil },
        Row("an array is not a double", [1]) { $0.double(forKey: "Key") == nil },
        Row("an array is not a bool", [1]) { $0.bool(forKey: "Key") == nil },
        Row("\"45\" is the integer 45", "45") { $0.integer(forKey: "Key") == 45 },
        Row("1.2 is the float 1.2", 1.2) { $0.float(forKey: "Key") == 1.2 },
        Row("10.1 is the double 10.1", 10.1) { $0.double(forKey: "Key") == 10.1 },
        Row("10.3 is the integer 10", 10.3) { $0.integer(forKey: "Key") == 10 },
        Row("true is true", true) { $0.bool(forKey: "Key") == true },
        Row("false is false", false) { $0.bool(forKey: "Key") == false },
        Row("beyond 32 bits is an integer", 8_589_934_592) {
            $0.integer(forKey: "Key") == 8_589_934_592
        },
    ]

    @Test(arguments: rows) func theSectionReadsByType(row: Row) throws {
        let state = try ConfigurationState(
            jsonData: ConfigurationState.make(sections: ["Section": ["Key": row.value]]).jsonData())
        let section = try #require(state.section(named: "Section"))
        #expect(row.isRight(section))
    }
}
