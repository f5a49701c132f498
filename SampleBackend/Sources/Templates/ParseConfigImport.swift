import ActiveConfig
public import Foundation
import JSONTree

/// Imports the parameters of Parse Config, as `GET /config` returns them with the master key: an
/// object with `params` and, if there are any, `masterKeyOnly`; or only the object of parameters.
///
/// A string becomes a `STRING`, `true` and `false` a `BOOLEAN`, a number a `NUMBER`, and anything
/// else `JSON`. Without the master key, Parse omits the parameters that it hides from clients.
public struct ParseConfigImport: TemplateImport {
    /// The template: one section, without conditions.
    public let template: RemoteConfigTemplate

    /// Remarks on renamed parameters, and on values of types that JSON lacks.
    public let report: [ImportRemark]

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - jsonData: The file, UTF-8 JSON.
    ///   - sectionName: The section for the parameters; Parse Config has none.
    /// - Throws: ``TemplateValidationError`` with all problems.
    public init(
        jsonData: Data, sectionName: String = RemoteConfigTemplate.defaultSectionName
    ) throws(TemplateValidationError) {
        var reader = ParseConfigReader()
        let parameters: NamedValues<TemplateParameter>
        do throws(ConfigurationFormatError) {
            let json = try JSONNode(
                jsonData: jsonData,
                limits: ConfigurationLimits(maximumSize: ValidatedTemplate.maximumBytes))
            parameters = reader.readFile(json)
            reader.values.checkSectionName(sectionName)
        } catch {
            throw TemplateValidationError(error)
        }
        guard reader.values.found.problems.isEmpty else {
            throw TemplateValidationError(problems: reader.values.found.problems)
        }
        let template = RemoteConfigTemplate(parameters: parameters, inSection: sectionName)
        self.template = try ValidatedTemplate(json: template.json()).template
        report = reader.values.report.remarks
    }
}

/// Reads the parameters of Parse Config, and adds a remark for each change.
private struct ParseConfigReader {
    var values = PlainValuesReader()

    /// Reads a file: the response of `GET /config`, or only the parameters.
    mutating func readFile(_ json: JSONNode) -> NamedValues<TemplateParameter> {
        let members = values.found.object(json, .root)
        // An app can have a parameter named "params".
        let isAnswer =
            members["params"]?.objectValue != nil
            && members.names.allSatisfy { ["params", "masterKeyOnly"].contains($0) }
        if FirebaseImport.isTemplate(members) {
            values.found.add(
                .root, "it is a template, not the parameters of Parse; import it as one of Firebase"
            )
            return [:]
        }
        if ConfigurationImport.isConfiguration(json) {
            values.found.add(
                .root,
                "it is a configuration document, not the parameters of Parse; import it as one")
            return [:]
        }
        guard isAnswer else { return readParameters(members, masterKeyOnly: [:], .root) }
        let path = TemplatePath.root.member("masterKeyOnly")
        let secrets = members["masterKeyOnly"] ?? .null
        return readParameters(
            members["params"]?.objectValue ?? [:],
            masterKeyOnly: secrets == .null ? [:] : values.found.object(secrets, path),
            TemplatePath.root.member("params"))
    }

    private mutating func readParameters(
        _ parameters: NamedValues<JSONNode>,
        masterKeyOnly: NamedValues<JSONNode>, _ path: TemplatePath
    ) -> NamedValues<TemplateParameter> {
        let result = values.readParameters(parameters, path) { parameter, source, report in
            Self.noteTypes(in: source.value, source.path, &report)
            parameter.isMasterKeyOnly = Self.readSecrecy(
                masterKeyOnly[source.name], source.name, &report)
        }
        for name in masterKeyOnly.names where parameters[name] == nil {
            values.report.add(
                TemplatePath.root.member("masterKeyOnly").member(name),
                "there is no parameter of this name; it is left out")
        }
        return result
    }

    /// True when a parameter is hidden from clients.
    private static func readSecrecy(
        _ node: JSONNode?, _ name: String, _ report: inout ImportReport
    ) -> Bool {
        switch node {
        case nil, .null: return false
        case .bool(let value): return value
        case let node?:
            report.add(
                TemplatePath.root.member("masterKeyOnly").member(name),
                "it is \(node.kindDescription), not true or false; the parameter is hidden from "
                    + "clients")
            return true
        }
    }

    /// Adds remarks on values of Parse's own types, at any depth; the JSON reader has limited the
    /// depth.
    private static func noteTypes(
        in value: JSONNode, _ path: TemplatePath, _ report: inout ImportReport
    ) {
        switch value {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                noteTypes(in: element, path.element(index), &report)
            }
        case .object(let members):
            if let type = members["__type"]?.stringValue {
                let advice = advice[type.shortened] ?? "decode it in the app"
                report.add(
                    path, "a value of Parse's type \(type.shortened) is kept as JSON; \(advice)")
            }
            for (name, member) in members {
                noteTypes(in: member, path.member(name), &report)
            }
        default: break
        }
    }

    /// Advice for values of Parse's own types.
    private static let advice = [
        "Bytes": "decode the text at \"base64\"",
        "Date": "read the time at \"iso\"",
        "File": "the file itself stays where \"url\" points",
        "GeoPoint": "read \"latitude\" and \"longitude\"",
        "Pointer": "the object itself stays in Parse",
        "Relation": "the objects themselves stay in Parse",
    ]
}
