import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Reading documents: FORMAT 1.1 to 1.3, 2.1, 2.3, 2.4 and 3.
struct DocumentReaderTests {
    /// The example at the top of FORMAT, including its trailing comma.
    @Test func theReaderReadsThePublishedExample() throws {
        let state = try ConfigurationState(jsonData: try Fixture.data("published-example.json"))
        let expected = ConfigurationState.make(
            meta: [
                "format_version_string": "1.0", "creation_time": "2012-08-20T19:36Z",
                "other_meta_key": "arbitrary objects with other relevant information",
            ],
            sections: [
                "ConfigSection1": [
                    "SettingKey1": "This can be a string, number, boolean, array or object"
                ]
            ])
        #expect(state == expected)
        #expect(state.formatVersion == "1.0")
        #expect(state.creationTime == "2012-08-20T19:36Z")
    }

    /// FORMAT 1.1.
    @Test(arguments: ["{", "[1]", "1", "\"x\"", "null", "true", "", " ", "\u{FEFF}"])
    func theReaderRefusesWhatIsNoObject(text: String) throws {
        let isWhole = ["[1]", "1", "\"x\"", "null", "true"].contains(text)
        let error = try DocumentText.fault(in: text)
        #expect(error.code == (isWhole ? .notAnObject : .unexpectedEnd))
    }

    /// FORMAT 1.1.
    @Test func theReaderSkipsAByteOrderMarkAtTheStartOnly() throws {
        let text = DocumentText.make()
        #expect(try DocumentText.read("\u{FEFF}" + text) == DocumentText.read(text))
        #expect(try DocumentText.fault(in: "\u{FEFF}\u{FEFF}" + text).byteOffset == 3)
        #expect(try DocumentText.fault(in: " \u{FEFF}" + text).byteOffset == 1)
        #expect(try DocumentText.fault(in: text + "\u{FEFF}").code == .contentAfterDocument)
        #expect(try DocumentText.value("\"\u{FEFF}\"") == "\u{FEFF}")
    }

    /// FORMAT 1.1: encodings that a byte order mark or zero bytes reveal.
    @Test(arguments: [
        String.Encoding.utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf16, .utf32,
    ])
    func theReaderRefusesOtherEncodings(encoding: String.Encoding) throws {
        let bytes = try #require(DocumentText.make().data(using: encoding))
        #expect(try DocumentText.fault(in: bytes).code == .syntax)
    }

    /// FORMAT 1.2.
    @Test(
        arguments: [
            Row("array", "[1,]", [1] as SettingValue), Row("spaced", "[1 ,\n]", [1]),
            Row("object", #"{"a":1,}"#, ["a": 1]),
            Row("nested", #"[[1,],{"a":[2,],},]"#, [[1], ["a": [2]]]),
        ] as [Row<String, SettingValue>])
    func theReaderAcceptsOneCommaBeforeAClosingBracket(row: Row<String, SettingValue>) throws {
        #expect(try DocumentText.value(row.input) == row.expected)
    }

    /// FORMAT 1.2.
    @Test func theReaderAcceptsACommaBeforeEveryClosingBracketOfADocument() throws {
        let text = #"{"meta":{"a":1,},"config_sections":{"S":{"settings":{"k":{"value":1,},},},},}"#
        let expected = ConfigurationState.make(meta: ["a": 1], sections: ["S": ["k": 1]])
        #expect(try DocumentText.read(text) == expected)
    }

    /// FORMAT 1.2.
    @Test(arguments: [
        "[,]", "[1,,]", "[,1]", "{,}", #"{"a":1,,}"#, #"{,"a":1}"#, "[1 2]", #"{"a":1 "b":2}"#,
        "[1}", #"{"a":1]"#, "// no\n1", "/* no */1", "#no\n1", "'a'", "{a:1}", "NaN", "Infinity",
        "-Infinity", "01", "-01", "00", "+1", "1.", ".5", "0x10", "1e", "1e+", "--1", "-", "True",
        "nul", "truex", "undefined", "\"a\nb\"", "\"a\tb\"", "\"\u{0}\"", "\u{A0}1", "\u{B}1",
        "[1;2]",
        #"{"a" 1}"#, #"{"a"=1}"#, "{1:1}", "{null:1}", #"{"a":}"#, #"{"a"}"#, "",
    ])
    func theReaderRefusesAllElseBeyondTheStandard(value: String) throws {
        let error = try DocumentText.fault(in: DocumentText.make(value: value))
        #expect(error.code == .syntax)
        let end = DocumentText.valueOffset + value.utf8.count
        #expect(try DocumentText.valueOffset...end ~= #require(error.byteOffset))
    }

    /// FORMAT 1.2.
    @Test(arguments: ["x", "{}", ",", "}", "]", "\u{0}", "//", "\""])
    func theReaderRefusesWhatFollowsTheDocument(rest: String) throws {
        let text = DocumentText.make() + " \n"
        let error = try DocumentText.fault(in: text + rest)
        #expect(error.code == .contentAfterDocument)
        #expect(error.byteOffset == text.utf8.count)
        #expect(error.path.isEmpty)
    }

    /// FORMAT 1.2.
    @Test func theReaderAcceptsWhiteSpaceAroundEverything() throws {
        let text = """
             \t\r\n{ "meta" : { } ,\r"config_sections"\n:\t{ "S" : { "settings" : \
            { "k" : { "value" : [ 1 , 2 ] } } } } } \n\t\r
            """
        #expect(
            try DocumentText.read(text)
                == ConfigurationState.make(meta: [:], sections: ["S": ["k": [1, 2]]]))
    }

    /// FORMAT 1.4: the error of a truncated text is at its end.
    @Test func theReaderRefusesADocumentCutAtEveryLength() throws {
        let bytes = try Fixture.data("published-example.json")
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
        for length in 0...end {
            let error = try DocumentText.fault(in: bytes.prefix(length))
            #expect(error.code == .unexpectedEnd, "cut at \(length)")
            #expect(error.byteOffset == length)
        }
    }

    /// FORMAT 2.1 and 3.1.
    @Test(arguments: [
        Row("no meta", #"{"config_sections":{}}"#, ConfigurationFormatError.Code.metaMissing),
        Row("neither", "{}", .metaMissing),
        Row("meta null", #"{"meta":null,"config_sections":{}}"#, .metaMissing),
        Row("meta array", #"{"meta":[],"config_sections":{}}"#, .metaMissing),
        Row("meta string", #"{"meta":"","config_sections":{}}"#, .metaMissing),
        Row("last meta counts", #"{"meta":{},"config_sections":{},"meta":1}"#, .metaMissing),
        Row("no sections", #"{"meta":{}}"#, .sectionsMissing),
        Row("sections null", #"{"meta":{},"config_sections":null}"#, .sectionsMissing),
        Row("sections array", #"{"meta":{},"config_sections":[]}"#, .sectionsMissing),
        Row(
            "last sections count", #"{"config_sections":{},"meta":{},"config_sections":0}"#,
            .sectionsMissing),
        Row("other case", #"{"Meta":{},"config_sections":{}}"#, .metaMissing),
    ])
    func theReaderNeedsMetaAndSections(row: Row<String, ConfigurationFormatError.Code>) throws {
        #expect(try DocumentText.fault(in: row.input).code == row.expected)
    }

    /// FORMAT 2.1 and 3.1: names may contain escapes, and unknown members are ignored.
    @Test func theReaderTakesNamesWithEscapesAndIgnoresOthers() throws {
        let text =
            #"{"met\u0061":{"a":1},"x":[{"meta":2}],"config\u005fsections":{"S":"#
            + #"{"s\u0065ttings":{"k":{"v\u0061lue":3,"y":4}},"z":{"settings":0}}},"meta2":0}"#
        let expected = ConfigurationState.make(meta: ["a": 1], sections: ["S": ["k": 3]])
        #expect(try DocumentText.read(text) == expected)
    }

    /// FORMAT 2.3.
    @Test(arguments: [
        Row("absent", "{}", ""), Row("any text", #"{"creation_time":"just now"}"#, "just now"),
        Row("a number", #"{"creation_time":5}"#, ""),
    ])
    func theReaderGivesTheCreationTimeAsItIs(row: Row<String, String>) throws {
        #expect(
            try DocumentText.read(DocumentText.make(meta: row.input)).creationTime == row.expected)
    }

    /// FORMAT 2.4.
    @Test func theReaderKeepsAllOfMetaInAnyDepth() throws {
        let meta =
            #"{"a":[1,2.0,{"b":[null,true,"x",{}]}],"experiments":{"e":"v"},"#
            + #""template_version":12}"#
        let state = try DocumentText.read(DocumentText.make(meta: meta))
        #expect(
            state.meta == [
                "a": [1, 2.0, ["b": [nil, true, "x", [:]]]], "experiments": ["e": "v"],
                "template_version": 12,
            ])
        #expect(try ConfigurationState(jsonData: state.jsonData()).meta == state.meta)
    }

    /// FORMAT 3.1.
    @Test func theReaderAcceptsADocumentWithoutSections() throws {
        #expect(try DocumentText.read(DocumentText.make()).sections.count == 1)
        #expect(try DocumentText.read(DocumentText.make(meta: "{}")).sections.isEmpty)
    }

    /// FORMAT 3.2.
    @Test(arguments: [
        "null", "1", "[]", #""settings""#, "{}", #"{"settings":null}"#, #"{"settings":[1]}"#,
        #"{"settings":"x"}"#, #"{"other":{"k":{"value":1}}}"#, #"{"settings":{}}"#,
        #"{"settings":{"k":{"value":1}},"settings":2}"#,
    ])
    func theReaderReadsASectionWithoutSettings(section: String) throws {
        let state = try DocumentText.read(DocumentText.make(sections: #"{"S":\#(section)}"#))
        #expect(state.sectionNames == ["S"])
        #expect(state.section(named: "S") == ActiveConfigSection())
    }

    /// FORMAT 3.3.
    @Test(arguments: [
        "null", "1", "[1]", #""value""#, "{}", #"{"Value":1}"#, #"{"description":"value"}"#,
    ])
    func theReaderLeavesOutASettingWithoutValue(setting: String) throws {
        let text = DocumentText.make(
            sections: #"{"S":{"settings":{"a":\#(setting),"b":{"value":1}}}}"#)
        #expect(try DocumentText.read(text).section(named: "S") == .make(["b": 1]))
    }

    /// FORMAT 3.2 and 3.3: ignored members must still be valid JSON.
    @Test(arguments: [
        #"{"x":tru,"meta":{},"config_sections":{}}"#,
        #"{"meta":{},"config_sections":{"S":[1e]}}"#,
        #"{"meta":{},"config_sections":{"S":{"x":"\q"}}}"#,
        #"{"meta":{},"config_sections":{"S":{"\q":1}}}"#,
        #"{"meta":{},"config_sections":{},"\q":1}"#,
        #"{"meta":{},"config_sections":{"S":{"settings":{"k":{"\ud800":1}}}}}"#,
    ])
    func theReaderRefusesFaultsInWhatItIgnores(text: String) {
        #expect(throws: ConfigurationFormatError.self) { try DocumentText.read(text) }
    }

    /// FORMAT 3.4.
    @Test func theReaderReadsNullAsPresent() throws {
        let section = try #require(
            DocumentText.read(DocumentText.make(value: "null")).section(named: "S"))
        #expect(section.value(forKey: "k") == .some(.null))
        #expect(section.settingKeys == ["k"])
        #expect(section.value(forKey: "other") == nil)
    }
}
