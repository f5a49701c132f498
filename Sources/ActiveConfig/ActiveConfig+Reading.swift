extension ActiveConfig {
    /// The section of that name in the active configuration, or nil.
    ///
    /// A section is immutable.
    public func configSection(named sectionName: String) -> ActiveConfigSection? {
        let hash = NameHash.hash(sectionName)
        // The outer nil: nothing is loaded yet.
        let section = replicas.section(named: sectionName, hash: hash)
        if let section { return section }
        return loadedSnapshot().sections.value(ofName: sectionName, hash: hash)
    }

    /// The section of that name in the active configuration, or nil.
    public subscript(sectionName: String) -> ActiveConfigSection? {
        configSection(named: sectionName)
    }

    /// The active document: the last downloaded or stored one, a fallback, or an empty one.
    ///
    /// Without in-app defaults and overrides, which all other reads include.
    public var currentConfiguration: ConfigurationState { loadedSnapshot().configuration }

    /// `meta` of the active configuration.
    public var currentConfigurationMetaDictionary: [String: SettingValue] {
        loadedSnapshot().configuration.meta
    }
}
