import ActiveConfig
import Foundation
import Testing

/// Texts of the exchange format for tests, and what becomes of them.
enum DocumentText {
    /// The number of bytes before the value in the text of `make(value:)`.
    static let valueOffset = make(value: "").utf8.count - 5

    /// A document with one section "S" with one setting "k".
    static func make(value: String = "1") -> String {
        make(sections: #"{"S":{"settings":{"k":{"value":\#(value)}}}}"#)
    }

    /// A document.
    static func make(meta: String = "{}", sections: String = "{}") -> String {
        #"{"meta":\#(meta),"config_sections":\#(sections)}"#
    }

    /// The configuration that a text gives.
    static func read(
        _ text: String, limits: ConfigurationLimits = .default
    ) throws(ConfigurationFormatError) -> ConfigurationState {
        try ConfigurationState(jsonData: Data(text.utf8), limits: limits)
    }

    /// What a JSON text gives as the value of a setting.
    static func value(
        _ json: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SettingValue {
        try #require(
            try read(make(value: json)).section(named: "S")?["k"], sourceLocation: sourceLocation)
    }

    /// The error that a text gives.
    static func fault(
        in text: String, limits: ConfigurationLimits = .default,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ConfigurationFormatError {
        try fault(in: Data(text.utf8), limits: limits, sourceLocation: sourceLocation)
    }

    /// The error that bytes give.
    static func fault(
        in bytes: Data, limits: ConfigurationLimits = .default,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> ConfigurationFormatError {
        try #require(throws: ConfigurationFormatError.self, sourceLocation: sourceLocation) {
            try ConfigurationState(jsonData: bytes, limits: limits)
        }
    }
}
