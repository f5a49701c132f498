public import Foundation
import JSONTree
import OrderedCollections
import Targeting

/// A template of Firebase Remote Config, as its REST interface returns it and as `firebase
/// remoteconfig:get -o FILE` writes it.
///
/// Nothing is lost except the version, whose number and author belong to the Firebase project.
/// Fields that this backend does not evaluate are kept, and listed in the report.
///
/// ```swift
/// let firebase = try FirebaseImport(jsonData: Data(contentsOf: file))
/// for remark in firebase.report { print(remark) }
/// ```
public struct FirebaseImport: TemplateImport {
    /// The template, without a version.
    public let template: RemoteConfigTemplate

    /// Remarks on fields that are not evaluated here, or are evaluated differently.
    public let report: [ImportRemark]

    /// Reads a template.
    ///
    /// - Parameter jsonData: The file, UTF-8 JSON.
    /// - Throws: ``TemplateValidationError`` with every problem.
    public init(jsonData: Data) throws(TemplateValidationError) {
        let validated = try ValidatedTemplate(jsonData: jsonData)
        var template = validated.template
        var report: [ImportRemark] = []
        if let version = template.version {
            template.version = nil
            report.append(
                ImportRemark(
                    path: "version",
                    message: "version \(version.number) of Firebase is left out; the first publish "
                        + "here is version 1"))
        }
        report += Self.remarks(onConditionsOf: validated)
        report += validated.warnings.filter { $0.path.hasPrefix("conditions") }.map {
            ImportRemark(path: $0.path, message: $0.message)
        }
        let root = TemplatePath.root.member("parameters")
        if !template.parameters.isEmpty {
            report.append(
                ImportRemark(
                    path: root.description,
                    message: "parameters outside of groups become the section "
                        + RemoteConfigTemplate.defaultSectionName))
        }
        report += Self.remarks(on: template.parameters, root)
        for (name, group) in template.parameterGroups {
            let path = TemplatePath.root.member("parameterGroups").member(name)
            report += Self.remarks(on: group.parameters, path.member("parameters"))
        }
        self.template = template
        self.report = report
    }

    /// The remarks on conditions that use `percent`.
    private static func remarks(onConditionsOf validated: ValidatedTemplate) -> [ImportRemark] {
        validated.conditions.enumerated().filter(\.element.usesPercent).map { index, _ in
            ImportRemark(
                path: TemplatePath.root.member("conditions").element(index).description,
                message: "percent is drawn by the user's ID here, by the installation's in "
                    + "Firebase, so that other people may be in")
        }
    }

    private static func remarks(
        on parameters: OrderedDictionary<String, TemplateParameter>, _ path: TemplatePath
    ) -> [ImportRemark] {
        parameters.flatMap { key, parameter in
            let path = path.member(key)
            let values = parameter.conditionalValues.map {
                (path.member("conditionalValues").member($0.key), $0.value)
            }
            return typeRemarks(on: parameter, path)
                + values.flatMap { path, value in unevaluatedRemarks(on: value, path) }
        }
    }

    /// The remarks on a missing type, and on a text with a placeholder.
    private static func typeRemarks(
        on parameter: TemplateParameter, _ path: TemplatePath
    ) -> [ImportRemark] {
        var remarks: [ImportRemark] = []
        let contents =
            [parameter.defaultValue?.content]
            + parameter.conditionalValues.values.map { $0.content }
        let texts = contents.compactMap { content -> String? in
            if case .value(let text)? = content { text } else { nil }
        }
        let types: [ParameterValueType] = [.boolean, .number]
        if parameter.valueType == nil, !texts.isEmpty,
            let type = types.first(where: { type in
                texts.allSatisfy { type.problem(of: $0) == nil }
            })
        {
            remarks.append(
                ImportRemark(
                    path: path.description,
                    message: "it has no valueType and is served as a string; set valueType to "
                        + "\(type.rawValue) if the app reads it as one"))
        }
        if (parameter.valueType ?? .string) == .string, texts.contains(where: \.namesUser) {
            remarks.append(.userPlaceholder(at: path))
        }
        return remarks
    }

    /// Remarks on a value that Firebase evaluates and this backend does not.
    private static func unevaluatedRemarks(
        on value: ParameterValue, _ path: TemplatePath
    ) -> [ImportRemark] {
        guard case .unevaluated(let name, let node) = value.content else { return [] }
        var advice = "give the value yourself, under a condition"
        if name == "rolloutValue", let percent = node["percent"]?.doubleValue,
            let text = node["value"]?.stringValue
        {
            advice =
                "to go on with the rollout, add a condition \"percent <= \(percent)\" with the "
                + "value \"\(text.shortened)\""
        } else if name == "experimentValue" {
            advice = "to go on with the experiment, add a condition with percent for each variant"
        }
        return [
            ImportRemark(
                path: path.description,
                message: "\(name) is kept and not evaluated: its condition counts as false; "
                    + advice)
        ]
    }
}

extension ImportRemark {
    /// The remark on a placeholder, which Firebase serves as plain text.
    static func userPlaceholder(at path: TemplatePath) -> ImportRemark {
        ImportRemark(
            path: path.description,
            message: "\"${user.id}\" in a string is replaced by the user's ID here; change the "
                + "text if that is not meant")
    }
}

extension String {
    /// True when the text has the placeholder of the user's ID.
    var namesUser: Bool { parts(between: "${user.id}").count > 1 }
}
