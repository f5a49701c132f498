extension SettingValue {
    /// Whether more than `levels` arrays and objects are in one another, this one being the first.
    func isNested(deeperThan levels: Int) -> Bool {
        var level = isContainer ? [self] : []
        var depth = 0
        while !level.isEmpty {
            depth += 1
            if depth > levels { return true }
            var next: [SettingValue] = []
            for container in level {
                switch container {
                case .array(let elements): next += elements.lazy.filter(\.isContainer)
                case .object(let members): next += members.values.lazy.filter(\.isContainer)
                case .null, .bool, .integer, .double, .string: break
                }
            }
            level = next
        }
        return false
    }
}

extension ConfigurationState {
    /// Throws when the document is nested deeper than any limits allow to read.
    func checkDepth() throws(ConfigurationFormatError) {
        let limit = ConfigurationLimits.deepestMaximumDepth
        // Around a value stand the document and `meta`.
        for (name, value) in meta where value.isNested(deeperThan: limit - 2) {
            throw tooDeep(at: "meta.\(name)")
        }
        for (name, section) in sections {
            // The document, `config_sections`, a section, its `settings`, the setting.
            for entry in section.table.settings.entries
            where entry.value.isNested(deeperThan: limit - 5) {
                throw tooDeep(at: "config_sections.\(name).settings.\(entry.name).value")
            }
        }
    }

    private func tooDeep(at path: String) -> ConfigurationFormatError {
        ConfigurationFormatError(
            .tooDeep,
            reason: "arrays and objects are nested deeper than "
                + "\(ConfigurationLimits.deepestMaximumDepth); flatten the value",
            path: path)
    }
}
