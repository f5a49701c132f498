/// The layers beneath and above a user's document: the in-app defaults, and the overrides of this
/// device.
struct ConfigurationLayers: Sendable, Equatable {
    typealias Sections = [String: [String: SettingValue]]

    var defaults: Sections = [:]
    var overrides: Sections = [:]

    var isEmpty: Bool { defaults.isEmpty && overrides.isEmpty }

    /// True when other layers have the same settings in a section.
    func hasSection(_ name: String, as other: ConfigurationLayers) -> Bool {
        defaults[name] == other.defaults[name] && overrides[name] == other.overrides[name]
    }

    /// The document's sections with the layers applied; unaffected ones are the document's own.
    func applied(to document: [String: ActiveConfigSection]) -> NameTable<ActiveConfigSection> {
        if isEmpty { return NameTable(document) }
        var sections = document
        for name in sectionNames {
            sections[name] = applied(to: document[name], named: name)
        }
        return NameTable(sections)
    }

    /// The sections that have a layer.
    var sectionNames: Set<String> { Set(defaults.keys).union(overrides.keys) }

    /// A section with the layers applied; nil when neither the document nor a layer has it.
    func applied(
        to section: ActiveConfigSection?, named name: String
    ) -> ActiveConfigSection? {
        let document = section?.table.settings.entries ?? []
        let above = Self.entries(overrides[name])
        // Of entries with one name the last counts.
        let entries = Self.entries(defaults[name]) + document + above
        if entries.isEmpty { return section }
        if entries.count == document.count { return section }
        return ActiveConfigSection(NameTable(entries))
    }

    private static func entries(
        _ settings: [String: SettingValue]?
    ) -> ContiguousArray<NameTable<SettingValue>.Entry> {
        (settings.map { NameTable($0) } ?? NameTable([:])).entries
    }
}
