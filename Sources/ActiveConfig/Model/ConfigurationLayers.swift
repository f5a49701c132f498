/// What lies beneath and above a user's document, setting by setting: the in-app defaults, and the
/// overrides of this device.
struct ConfigurationLayers: Sendable, Equatable {
    typealias Sections = [String: [String: SettingValue]]

    var defaults: Sections = [:]
    var overrides: Sections = [:]

    var isEmpty: Bool { defaults.isEmpty && overrides.isEmpty }

    /// Whether other layers say the same of a section.
    func hasSection(_ name: String, as other: ConfigurationLayers) -> Bool {
        defaults[name] == other.defaults[name] && overrides[name] == other.overrides[name]
    }

    /// The document's sections with the layers applied; untouched ones are the document's own.
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

    /// A section with the layers applied; nil when neither it nor a layer of it exists.
    func applied(
        to section: ActiveConfigSection?, named name: String
    ) -> ActiveConfigSection? {
        let document = section?.table.settings.entries ?? []
        let above = Self.entries(overrides[name])
        // Of entries with one name the last one counts.
        let entries = Self.entries(defaults[name]) + document + above
        if entries.isEmpty { return section }
        if entries.count == document.count { return section }
        let largeIntegers = section?.table.largeIntegers.filter { overrides[name]?[$0.key] == nil }
        return ActiveConfigSection(NameTable(entries), largeIntegers: largeIntegers ?? [:])
    }

    private static func entries(
        _ settings: [String: SettingValue]?
    ) -> ContiguousArray<NameTable<SettingValue>.Entry> {
        (settings.map { NameTable($0) } ?? NameTable([:])).entries
    }
}
