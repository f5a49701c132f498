public import Foundation
public import JSONTree
public import Targeting

/// A template as Firebase's server libraries load and evaluate it: server conditions, and
/// parameters without groups.
///
/// It omits parameters that are archived or hidden from clients, and conditions that are true for everyone,
/// whose values become defaults. Pinned values are no part of it.
public struct ServerTemplate: Sendable {
    /// The template, with `conditions`, `parameters` and `version`.
    public let json: JSONNode

    /// A sentence for each part that the libraries evaluate differently.
    public let warnings: [String]

    /// Converts a template.
    ///
    /// - Parameters:
    ///   - template: The template.
    ///   - conditions: Its parsed conditions, in its order.
    ///   - version: Its version.
    ///   - date: The time that `dateTime` has in the conditions.
    public init(
        _ template: RemoteConfigTemplate, conditions: [TargetingCondition],
        version: TemplateVersion, at date: Date
    ) {
        var warnings: [String] = []
        var nodes: [JSONNode] = []
        var places = ConditionPlaces()
        for (condition, parsed) in zip(template.conditions, conditions) {
            var json = condition.serverCondition
            if json == nil {
                let (written, remarks) = parsed.serverCondition(at: date)
                warnings += remarks.map { "In the condition '\(condition.name.shortened)', \($0)." }
                json = written
            }
            places.append(condition, isAlwaysTrue: json == nil)
            if let json { nodes.append(["name": .string(condition.name), "condition": json]) }
        }
        var parameters: NamedValues<JSONNode> = [:]
        var owners: NamedValues<String> = [:]
        for (section, members) in template.withoutArchivedParameters.sections {
            for (key, parameter) in members where !parameter.isMasterKeyOnly {
                let path = "\(section).\(key)"
                if let owner = owners[key] {
                    // The name of the flag in OFREP; no key has a dot.
                    parameters[path] = parameter.serverJSON(places)
                    warnings.append("\(path) has this name here, since \(key) is that of \(owner).")
                } else {
                    owners[key] = section
                    parameters[key] = parameter.serverJSON(places)
                }
                if parameter.showsUserID {
                    warnings.append("\(path) has ${user.id}, which the libraries do not replace.")
                }
            }
        }
        self.warnings = warnings
        json = [
            "conditions": .array(nodes), "parameters": .object(parameters),
            "version": version.json,
        ]
    }
}

/// What the values of parameters depend on, by the names of conditions.
private struct ConditionPlaces {
    /// The conditions in order.
    private var places: NamedValues<Int> = [:]
    private var alwaysTrue: Set<ExactText> = []
    private var serverConditions: Set<ExactText> = []

    mutating func append(_ condition: TemplateCondition, isAlwaysTrue: Bool) {
        let name = ExactText(condition.name)
        places[condition.name] = places.count
        if isAlwaysTrue { alwaysTrue.insert(name) }
        if condition.serverCondition != nil { serverConditions.insert(name) }
    }

    func place(of name: String) -> Int? { places[name] }

    func isAlwaysTrue(_ name: String) -> Bool { alwaysTrue.contains(ExactText(name)) }

    func isServerCondition(_ name: String) -> Bool { serverConditions.contains(ExactText(name)) }
}

extension TemplateParameter {
    /// True when a value contains the placeholder for the user's ID.
    fileprivate var showsUserID: Bool {
        guard valueType ?? .string == .string else { return false }
        return ([defaultValue].compactMap { $0 } + conditionalValues.map(\.value)).contains {
            guard case .value(let text) = $0.content else { return false }
            return text.contains("${user.id}")
        }
    }

    /// The parameter with the values that the libraries choose as this backend does.
    fileprivate func serverJSON(_ places: ConditionPlaces) -> JSONNode {
        var parameter = self
        parameter.unknownFields = [:]
        parameter.owner = nil
        parameter.tags = []
        parameter.permanentReason = nil
        if case .unevaluated? = defaultValue?.content { parameter.defaultValue = nil }
        parameter.conditionalValues.removeAll { name, value in
            guard case .unevaluated = value.content else { return false }
            return !places.isServerCondition(name)
        }
        // A value that is always chosen is the default, and those after it are never chosen.
        let chosen = parameter.conditionalValues.filter { places.isAlwaysTrue($0.key) }
            .compactMap { name, value in places.place(of: name).map { (place: $0, value: value) } }
            .min { $0.place < $1.place }
        if let chosen {
            parameter.defaultValue = chosen.value
            parameter.conditionalValues.removeAll { name, _ in
                places.place(of: name).map { $0 >= chosen.place } ?? true
            }
        }
        parameter.conditionalValues = parameter.conditionalValues.mapValues { value in
            // Python's library would take a missing `value` for the text "None".
            if case .unevaluated = value.content { ParameterValue(.useInAppDefault) } else { value }
        }
        return parameter.json
    }
}
