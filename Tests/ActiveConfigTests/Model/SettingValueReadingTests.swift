import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Every getter of FORMAT 5 with every kind of value.
struct SettingValueReadingTests {
    /// Results of the getters for one value.
    struct Reads: Sendable, Equatable {
        var string: String?
        var bool: Bool?
        var integer: Int?
        var double: Double?
        var float: Float?
        var array: [SettingValue]?
        var stringArray: [String]?
        var dictionary: [String: SettingValue]?
        var url: String?

        /// Results for a value that all numeric getters read as the same number.
        static func number(
            _ double: Double?, integer: Int?, bool: Bool?, string: String? = nil, url: String? = nil
        ) -> Reads {
            Reads(
                string: string, bool: bool, integer: integer, double: double,
                float: double.map { Float($0) }, url: url)
        }

        /// Results for a string that is not a number.
        static func text(_ string: String, bool: Bool? = nil, url: String?) -> Reads {
            Reads(string: string, bool: bool, url: url)
        }
    }

    static let scalars: [Row<SettingValue, Reads>] = [
        Row("null", nil as SettingValue, Reads()),
        Row("true", true, .number(1, integer: 1, bool: true)),
        Row("false", false, .number(0, integer: 0, bool: false)),
        Row("0", 0, .number(0, integer: 0, bool: false)),
        Row("-7", -7, .number(-7, integer: -7, bool: true)),
        Row("Int.max", .integer(.max), .number(0x1p63, integer: .max, bool: true)),
        Row("Int.min", .integer(.min), .number(-0x1p63, integer: .min, bool: true)),
        Row("0.0", 0.0, .number(0, integer: 0, bool: false)),
        Row("0.4", 0.4, .number(0.4, integer: 0, bool: true)),
        Row("10.3", 10.3, .number(10.3, integer: 10, bool: true)),
        Row("10.9", 10.9, .number(10.9, integer: 10, bool: true)),
        Row("-10.9", -10.9, .number(-10.9, integer: -10, bool: true)),
        Row("2^63", .double(0x1p63), .number(0x1p63, integer: nil, bool: true)),
        Row("-2^63", .double(-0x1p63), .number(-0x1p63, integer: nil, bool: true)),
        Row(
            "after -2^63", .double((-0x1p63).nextUp),
            .number((-0x1p63).nextUp, integer: .min + 1024, bool: true)),
        Row("1e300", 1e300, Reads(bool: true, double: 1e300)),
        Row("infinite", .double(.infinity), .number(.infinity, integer: nil, bool: true)),
    ]

    static let strings: [Row<SettingValue, Reads>] = [
        Row("\"\"", "" as SettingValue, .text("", url: nil)),
        Row("\"a b\"", "a b", .text("a b", url: "a%20b")),
        Row(
            "URL", "https://a.b/c d?e=é#f",
            .text("https://a.b/c d?e=é#f", url: "https://a.b/c%20d?e=%C3%A9#f")),
        Row(
            "encoded URL", "https://a.b/c%20d", .text("https://a.b/c%20d", url: "https://a.b/c%20d")
        ),
        Row("\"45\"", "45", .number(45, integer: 45, bool: nil, string: "45", url: "45")),
        Row(
            "\" 45 \"", " 45\n",
            .number(45, integer: 45, bool: nil, string: " 45\n", url: "%2045%0A")),
        Row("\"1\"", "1", .number(1, integer: 1, bool: true, string: "1", url: "1")),
        Row("\"0\"", "0", .number(0, integer: 0, bool: false, string: "0", url: "0")),
        Row("\"10.9\"", "10.9", .number(10.9, integer: 10, bool: nil, string: "10.9", url: "10.9")),
        Row(
            "\"-1e2\"", "-1e2", .number(-100, integer: -100, bool: nil, string: "-1e2", url: "-1e2")
        ),
        Row(
            "\"1e30\"", "1e30", .number(1e30, integer: nil, bool: nil, string: "1e30", url: "1e30")),
        Row("\"45x\"", "45x", .text("45x", url: "45x")),
        Row("\"NaN\"", "NaN", .text("NaN", url: "NaN")),
        Row("\"inf\"", "inf", .text("inf", url: "inf")),
        Row("\"0x1F\"", "0x1F", .text("0x1F", url: "0x1F")),
        Row("\" true\"", " true", .text(" true", bool: true, url: "%20true")),
        Row("\"maybe\"", "maybe", .text("maybe", url: "maybe")),
    ]

    static let containers: [Row<SettingValue, Reads>] = [
        Row("[]", [] as SettingValue, Reads(array: [], stringArray: [])),
        Row("strings", ["a", "1"], Reads(array: ["a", "1"], stringArray: ["a", "1"])),
        Row("mixed", ["a", 1], Reads(array: ["a", 1])), Row("[null]", [nil], Reads(array: [nil])),
        Row("{}", [:], Reads(dictionary: [:])),
        Row("object", ["a": [1]], Reads(dictionary: ["a": [1]])),
    ]

    @Test(arguments: scalars + strings + containers)
    func theValueReadsAValueByEveryGetter(row: Row<SettingValue, Reads>) throws {
        let section = ActiveConfigSection.make(["k": row.input])
        let reads = Reads(
            string: section.string(forKey: "k"), bool: section.bool(forKey: "k"),
            integer: section.integer(forKey: "k"), double: section.double(forKey: "k"),
            float: section.float(forKey: "k"), array: section.array(forKey: "k"),
            stringArray: section.stringArray(forKey: "k"),
            dictionary: section.dictionary(forKey: "k"),
            url: section.url(forKey: "k")?.absoluteString)
        #expect(reads == row.expected)
        #expect(section["k"] == row.input)
        #expect(section.value(forKey: "k") == row.input)
    }

    @Test func theValueReadsNothingOfASettingThatIsAbsent() {
        let section = ActiveConfigSection.make(["k": 1])
        #expect(section.string(forKey: "x") == nil && section.bool(forKey: "x") == nil)
        #expect(section.integer(forKey: "x") == nil && section.double(forKey: "x") == nil)
        #expect(section.float(forKey: "x") == nil && section.array(forKey: "x") == nil)
        #expect(section.stringArray(forKey: "x") == nil && section.dictionary(forKey: "x") == nil)
        #expect(section.url(forKey: "x") == nil && section["x"] == nil)
    }

    @Test(arguments: [
        Row("true", ["true", "yes", "y", "t", "on", "1"], true),
        Row("false", ["false", "no", "n", "f", "off", "0"], false),
    ])
    func theValueReadsWordsAsBoolInAnyCase(row: Row<[String], Bool>) {
        for word in row.input {
            for spelling in [word, word.uppercased(), word.capitalized] {
                #expect(SettingValue.string(spelling).boolValue == row.expected, "\(spelling)")
            }
            #expect(SettingValue.string("\t\(word) \n").boolValue == row.expected)
            #expect(SettingValue.string(word + word).boolValue == nil)
        }
    }

    @Test(arguments: [
        "", "2", "-1", "1.0", "ja", "tru", "yess", "enabled", "ｏｎ", "null", "o\u{301}n",
    ])
    func theValueReadsOtherWordsAsNoBool(word: String) {
        #expect(SettingValue.string(word).boolValue == nil)
    }

    @Test func theValueReadsAFloatWithinItsRange() {
        #expect(SettingValue.double(3.4028234663852886e38).floatValue == .greatestFiniteMagnitude)
        #expect(SettingValue.double(3.5e38).floatValue == nil)
        #expect(SettingValue.double(1e-60).floatValue == 0)
        #expect(SettingValue.integer(16_777_217).floatValue == 16_777_216)
    }
}
