import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Equality (FORMAT 6) and other properties of configurations.
struct ConfigurationStateTests {
    @Test func aNewConfigurationIsMadeNowWithoutSections() throws {
        let before = Date.now.addingTimeInterval(-1)
        let state = ConfigurationState()
        #expect(state.formatVersion == "1.0")
        #expect(state.sections.isEmpty && state.sectionNames.isEmpty)
        #expect(state.entityTag == nil)
        let time = try Date(state.creationTime, strategy: .iso8601)
        #expect(before...Date.now ~= time)
        #expect(try ConfigurationState(jsonData: state.jsonData()) == state)
    }

    @Test func theConfigurationListsSectionsSorted() {
        let state = ConfigurationState.make(sections: ["b": [:], "a": ["k": 1], "C": [:], "é": [:]])
        #expect(state.sectionNames == ["C", "a", "b", "é"])
        #expect(state.section(named: "a") == .make(["k": 1]))
        #expect(state.section(named: "A") == nil)
        #expect(state.section(named: "e\u{301}") == ActiveConfigSection())
    }

    /// FORMAT 6.
    @Test(arguments: [
        Row(
            "key order",
            [
                DocumentText.make(
                    meta: #"{"a":1,"b":2}"#,
                    sections: #"{"S":{"settings":{"k":{"value":[{"x":1,"y":2}]},"l":{}}},"T":{}}"#),
                DocumentText.make(
                    meta: #"{"b":2,"a":1}"#,
                    sections: #"{"T":{},"S":{"settings":{"l":{},"k":{"value":[{"y":2,"x":1}]}}}}"#),
            ], true),
        Row(
            "order of the parts",
            [#"{"meta":{},"config_sections":{}}"#, #"{"config_sections":{},"meta":{}}"#], true),
        Row(
            "ignored members",
            [
                DocumentText.make(value: "1"),
                DocumentText.make(
                    sections: #"{"S":{"y":2,"settings":{"k":{"z":3,"value":1},"n":{}}}},"x":0"#),
            ], true),
        Row(
            "white space and escapes",
            [
                DocumentText.make(value: #"["é", 1.0]"#),
                DocumentText.make(value: #"["\u00e9",10e-1]"#),
            ],
            true),
        Row(
            "meta", [DocumentText.make(meta: #"{"a":1}"#), DocumentText.make(meta: #"{"a":2}"#)],
            false),
        Row(
            "an additional section",
            [DocumentText.make(sections: "{}"), DocumentText.make(sections: #"{"S":{}}"#)], false),
        Row("a value", [DocumentText.make(value: "1"), DocumentText.make(value: "2")], false),
        Row(
            "null or absent",
            [
                DocumentText.make(value: "null"),
                DocumentText.make(sections: #"{"S":{"settings":{"k":{}}}}"#),
            ], false),
        Row(
            "kind of number", [DocumentText.make(value: "1"), DocumentText.make(value: "1.0")],
            false),
    ])
    func theConfigurationComparesMetaAndSections(row: Row<[String], Bool>) throws {
        let states = try row.input.map { try DocumentText.read($0) }
        let first = try #require(states.first)
        let last = try #require(states.last)
        #expect((first == last) == row.expected)
        #expect((last == first) == row.expected)
        #expect(Set(states).count == (row.expected ? 1 : 2))
        if row.expected {
            #expect(first.hashValue == last.hashValue)
            #expect(first.jsonData() == last.jsonData())
        }
    }

    /// Sections are equal whether they were read from one text, from another, or created from
    /// values.
    @Test func theConfigurationComparesSectionsHoweverTheyWereMade() throws {
        let one = try DocumentText.read(DocumentText.make(value: "[1,{\"a\":null}]"))
        let two = try DocumentText.read(DocumentText.make(value: "[1, {\"a\":null}]"))
        let made = ActiveConfigSection(settings: ["k": [1, ["a": nil]]])
        let sections = try [one, two].map { try #require($0.section(named: "S")) } + [made]
        for left in sections {
            for right in sections {
                #expect(left == right)
                #expect(left.hashValue == right.hashValue)
            }
        }
        #expect(made != ActiveConfigSection(settings: ["k": [1, ["a": 0]]]))
        #expect(made != ActiveConfigSection(settings: ["K": [1, ["a": nil]]]))
        #expect(made != ActiveConfigSection(settings: ["k": [1, ["a": nil]], "l": 1]))
        #expect(made != ActiveConfigSection())
        #expect(ActiveConfigSection() == ActiveConfigSection(settings: [:]))
    }

    @Test func theConfigurationComparesKeysInEitherNormalForm() {
        let composed = ActiveConfigSection(settings: ["caf\u{E9}": 1, "x": 2])
        let decomposed = ActiveConfigSection(settings: ["x": 2, "cafe\u{301}": 1])
        #expect(composed == decomposed)
        #expect(composed.hashValue == decomposed.hashValue)
        let states = [
            ConfigurationState(meta: ["\u{E9}": 1], sections: ["\u{E9}": composed]),
            ConfigurationState(meta: ["e\u{301}": 1], sections: ["e\u{301}": decomposed]),
        ]
        #expect(Set(states).count == 1)
    }

    @Test func theConfigurationLeavesTheEntityTagOut() throws {
        let plain = ConfigurationState.make()
        let tagged = ConfigurationState.make(entityTag: "\"17\"")
        #expect(tagged.entityTag == "\"17\"")
        #expect(tagged == plain)
        #expect(tagged.hashValue == plain.hashValue)
        #expect(tagged.jsonData() == plain.jsonData())
        #expect(try ConfigurationState(jsonData: tagged.jsonData()).entityTag == nil)
        let coded = try JSONEncoder().encode(tagged)
        #expect(try JSONDecoder().decode(ConfigurationState.self, from: coded).entityTag == nil)
    }

    @Test func theConfigurationStaysWhatItWasWhenACopyChanges() {
        let state = ConfigurationState.make(meta: [:], sections: ["S": ["k": 1]])
        var copy = state
        copy.meta["a"] = 1
        copy.sections["S"] = nil
        #expect(state.meta.isEmpty && state.section(named: "S")?["k"] == 1)
        #expect(copy != state)
    }

    @Test func theAnswerOfAConfigurationStaysWhenACopyChanges() {
        let original = OriginalDocument(body: Data("{}".utf8), headerFields: [:], entityTag: "a")
        var state = ConfigurationState.make(sections: ["S": ["k": 1]], entityTag: "a")
        state.original = original
        var copy = state
        copy.entityTag = "b"
        #expect(copy.original == original)
        copy.sections["S"] = nil
        #expect(copy.original == nil && copy.entityTag == "b")
        #expect(state.original == original && state.entityTag == "a")
        state.meta["a"] = 1
        #expect(state.original == nil && state.entityTag == "a")
    }

    @Test func originalsAreEqualWhenTheirAnswersAre() {
        let fields = ["ActiveConfig-Signature": "s"]
        let original = OriginalDocument(
            body: Data("{}".utf8), headerFields: fields, entityTag: "a")
        let same = OriginalDocument(body: Data("{}".utf8), headerFields: fields, entityTag: "a")
        #expect(original == same && original.hashValue == same.hashValue)
        let others = [
            OriginalDocument(body: Data("{ }".utf8), headerFields: fields, entityTag: "a"),
            OriginalDocument(body: Data("{}".utf8), headerFields: [:], entityTag: "a"),
            OriginalDocument(body: Data("{}".utf8), headerFields: fields, entityTag: "b"),
            original.confirmed(headerFields: fields, entityTag: "a"),
        ]
        #expect(!others.contains(original))
    }

    @Test func theDescriptionOfASectionIsSorted() {
        let section = ActiveConfigSection(settings: ["b": ["x"], "a": 1.0])
        #expect(section.description == #"ActiveConfigSection(a: 1.0, b: ["x"])"#)
    }
}
