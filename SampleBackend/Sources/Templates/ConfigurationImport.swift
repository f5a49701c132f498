public import JSONTree
import OrderedCollections

/// A configuration document in the exchange format, such as a bootstrap file, as a template: each
/// section is a group, and each value the default of a parameter.
///
/// A string becomes a `STRING`, `true` and `false` a `BOOLEAN`, a number a `NUMBER`, anything else
/// `JSON`.
public struct ConfigurationImport: TemplateImport {
    /// The template, without conditions.
    public let template: RemoteConfigTemplate

    /// Remarks on renamed settings, and on those without a value.
    public let report: [ImportRemark]

    /// Returns a Boolean value that indicates whether a file is a configuration document.
    ///
    /// - Parameter json: The file.
    /// - Returns: True for an object with `config_sections`.
    public static func isConfiguration(_ json: JSONNode) -> Bool {
        json[sectionsName]?.objectValue != nil
    }

    private static let sectionsName = "config_sections"

    /// Reads a document.
    ///
    /// - Parameter json: The document.
    /// - Throws: ``TemplateValidationError`` with every problem.
    public init(json: JSONNode) throws(TemplateValidationError) {
        guard let sections = json[Self.sectionsName]?.objectValue else {
            throw TemplateValidationError(problems: [
                TemplateProblem(
                    path: "",
                    message: "it has no \(Self.sectionsName); give a configuration document, such "
                        + "as a bootstrap file")
            ])
        }
        var reader = ParseConfigReader()
        var template = RemoteConfigTemplate()
        let path = TemplatePath.root.member(Self.sectionsName)
        for (name, section) in sections {
            let parameters = reader.readSettings(of: section, path.member(name))
            if name == RemoteConfigTemplate.defaultSectionName {
                template.parameters = parameters
            } else {
                template.parameterGroups[name] = ParameterGroup(parameters: parameters)
            }
        }
        guard reader.found.problems.isEmpty else {
            throw TemplateValidationError(problems: reader.found.problems)
        }
        self.template = try ValidatedTemplate(json: template.json()).template
        report = reader.report.remarks
    }
}

extension ParseConfigReader {
    /// Reads the settings of a section, and leaves out what has no value, as the format does.
    fileprivate mutating func readSettings(
        of section: JSONNode, _ path: TemplatePath
    ) -> OrderedDictionary<String, TemplateParameter> {
        let path = path.member("settings")
        var values: OrderedDictionary<String, JSONNode> = [:]
        for (key, setting) in section["settings"]?.objectValue ?? [:] {
            if let value = setting["value"] {
                values[key] = value
            } else {
                report.add(path.member(key), "it has no value; it is left out")
            }
        }
        return readParameters(values, masterKeyOnly: [:], path)
    }
}
