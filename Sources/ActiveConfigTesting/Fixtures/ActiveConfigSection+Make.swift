public import ActiveConfig

extension ActiveConfigSection {
    /// Makes a section for a test.
    ///
    /// - Parameter settings: The values by key.
    /// - Returns: The section.
    public static func make(
        _ settings: [String: SettingValue] = ["title": "Hello"]
    ) -> ActiveConfigSection {
        ActiveConfigSection(settings: settings)
    }
}
