import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Duplicate keys of an object (FORMAT 1.3).
struct DuplicateKeysTests {
    /// Section "S", read from the text of its `settings` member.
    private func settings(_ text: String) throws -> ActiveConfigSection {
        let document = DocumentText.make(sections: #"{"S":{"settings":\#(text)}}"#)
        return try #require(DocumentText.read(document).section(named: "S"))
    }

    @Test func theReaderTakesTheLastValue() throws {
        #expect(try DocumentText.value(#"{"a":1,"b":2,"a":3}"#) == ["a": 3, "b": 2])
        #expect(try settings(#"{"a":{"value":1},"a":{"value":2}}"#) == .make(["a": 2]))
        #expect(try settings(#"{"a":{"value":1,"value":2}}"#) == .make(["a": 2]))
    }

    @Test func theReaderTakesTheLastOfMetaSectionsAndSettings() throws {
        let text =
            #"{"meta":1,"config_sections":2,"meta":{"a":1,"a":2},"config_sections":"#
            + #"{"S":{"settings":{"x":{"value":0}}},"S":{"settings":5,"settings":"#
            + #"{"k":{"value":1}}},"T":{"settings":{}},"T":7}}"#
        let expected = ConfigurationState.make(
            meta: ["a": 2], sections: ["S": ["k": 1], "T": [:]])
        #expect(try DocumentText.read(text) == expected)
    }

    @Test func theReaderComparesKeysAsStringsInEitherNormalForm() throws {
        #expect(try DocumentText.value(#"{"é":1,"e\#u{301}":2}"#) == ["é": 2])
        #expect(try DocumentText.value(#"{"\u00e9":1,"e\u0301":2}"#) == ["é": 2])
        let section = try settings(#"{"é":{"value":1},"e\#u{301}":{"value":2}}"#)
        #expect(section.settingKeys.count == 1)
        #expect(section["\u{E9}"] == 2)
        #expect(section["e\u{301}"] == 2)
        let text = DocumentText.make(sections: #"{"é":{"settings":{}},"e\#u{301}":0}"#)
        #expect(try DocumentText.read(text).sections.count == 1)
    }

    /// The Kelvin sign is canonically equivalent to the letter K.
    @Test func theReaderComparesKeysOutsideASCIIWithThoseInIt() throws {
        let section = try settings(#"{"\u212A":{"value":1},"K":{"value":2}}"#)
        #expect(section.settingKeys.count == 1)
        #expect(section["K"] == 2)
        #expect(section["\u{212A}"] == 2)
    }

    @Test(arguments: [
        Row("no object", #"{"a":{"value":1},"a":3}"#, [:] as [String: SettingValue]),
        Row("no value", #"{"a":{"value":1},"a":{}}"#, [:]),
        Row("and again", #"{"a":{"value":1},"a":{},"a":{"value":2}}"#, ["a": 2]),
        Row("first absent", #"{"a":{},"a":{"value":1}}"#, ["a": 1]),
        Row("both absent", #"{"a":{},"b":{"value":1},"a":0}"#, ["b": 1]),
        Row(
            "among others", #"{"a":{"value":1},"b":{"value":2},"a":{},"c":{"value":3}}"#,
            ["b": 2, "c": 3]),
        Row("null is a value", #"{"a":{"value":1},"a":{"value":null}}"#, ["a": nil]),
    ])
    func theReaderTakesAwayASettingWhoseLastHasNoValue(
        row: Row<String, [String: SettingValue]>
    ) throws {
        let section = try settings(row.input)
        #expect(section == .make(row.expected))
        #expect(section.settingKeys == row.expected.keys.sorted())
        for (key, value) in row.expected { #expect(section[key] == value) }
        if row.expected["a"] == nil { #expect(section["a"] == nil) }
    }
}
