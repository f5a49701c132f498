import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Checks of the original's suite for its configuration state.
struct OriginalConfigurationStateTests {
    @Test func aNewStateIsOfVersionOneAndHasNoSections() {
        let state = ConfigurationState()
        #expect(state.formatVersion == "1.0")
        #expect(!state.creationTime.isEmpty)
        #expect(state.sections.isEmpty)
    }

    /// Unusable document with its error code.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let text: String
        let code: ConfigurationFormatError.Code
    }

    static let rows = [
        Row(testDescription: "a number", text: "1", code: .notAnObject),
        Row(
            testDescription: "no sections, and a version that is not a number",
            text: #"{"meta": {"format_version": "this_is_not_a_number"}}"#, code: .sectionsMissing),
        Row(
            testDescription: "no sections", text: #"{"meta": {"format_version": 100}}"#,
            code: .sectionsMissing),
        Row(
            testDescription: "sections that are a string",
            text: #"{"meta": {"format_version_string": "1"}, "config_sections": "1"}"#,
            code: .sectionsMissing),
        Row(
            testDescription: "a meta that is a number",
            text: #"{"meta": 1, "config_sections": {}}"#, code: .metaMissing),
    ]

    @Test(arguments: rows) func theStateIsNotMadeOfAnUnusableDocument(row: Row) throws {
        let error = #expect(throws: ConfigurationFormatError.self) {
            try ConfigurationState(jsonData: Data(row.text.utf8))
        }
        #expect(error?.code == row.code)
        let object = try JSONSerialization.jsonObject(
            with: Data(row.text.utf8), options: .fragmentsAllowed)
        guard let dictionary = object as? [String: Any] else { return }
        let dictionaryError = #expect(throws: ConfigurationFormatError.self) {
            try ConfigurationState(dictionary: dictionary)
        }
        #expect(dictionaryError?.code == row.code)
    }

    @Test func theStateReadsWhatADictionaryHas() throws {
        let state = try ConfigurationState(
            dictionary: [
                "meta": [
                    "format_version_string": "1", "creation_time": "2012-08-13 19:36:00 +0000",
                ],
                "config_sections": ["SomeKey": ["settings": ["Key": ["value": "SomeValue"]]]],
            ])
        #expect(state.formatVersion == "1")
        #expect(state.creationTime == "2012-08-13 19:36:00 +0000")
        #expect(state.sections == ["SomeKey": .make(["Key": "SomeValue"])])
    }

    @Test func aCopyIsIndependent() {
        let state = ConfigurationState.make()
        var copy = state
        #expect(copy == state)
        copy.sections["Home"] = nil
        #expect(state == .make())
    }

    @Test func theStateArchivesAndComesBackTheSame() throws {
        let state = ConfigurationState.make(sections: ["SomeKey": ["Key": "SomeValue"]])
        let archive = try JSONEncoder().encode(state)
        #expect(try JSONDecoder().decode(ConfigurationState.self, from: archive) == state)
        #expect(try ConfigurationState(jsonData: state.jsonData()) == state)
    }
}
