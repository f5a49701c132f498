/// A setting whose value is of another type than the app reads; a part of a document that does not
/// have the format's shape and is left out; or an integer beyond 64 bits.
///
/// The app gets the default, or for an integer the nearest double. Each problem is logged once per
/// configuration; ``ConfigurationDiagnostics/problems`` lists all of the active configuration.
public struct SettingProblem: Sendable, Hashable, CustomStringConvertible {
    /// The setting; its name is empty when the whole section cannot be read.
    public let path: SettingPath
    /// The path of a value inside of the setting, such as `limits.2`; empty for the setting itself.
    public let member: String
    /// The actual and the expected value: the end of a sentence about the setting.
    public let reason: String

    /// Creates a problem, for tests.
    ///
    /// - Parameters:
    ///   - path: The setting.
    ///   - member: The path of a value inside of it.
    ///   - reason: The actual and the expected value.
    public init(_ path: SettingPath, member: String = "", reason: String) {
        self.path = path
        self.member = member
        self.reason = reason
    }

    /// The setting's name in its section, with the path inside of it.
    package var name: String { member.isEmpty ? path.name : "\(path.name).\(member)" }

    /// One sentence with the setting, the actual and the expected value.
    public var description: String {
        let text =
            path.name.isEmpty
            ? "The section '\(path.sectionName)' \(reason)."
            : "The setting '\(path.sectionName).\(name)' \(reason)."
        return text.oneLine()
    }
}
