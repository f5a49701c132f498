import ActiveConfig
public import Foundation
import JSONTree

/// Imports the feature flags of one environment of LaunchDarkly: the answer of `GET
/// /api/v2/flags/PROJECT?env=ENVIRONMENT&summary=0`, or the data of server-side SDKs, which their
/// file data sources read.
///
/// Each flag becomes a setting of one section, with a condition for each of its targets and rules.
/// A rule that no condition can express is left out, and the report says what its users get.
public struct LaunchDarklyImport: TemplateImport {
    /// The template: one section, and conditions in an order in which each flag tries them.
    public let template: RemoteConfigTemplate

    /// Remarks on renamed flags, and on everything that is left out or behaves differently.
    public let report: [ImportRemark]

    /// Reads the flags.
    ///
    /// - Parameters:
    ///   - jsonData: The file, UTF-8 JSON.
    ///   - sectionName: The section for the flags; LaunchDarkly has none.
    /// - Throws: ``TemplateValidationError`` with all problems.
    public init(
        jsonData: Data, sectionName: String = RemoteConfigTemplate.defaultSectionName
    ) throws(TemplateValidationError) {
        let json: JSONNode
        do throws(ConfigurationFormatError) {
            json = try JSONNode(
                jsonData: jsonData,
                limits: ConfigurationLimits(maximumSize: ValidatedTemplate.maximumBytes))
        } catch {
            throw TemplateValidationError(error)
        }
        var reader = LaunchDarklyReader()
        let parameters = reader.readFile(json)
        reader.values.checkSectionName(sectionName)
        guard reader.values.found.problems.isEmpty else {
            throw TemplateValidationError(problems: reader.values.found.problems)
        }
        let template = RemoteConfigTemplate(
            conditions: reader.conditions.conditions, parameters: parameters, inSection: sectionName
        )
        self.template = try ValidatedTemplate(json: template.json()).template
        report = reader.values.report.remarks
    }
}
