/// A setting by its section and name.
public struct SettingPath: Sendable, Hashable, CustomStringConvertible {
    /// The section's name.
    public let sectionName: String
    /// The setting's name in the section.
    public let name: String

    /// Creates a path.
    ///
    /// - Parameters:
    ///   - sectionName: The section's name.
    ///   - name: The setting's name in the section.
    public init(_ sectionName: String, _ name: String) {
        self.sectionName = sectionName
        self.name = name
    }

    /// The section and the name with a dot between them, such as `Checkout.isOn`.
    public var description: String { "\(sectionName).\(name)" }
}
