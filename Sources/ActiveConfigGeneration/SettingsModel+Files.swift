import ActiveConfig
public import Foundation

extension SettingsModel {
    /// Reads a model from a document of the exchange format, and a schema that adds types and
    /// descriptions.
    ///
    /// A schema is JSON in the shape of the document; every member is optional:
    ///
    /// ```json
    /// {
    ///     "access_level": "public",
    ///     "config_sections": {
    ///         "Checkout": {
    ///             "description": "The way from the cart to the order.",
    ///             "settings": {
    ///                 "timeout": { "type": "duration", "description": "For each request." }
    ///             }
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// A setting without a type in the schema has the type inferred from its value; see
    /// ``SettingType/init(of:)``. A setting that is only in the schema needs an optional type; its
    /// default is nil.
    ///
    /// - Parameters:
    ///   - document: The document, UTF-8 JSON.
    ///   - schema: The schema, UTF-8 JSON.
    /// - Throws: ``SettingsModelError`` with the place and the reason.
    public init(document: Data, schema: Data? = nil) throws(SettingsModelError) {
        let state: ConfigurationState
        do throws(ConfigurationFormatError) {
            state = try ConfigurationState(jsonData: document)
        } catch {
            throw SettingsModelError(error, in: .document)
        }
        let schema = try SettingsSchema(schema)
        let names = Set(state.sections.keys).union(schema.sections.keys)
        var sections: [String: Section] = [:]
        // Sorted, so that the same one of several faults is always reported.
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            sections[name] = try Self.section(
                name, state.sections[name], schema, document: document)
        }
        self.init(sections: sections, accessLevel: schema.accessLevel)
    }

    /// The sections and settings that a model leaves out, since they do not have the format's
    /// shape, or rounds, since they contain an integer beyond 64 bits.
    ///
    /// - Parameter document: The document, UTF-8 JSON.
    /// - Returns: At most 50, each with its place; none when the document is unreadable.
    public static func omissions(in document: Data) -> [SettingsModelError] {
        let problems = (try? ConfigurationState(jsonData: document))?.problems ?? []
        return problems.map { problem in
            let section = DocumentPath(members: "config_sections", problem.path.sectionName)
            let isSection = problem.path.name.isEmpty
            let path =
                isSection
                ? section : section + DocumentPath(members: "settings", problem.path.name)
            return SettingsModelError(
                reason: "the \(isSection ? "section" : "setting") \(problem.reason)",
                path: path.description, file: .document, position: path.position(in: document))
        }
    }

    private static func section(
        _ name: String, _ section: ActiveConfigSection?, _ schema: SettingsSchema, document: Data
    ) throws(SettingsModelError) -> Section {
        let entry = schema.sections[name] ?? SettingsSchema.Section()
        let names = Set(section?.settingKeys ?? []).union(entry.settings.keys)
        var settings: [String: Setting] = [:]
        for key in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let place = DocumentPath(members: "config_sections", name, "settings", key)
            let declared = entry.settings[key] ?? SettingsSchema.Setting()
            if let value = section?[key] {
                settings[key] = try setting(value, declared, at: place, document)
            } else if case .optional? = declared.type?.kind, let type = declared.type {
                settings[key] = try setting(
                    .null, SettingsSchema.Setting(type: type, description: declared.description),
                    at: place, document)
            } else {
                throw schema.error(
                    "the document has no such setting, so there is no default; add it there, or "
                        + "make its type optional, such as \"string?\"", at: place)
            }
        }
        if section == nil, names.isEmpty {
            throw schema.error(
                "the document has no such section; add it there, or remove it here",
                at: DocumentPath(members: "config_sections", name))
        }
        return Section(description: entry.description, settings: settings)
    }

    private static func setting(
        _ value: SettingValue, _ declared: SettingsSchema.Setting, at place: DocumentPath,
        _ document: Data
    ) throws(SettingsModelError) -> Setting {
        guard let type = declared.type else {
            return Setting(default: value, description: declared.description)
        }
        do throws(SettingMismatch) {
            return try Setting(checked: value, type: type, description: declared.description)
        } catch {
            let path = place + DocumentPath(members: "value") + error.path
            throw SettingsModelError(
                reason: error.reason, path: path.description, file: .document,
                position: path.position(in: document))
        }
    }
}
