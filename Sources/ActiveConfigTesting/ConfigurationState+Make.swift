public import ActiveConfig

extension ConfigurationState {
    /// Creates a configuration for a test.
    ///
    /// ```swift
    /// let state = ConfigurationState.make(sections: ["Home": ["title": "x"]])
    /// ```
    ///
    /// - Parameters:
    ///   - meta: The document's metadata.
    ///   - sections: The settings by section and key.
    ///   - entityTag: The entity tag of the answer.
    /// - Returns: The configuration.
    public static func make(
        meta: [String: SettingValue] = [
            "format_version_string": "1.0", "creation_time": "2012-08-20T19:36Z",
        ],
        sections: [String: ActiveConfigSection] = ["Home": ["title": "Hello"]],
        entityTag: String? = nil
    ) -> ConfigurationState {
        var state = ConfigurationState(meta: meta, sections: sections)
        state.entityTag = entityTag
        return state
    }
}

extension ActiveConfigSection {
    /// Creates a section for a test.
    ///
    /// - Parameter settings: The values by key.
    /// - Returns: The section.
    public static func make(
        _ settings: [String: SettingValue] = ["title": "Hello"]
    ) -> ActiveConfigSection {
        ActiveConfigSection(settings: settings)
    }
}
