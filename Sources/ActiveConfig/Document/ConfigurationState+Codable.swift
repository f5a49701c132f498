extension ConfigurationState: Codable {
    private enum CodingKeys: String, CodingKey {
        case meta
        case sections = "config_sections"
    }

    /// Reads a document in the shape of the exchange format from any decoder; for text, the
    /// initializer `init(jsonData:)` is faster and keeps `1.0` apart from `1`.
    ///
    /// - Throws: `DecodingError` when `meta` or `config_sections` is missing or not an object;
    ///   ``ConfigurationFormatError`` when the format's version is newer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let meta = try container.decode([String: SettingValue].self, forKey: .meta)
        let sections = try container.decode([String: SettingValue].self, forKey: .sections)
        try FormatVersion.check(meta)
        self.init(
            meta: meta,
            sections: sections.mapValues { section in
                let settings = section.dictionaryValue?["settings"]?.dictionaryValue ?? [:]
                return ActiveConfigSection(
                    settings: settings.compactMapValues { $0.dictionaryValue?["value"] })
            })
    }

    /// Writes the shape of the exchange format; ``entityTag`` is no part of it.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(meta, forKey: .meta)
        let sections = sections.mapValues { section in
            let settings = Dictionary(
                uniqueKeysWithValues: section.table.settings.entries.map {
                    ($0.name, SettingValue.object(["value": $0.value]))
                })
            return SettingValue.object(["settings": .object(settings)])
        }
        try container.encode(sections, forKey: .sections)
    }
}
