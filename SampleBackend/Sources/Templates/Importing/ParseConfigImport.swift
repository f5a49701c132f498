import ActiveConfig
public import Foundation
import JSONTree
import OrderedCollections

/// The parameters of Parse Config, as `GET /config` answers with the master key: an object with
/// `params` and, if there are any, `masterKeyOnly`; also the bare object of parameters.
///
/// A string becomes a `STRING`, `true` and `false` a `BOOLEAN`, a number a `NUMBER`, anything else
/// `JSON`. Without the master key Parse leaves out what it keeps from clients, and so does the file.
public struct ParseConfigImport: TemplateImport {
    /// The template: one section, without conditions.
    public let template: RemoteConfigTemplate

    /// What was renamed, and values of types that JSON does not have.
    public let report: [ImportRemark]

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - jsonData: The file, UTF-8 JSON.
    ///   - sectionName: The section that the parameters become; Parse Config has none.
    /// - Throws: ``TemplateValidationError`` with every problem.
    public init(
        jsonData: Data, sectionName: String = RemoteConfigTemplate.defaultSectionName
    ) throws(TemplateValidationError) {
        var reader = ParseConfigReader()
        let parameters: OrderedDictionary<String, TemplateParameter>
        do throws(ConfigurationFormatError) {
            let json = try JSONNode(
                jsonData: jsonData,
                limits: ConfigurationLimits(maximumSize: ValidatedTemplate.maximumBytes))
            parameters = reader.readFile(json)
        } catch {
            throw TemplateValidationError(error)
        }
        guard reader.found.problems.isEmpty else {
            throw TemplateValidationError(problems: reader.found.problems)
        }
        let template =
            sectionName == RemoteConfigTemplate.defaultSectionName
            ? RemoteConfigTemplate(parameters: parameters)
            : RemoteConfigTemplate(
                parameterGroups: [sectionName: ParameterGroup(parameters: parameters)])
        self.template = try ValidatedTemplate(json: template.json()).template
        report = reader.report
    }
}
