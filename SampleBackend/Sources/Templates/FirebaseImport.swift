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
        self.init(try ValidatedTemplate(jsonData: jsonData))
    }

    /// Converts a template that was read.
    ///
    /// - Parameter validated: The template.
    public init(_ validated: ValidatedTemplate) {
        var template = validated.template
        var report = ImportReport()
        if let version = template.version {
            template.version = nil
            report.add(
                TemplatePath.root.member("version"),
                "version \(version.number) is left out; this project counts its own versions")
        }
        Self.addRemarks(onConditionsOf: validated, to: &report)
        let root = TemplatePath.root.member("parameters")
        let groups = template.parameterGroups.map { name, group in
            let path = TemplatePath.root.member("parameterGroups").member(name)
            return (path: path.member("parameters"), parameters: group.parameters)
        }
        let lists = [(path: root, parameters: template.parameters)] + groups
        let unevaluated = lists.flatMap { path, parameters in
            parameters.flatMap { key, parameter in
                UnevaluatedValue.all(of: parameter, path.member(key))
            }
        }
        let remarked = Set(unevaluated.map(\.path.description))
        for warning in validated.warnings where !remarked.contains(warning.path) {
            report.add(warning)
        }
        if !template.parameters.isEmpty {
            report.add(
                root,
                "parameters outside of groups become the section "
                    + RemoteConfigTemplate.defaultSectionName)
        }
        for (path, parameters) in lists {
            for (key, parameter) in parameters {
                Self.addTypeRemarks(on: parameter, path.member(key), to: &report)
            }
        }
        for value in unevaluated { report.add(value.path, value.remark) }
        self.template = template
        self.report = report.remarks
    }

    /// True for a template of Firebase.
    static func isTemplate(_ members: NamedValues<JSONNode>) -> Bool {
        let names = ["conditions", "parameters", "parameterGroups"]
        return names.contains { members[$0] != nil }
            && members.names.allSatisfy { (names + ["version", "etag"]).contains($0) }
    }

    /// Adds remarks on conditions that use `percent`, and on rules that are probably never true.
    private static func addRemarks(
        onConditionsOf validated: ValidatedTemplate, to report: inout ImportReport
    ) {
        for (index, condition) in validated.conditions.enumerated() where condition.usesPercent {
            report.add(
                TemplatePath.root.member("conditions").element(index),
                "percent depends on the user's ID here, but on the installation's in Firebase, so "
                    + "in a template from there it can select other people")
        }
        for doubt in validated.doubts(atMost: ImportReport.maximumCount) { report.add(doubt) }
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
}

/// A value that Firebase evaluates and this backend only keeps, such as a personalization.
private struct UnevaluatedValue {
    let path: TemplatePath

    /// The name of the value's member, such as `rolloutValue`.
    private let name: String

    private let node: JSONNode

    private let isDefault: Bool

    private init?(_ value: ParameterValue?, _ path: TemplatePath, isDefault: Bool) {
        guard case .unevaluated(let name, let node)? = value?.content else { return nil }
        self.path = path
        self.name = name
        self.node = node
        self.isDefault = isDefault
    }

    /// All such values of the parameter at a path.
    static func all(of parameter: TemplateParameter, _ path: TemplatePath) -> [UnevaluatedValue] {
        let defaultValue = UnevaluatedValue(
            parameter.defaultValue, path.member("defaultValue"), isDefault: true)
        return [defaultValue].compactMap(\.self)
            + parameter.conditionalValues.compactMap { condition, value in
                UnevaluatedValue(
                    value, path.member("conditionalValues").member(condition), isDefault: false)
            }
    }

    /// The effect, and the advice.
    var remark: String {
        let effect =
            isDefault
            ? ParameterValue.unevaluatedDefault : ParameterValue.unevaluatedConditionalValue
        return "\(name) is kept and not evaluated: \(effect); \(advice)"
    }

    private var advice: String {
        if name == "rolloutValue", let percent = node["percent"]?.doubleValue,
            let text = node["value"]?.stringValue
        {
            return "to continue the rollout, add a condition \"percent <= \(percent)\" with the "
                + "value \"\(text.shortened)\""
        }
        if name == "experimentValue" {
            return "to continue the experiment, add a condition with percent for each variant"
        }
        return isDefault
            ? "set a default value yourself" : "set the value yourself, under a condition"
    }
}
