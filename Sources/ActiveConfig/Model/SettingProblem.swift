/// A setting whose value is not of the type that the app reads it as, or a part of a document that is
/// left out since its shape is not the format's, or an integer beyond 64 bits.
///
/// The app gets the default instead, or of the integer the nearest double. Each problem is logged once per configuration;
/// ``ConfigurationDiagnostics/problems`` has all of the active configuration.
public struct SettingProblem: Sendable, Hashable, CustomStringConvertible {
    /// The setting; its name is empty when the whole section cannot be read.
    public let path: SettingPath
    /// The path of a value inside of the setting, such as `limits.2`; empty for the setting itself.
    public let member: String
    /// What stands there and what is expected, the end of a sentence about the setting.
    public let reason: String

    /// Creates a problem, as for a test.
    ///
    /// - Parameters:
    ///   - path: The setting.
    ///   - member: The path of a value inside of it.
    ///   - reason: What stands there and what is expected.
    public init(_ path: SettingPath, member: String = "", reason: String) {
        self.path = path
        self.member = member
        self.reason = reason
    }

    /// The setting's name in its section, with the path inside of it.
    package var name: String { member.isEmpty ? path.name : "\(path.name).\(member)" }

    /// One sentence with the setting, what stands there and what is expected.
    public var description: String {
        let text =
            path.name.isEmpty
            ? "The section '\(path.sectionName)' \(reason)."
            : "The setting '\(path.sectionName).\(name)' \(reason)."
        return text.oneLine()
    }
}
