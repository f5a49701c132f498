public import Foundation
import JSONTree
import OrderedCollections
import Targeting

/// Imports a template of Firebase Remote Config, as its REST interface returns it and `firebase
/// remoteconfig:get -o FILE` writes it.
///
/// Keeps everything except the version, whose number and author belong to the Firebase project.
/// Fields that this backend does not evaluate are kept and listed in the report.
///
/// ```swift
/// let firebase = try FirebaseImport(jsonData: Data(contentsOf: file))
/// for remark in firebase.report { print(remark) }
/// ```
public struct FirebaseImport: TemplateImport {
    /// The template, without a version.
    public let template: RemoteConfigTemplate

    /// Remarks on fields that this backend does not evaluate, or evaluates differently.
    public let report: [ImportRemark]

    /// Reads a template.
    ///
    /// - Parameter jsonData: The file, UTF-8 JSON.
    /// - Throws: ``TemplateValidationError`` with all problems.
    public init(jsonData: Data) throws(TemplateValidationError) {
        let validated = try ValidatedTemplate(jsonData: jsonData)
        var template = validated.template
        var report = ImportReport()
        if let version = template.version {
            template.version = nil
            report.add(
                TemplatePath.root.member("version"),
                "version \(version.number) of Firebase is left out; this project counts its own "
                    + "versions")
        }
        Self.addRemarks(onConditionsOf: validated, to: &report)
        for warning in validated.warnings where warning.path.hasPrefix("conditions") {
            report.add(warning)
        }
        let root = TemplatePath.root.member("parameters")
        if !template.parameters.isEmpty {
            report.add(
                root,
                "parameters outside of groups become the section "
                    + RemoteConfigTemplate.defaultSectionName)
        }
        Self.addRemarks(on: template.parameters, root, to: &report)
        for (name, group) in template.parameterGroups {
            let path = TemplatePath.root.member("parameterGroups").member(name)
            Self.addRemarks(on: group.parameters, path.member("parameters"), to: &report)
        }
        self.template = template
        self.report = report.remarks
    }

    /// Adds remarks on conditions that use `percent`.
    private static func addRemarks(
        onConditionsOf validated: ValidatedTemplate, to report: inout ImportReport
    ) {
        for (index, condition) in validated.conditions.enumerated() where condition.usesPercent {
            report.add(
                TemplatePath.root.member("conditions").element(index),
                "percent depends on the user's ID here, but on the installation's in Firebase, so "
                    + "it can select other people")
        }
    }

    private static func addRemarks(
        on parameters: OrderedDictionary<String, TemplateParameter>, _ path: TemplatePath,
        to report: inout ImportReport
    ) {
        for (key, parameter) in parameters {
            let path = path.member(key)
            addTypeRemarks(on: parameter, path, to: &report)
            for (condition, value) in parameter.conditionalValues {
                addUnevaluatedRemark(
                    on: value, path.member("conditionalValues").member(condition), to: &report)
            }
        }
    }

    /// Adds remarks on missing types and on texts with a placeholder.
    private static func addTypeRemarks(
        on parameter: TemplateParameter, _ path: TemplatePath, to report: inout ImportReport
    ) {
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
            report.add(
                path,
                "it has no valueType and is served as a string; set valueType to "
                    + "\(type.rawValue) if the app reads it as one")
        }
        if (parameter.valueType ?? .string) == .string, texts.contains(where: \.namesUser) {
            report.addUserPlaceholder(path)
        }
    }

    /// Adds a remark on a value that Firebase evaluates and this backend does not.
    private static func addUnevaluatedRemark(
        on value: ParameterValue, _ path: TemplatePath, to report: inout ImportReport
    ) {
        guard case .unevaluated(let name, let node) = value.content else { return }
        var advice = "set the value yourself, under a condition"
        if name == "rolloutValue", let percent = node["percent"]?.doubleValue,
            let text = node["value"]?.stringValue
        {
            advice =
                "to continue the rollout, add a condition \"percent <= \(percent)\" with the "
                + "value \"\(text.shortened)\""
        } else if name == "experimentValue" {
            advice = "to continue the experiment, add a condition with percent for each variant"
        }
        report.add(
            path, "\(name) is kept and not evaluated: its condition counts as false; \(advice)")
    }
}
