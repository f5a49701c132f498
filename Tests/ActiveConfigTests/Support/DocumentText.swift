import ActiveConfig
import Foundation
import Testing

/// Documents as text, and the results of parsing them.
enum DocumentText {
    /// Offset of the value in the text of `make(value:)`.
    static let valueOffset = make(value: "").utf8.count - 5

    /// Document with one section, "S", that has one setting, "k".
    static func make(value: String = "1") -> String {
        make(sections: #"{"S":{"settings":{"k":{"value":\#(value)}}}}"#)
    }

    static func make(meta: String = "{}", sections: String = "{}") -> String {
        #"{"meta":\#(meta),"config_sections":\#(sections)}"#
    }

    static func read(
        _ text: String, limits: ConfigurationLimits = .default
    ) throws(ConfigurationFormatError) -> ConfigurationState {
        try ConfigurationState(jsonData: Data(text.utf8), limits: limits)
    }

    /// Setting that is read from a JSON text.
    static func value(
        _ json: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SettingValue {
        try #require(
            try read(make(value: json)).section(named: "S")?["k"], sourceLocation: sourceLocation)
    }

    /// Error of reading a text; the test fails if there is none.
    static func fault(
        in text: String, limits: ConfigurationLimits = .default,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ConfigurationFormatError {
        try fault(in: Data(text.utf8), limits: limits, sourceLocation: sourceLocation)
    }

    /// Error of reading bytes; the test fails if there is none.
    static func fault(
        in bytes: Data, limits: ConfigurationLimits = .default,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ConfigurationFormatError {
        try #require(throws: ConfigurationFormatError.self, sourceLocation: sourceLocation) {
            try ConfigurationState(jsonData: bytes, limits: limits)
        }
    }
}
