import ClientAPI
import Foundation
import HTTPServing
import HTTPTypes
import JSONTree
import TemplateStore
import Templates

/// The route of API 3 that converts the export of another service into a template.
struct ImportRoutes: Sendable {
    /// The file formats, with their names in requests.
    enum Format: String, Sendable, CaseIterable {
        case activeConfig = "ACTIVECONFIG"
        case firebase = "FIREBASE"
        case launchDarkly = "LAUNCHDARKLY"
        case parse = "PARSE"
    }

    var routes: [Route] {
        [
            Route(
                "/v1/projects/{project}/remoteConfig:import",
                [.post: Endpoint(access: RoleAccess(.editor), handler: convert)])
        ]
    }

    /// Returns the template of a file and a report of what is lost; nothing is stored.
    @Sendable
    private func convert(_ request: RouteRequest) throws -> RouteResponse {
        try ProjectName.check(request.project)
        let body = try request.jsonBody(knows: ["format", "file", "section"])
        guard let format = body["format"]?.stringValue.flatMap(Format.init(rawValue:)) else {
            throw RequestError.invalidArgument(
                "format is missing or unknown: send \"ACTIVECONFIG\", \"FIREBASE\", "
                    + "\"LAUNCHDARKLY\" or \"PARSE\".")
        }
        guard let file = body["file"] else {
            throw RequestError.invalidArgument(
                "file is missing: send the JSON of the file to import.")
        }
        let section = try section(in: body)
        do throws(TemplateValidationError) {
            let (template, report) = try Self.convert(file, as: format, section: section)
            return .json([
                "template": template.json(includingVersion: false),
                "report": .array(
                    report.map { ["path": .string($0.path), "message": .string($0.message)] }),
            ])
        } catch {
            throw RequestError.invalidFile(error)
        }
    }

    /// The section for LaunchDarkly's flags or Parse's parameters.
    private func section(in body: JSONNode) throws(RequestError) -> String {
        guard let node = body["section"], node != .null else {
            return RemoteConfigTemplate.defaultSectionName
        }
        guard let name = node.stringValue, !name.isEmpty else {
            throw .invalidArgument("section is not a name: send a nonempty string.")
        }
        return name
    }

    /// Maximum number of remarks on rules that are probably never true.
    private static let maximumDoubts = 200

    /// True for a template that a server of this kind wrote: it names its users by their tokens,
    /// Firebase by their addresses.
    ///
    /// A file that does not say so can be of Firebase, with the same members.
    private static func statesOwnUser(_ template: JSONNode) -> Bool {
        template["version"]?["updateUser"]?["name"]?.stringValue != nil
            && template["version"]?["updateUser"]?["email"] == nil
    }

    private static func convert(
        _ file: JSONNode, as format: Format, section: String
    ) throws(TemplateValidationError) -> (RemoteConfigTemplate, [ImportRemark]) {
        switch format {
        case .activeConfig:
            if ConfigurationImport.isConfiguration(file) {
                let result = try ConfigurationImport(json: file)
                return (result.template, result.report)
            }
            let validated = try ValidatedTemplate(json: file)
            guard statesOwnUser(file) else {
                let result = FirebaseImport(validated)
                return (result.template, result.report)
            }
            let remarks = validated.doubts(atMost: maximumDoubts) + validated.warnings
            return (
                validated.template,
                remarks.map { ImportRemark(path: $0.path, message: $0.message) }
            )
        case .firebase:
            let result = try FirebaseImport(jsonData: file.jsonData())
            return (result.template, result.report)
        case .launchDarkly:
            let result = try LaunchDarklyImport(jsonData: file.jsonData(), sectionName: section)
            return (result.template, result.report)
        case .parse:
            let result = try ParseConfigImport(jsonData: file.jsonData(), sectionName: section)
            return (result.template, result.report)
        }
    }
}
