public import JSONTree

/// Converts a configuration document in the exchange format, such as a bootstrap file, to a
/// template: each section becomes a group, and each value the default of a parameter.
///
/// A string becomes a `STRING`, `true` and `false` a `BOOLEAN`, a number a `NUMBER`, and anything
/// else `JSON`.
public struct ConfigurationImport: TemplateImport {
    /// The template, without conditions.
    public let template: RemoteConfigTemplate

    /// Remarks on renamed settings and omitted values.
    public let report: [ImportRemark]

    /// Returns a Boolean value that indicates whether a file is a configuration document.
    ///
    /// - Parameter json: The file.
    /// - Returns: True for an object with `config_sections`.
    public static func isConfiguration(_ json: JSONNode) -> Bool {
        json[sectionsName]?.objectValue != nil
    }

    static let sectionsName = "config_sections"

    /// Reads a document.
    ///
    /// - Parameter json: The document.
    /// - Throws: ``TemplateValidationError`` with all problems.
    public init(json: JSONNode) throws(TemplateValidationError) {
        guard let sections = json[Self.sectionsName]?.objectValue else {
            throw TemplateValidationError(problems: [
                TemplateProblem(
                    path: "",
                    message: "it has no \(Self.sectionsName); give a configuration document, such "
                        + "as a bootstrap file")
            ])
        }
        var reader = ConfigurationReader()
        let template = reader.readSections(sections, TemplatePath.root.member(Self.sectionsName))
        reader.noteUnknown(json.objectValue ?? [:], .root, known: ["meta", Self.sectionsName])
        guard reader.values.found.problems.isEmpty else {
            throw TemplateValidationError(problems: reader.values.found.problems)
        }
        self.template = try ValidatedTemplate(json: template.json()).template
        report = reader.values.report.remarks
    }
}

/// Reads a configuration document, and adds a remark for each change.
private struct ConfigurationReader {
    private(set) var values = PlainValuesReader()

    mutating func readSections(
        _ sections: NamedValues<JSONNode>, _ path: TemplatePath
    ) -> RemoteConfigTemplate {
        var template = RemoteConfigTemplate()
        for (name, section) in sections {
            let parameters = readSettings(of: section, path.member(name))
            if name == RemoteConfigTemplate.defaultSectionName {
                template.parameters = parameters
            } else {
                template.parameterGroups[name] = ParameterGroup(parameters: parameters)
            }
        }
        return template
    }

    /// Reads the settings of a section; omits settings without a value, as the format does.
    private mutating func readSettings(
        of section: JSONNode, _ path: TemplatePath
    ) -> NamedValues<TemplateParameter> {
        let members = values.found.object(section, path)
        noteUnknown(members, path, known: ["settings"])
        guard let settings = members["settings"] else {
            values.report.add(path, "it has no settings; it becomes an empty group")
            return [:]
        }
        let path = path.member("settings")
        var found: NamedValues<JSONNode> = [:]
        for (key, setting) in values.found.object(settings, path) {
            let path = path.member(key)
            if let members = setting.objectValue, let value = members["value"] {
                found[key] = value
                noteUnknown(members, path, known: ["value"])
            } else {
                let fault =
                    setting.objectValue == nil
                    ? "it is \(setting.kindDescription) where an object with a value is expected"
                    : "it has no value"
                values.report.add(path, "\(fault); it is left out")
            }
        }
        return values.readParameters(found, path)
    }

    /// Adds a remark for each member that the format does not define.
    mutating func noteUnknown(
        _ members: NamedValues<JSONNode>, _ path: TemplatePath, known: [String]
    ) {
        for name in members.names where !known.contains(name) {
            values.report.add(path.member(name), "the format does not define it; it is left out")
        }
    }
}
