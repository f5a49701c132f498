/// A setting whose value is not of the type that the app reads it as, or a part of a document that is
/// left out since its shape is not the format's, or an integer beyond 64 bits.
///
/// The app gets the default instead, or of the integer the nearest double. Each problem is logged once per configuration;
/// ``ActiveConfig/problems`` has all of the active configuration.
public struct SettingProblem: Sendable, Hashable, CustomStringConvertible {
    /// The section's name.
    public let sectionName: String
    /// The setting's name in the section, or the path of a value inside of it, such as `limits.2`;
    /// empty when the whole section cannot be read.
    public let settingName: String
    /// What stands there and what is expected, the end of a sentence about the setting.
    public let reason: String

    /// Creates a problem, as for a test.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - settingName: The setting's name.
    ///   - reason: What stands there and what is expected.
    public init(sectionName: String, settingName: String, reason: String) {
        self.sectionName = sectionName
        self.settingName = settingName
        self.reason = reason
    }

    /// One sentence with the setting, what stands there and what is expected.
    public var description: String {
        let text =
            settingName.isEmpty
            ? "The section '\(sectionName)' \(reason)."
            : "The setting '\(sectionName).\(settingName)' \(reason)."
        return text.oneLine()
    }
}
