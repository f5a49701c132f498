public import JSONTree

extension RemoteConfigTemplate {
    /// Returns the template in Firebase's format.
    ///
    /// Keeps the order of all members; unknown fields follow the known ones. An empty template has
    /// an empty `parameters`, which identifies it as a template.
    ///
    /// - Parameter includingVersion: True to include `version`, if there is one.
    /// - Returns: The JSON object.
    public func json(includingVersion: Bool = true) -> JSONNode {
        var members: NamedValues<JSONNode> = [:]
        if !conditions.isEmpty { members["conditions"] = .array(conditions.map(\.json)) }
        if !parameters.isEmpty || (conditions.isEmpty && parameterGroups.isEmpty) {
            members["parameters"] = parameters.json
        }
        if !parameterGroups.isEmpty {
            members["parameterGroups"] = .object(
                parameterGroups.mapValues { group in
                    var members: NamedValues<JSONNode> = [:]
                    members["description"] = group.description.map { .string($0) }
                    members["parameters"] = group.parameters.json
                    return .object(members.adding(group.unknownFields))
                })
        }
        if includingVersion { members["version"] = version?.json }
        return .object(members.adding(unknownFields))
    }
}

extension TemplateCondition {
    /// The condition as an element of `conditions`.
    var json: JSONNode {
        var members: NamedValues<JSONNode> = ["name": .string(name)]
        members["expression"] = expression.map { .string($0) }
        members["condition"] = serverCondition
        members["tagColor"] = tagColor.map { .string($0) }
        return .object(members.adding(unknownFields))
    }
}

extension NamedValues<TemplateParameter> {
    fileprivate var json: JSONNode { .object(mapValues(\.json)) }
}

extension TemplateParameter {
    /// The parameter as the value of its key.
    var json: JSONNode {
        var members: NamedValues<JSONNode> = [:]
        members["defaultValue"] = defaultValue?.json
        if !conditionalValues.isEmpty {
            members["conditionalValues"] = .object(conditionalValues.mapValues(\.json))
        }
        members["description"] = description.map { .string($0) }
        members["valueType"] = valueType.map { .string($0.rawValue) }
        if isMasterKeyOnly { members["masterKeyOnly"] = true }
        members["owner"] = owner.map { .string($0) }
        members["tags"] = tagsJSON
        members["permanent"] = permanentReason.map { .string($0) }
        if isArchived { members["archived"] = true }
        return .object(members.adding(unknownFields))
    }

    /// The tags as the member `tags`; nil without tags.
    var tagsJSON: JSONNode? { tags.isEmpty ? nil : .array(tags.map { .string($0) }) }
}

extension ParameterValue {
    /// The value as a member of `conditionalValues`, or as `defaultValue`.
    var json: JSONNode {
        var members: NamedValues<JSONNode> = [:]
        switch content {
        case .value(let text): members["value"] = .string(text)
        case .useInAppDefault: members["useInAppDefault"] = true
        case .unevaluated(let name, let node): members[name] = node
        }
        return .object(members.adding(unknownFields))
    }
}

extension NamedValues<JSONNode> {
    func adding(_ others: Self) -> Self {
        merging(others, uniquingKeysWith: { known, _ in known })
    }
}
