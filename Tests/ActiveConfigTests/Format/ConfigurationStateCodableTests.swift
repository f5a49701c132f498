import ActiveConfig
import ActiveConfigTesting
import Foundation
import Testing

/// Encoding and decoding configurations with coders.
struct ConfigurationStateCodableTests {
    static let state = ConfigurationState.make(
        meta: ["format_version_string": "1.0", "x": [1, nil, ["a": 1.5]]],
        sections: ["S": ["k": true, "n": nil, "o": ["a": [1, "x"]]], "Empty": [:], "é": ["é": 1]])

    @Test func theConfigurationSurvivesJSONCoders() throws {
        let data = try JSONEncoder().encode(Self.state)
        #expect(try JSONDecoder().decode(ConfigurationState.self, from: data) == Self.state)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func theConfigurationSurvivesPropertyListCoders(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let data = try encoder.encode(Self.state)
        #expect(try PropertyListDecoder().decode(ConfigurationState.self, from: data) == Self.state)
    }

    @Test func theConfigurationIsTheExchangeFormat() throws {
        let encoded = try JSONEncoder().encode(Self.state)
        #expect(try ConfigurationState(jsonData: encoded) == Self.state)
        let decoded = try JSONDecoder().decode(
            ConfigurationState.self, from: Self.state.jsonData())
        #expect(decoded == Self.state)
    }

    /// FORMAT 3.2 and 3.3.
    @Test func theConfigurationIgnoresWhatTheFormatIgnores() throws {
        let text =
            #"{"x":1,"meta":{},"config_sections":{"A":1,"B":{"settings":[]},"C":{"y":0,"#
            + #""settings":{"a":1,"b":{},"c":{"value":null,"z":1}}}}}"#
        let state = try JSONDecoder().decode(ConfigurationState.self, from: Data(text.utf8))
        #expect(try state == DocumentText.read(text))
    }

    @Test(arguments: [
        "{}", #"{"meta":{}}"#, #"{"config_sections":{}}"#, #"{"meta":1,"config_sections":{}}"#,
        #"{"meta":{},"config_sections":[]}"#, "[]",
    ])
    func theConfigurationNeedsMetaAndSections(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ConfigurationState.self, from: Data(text.utf8))
        }
    }

    /// FORMAT 2.2.
    @Test func theConfigurationRefusesANewerVersion() {
        let text = #"{"meta":{"format_version_string":"2.0"},"config_sections":{}}"#
        let error = #expect(throws: ConfigurationFormatError.self) {
            try JSONDecoder().decode(ConfigurationState.self, from: Data(text.utf8))
        }
        #expect(error?.code == .unsupportedFormatVersion)
    }
}
