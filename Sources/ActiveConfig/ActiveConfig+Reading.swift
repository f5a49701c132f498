extension ActiveConfig {
    /// The section of that name in the configuration in force, or nil.
    ///
    /// It stays what it is when the configuration changes.
    public func configSection(named sectionName: String) -> ActiveConfigSection? {
        let hash = NameHash.hash(sectionName)
        // The outer nil: nothing is loaded yet.
        let section: ActiveConfigSection?? = state.withLock { state in
            guard let snapshot = state.snapshot else { return nil }
            return .some(snapshot.sections.value(ofName: sectionName, hash: hash))
        }
        if let section { return section }
        return loadedSnapshot().sections.value(ofName: sectionName, hash: hash)
    }

    /// The section of that name in the configuration in force, or nil.
    public subscript(sectionName: String) -> ActiveConfigSection? {
        configSection(named: sectionName)
    }

    /// The whole configuration in force: the last downloaded or stored one, a fallback, or an empty
    /// one.
    public var currentConfiguration: ConfigurationState { loadedSnapshot().configuration }

    /// `meta` of the configuration in force.
    public var currentConfigurationMetaDictionary: [String: SettingValue] {
        loadedSnapshot().configuration.meta
    }
}
