public import JSONTree
import OrderedCollections

/// A template in the format of Firebase Remote Config: conditions, and parameters with a value for
/// each condition.
///
/// Each parameter group becomes a section of the rendered configurations; the parameters outside
/// groups become the section ``defaultSectionName``. Unlike in Firebase, two groups may contain the
/// same key.
public struct RemoteConfigTemplate: Sendable, Hashable {
    /// The section of the parameters outside groups.
    public static let defaultSectionName = "Default"

    /// The conditions in descending priority.
    public var conditions: [TemplateCondition]

    /// The parameters outside groups, by key.
    public var parameters: NamedValues<TemplateParameter>

    /// The groups by name.
    public var parameterGroups: NamedValues<ParameterGroup>

    /// The author, time and kind of the publish; nil in an unpublished template.
    public var version: TemplateVersion?

    /// Unknown members of the JSON object, which are written back.
    public var unknownFields: NamedValues<JSONNode>

    /// Creates a template, by default an empty one.
    ///
    /// - Parameters:
    ///   - conditions: The conditions in descending priority.
    ///   - parameters: The parameters outside groups.
    ///   - parameterGroups: The groups by name.
    ///   - version: The version of a published template.
    ///   - unknownFields: Unknown members of the JSON object.
    public init(
        conditions: [TemplateCondition] = [],
        parameters: NamedValues<TemplateParameter> = [:],
        parameterGroups: NamedValues<ParameterGroup> = [:],
        version: TemplateVersion? = nil,
        unknownFields: NamedValues<JSONNode> = [:]
    ) {
        self.conditions = conditions
        self.parameters = parameters
        self.parameterGroups = parameterGroups
        self.version = version
        self.unknownFields = unknownFields
    }
}

extension RemoteConfigTemplate {
    /// The parameters by section and key: those outside groups first, if any, then the groups in
    /// their order.
    public var sections: NamedValues<NamedValues<TemplateParameter>> {
        var sections: NamedValues<NamedValues<TemplateParameter>> = [:]
        if !parameters.isEmpty { sections[Self.defaultSectionName] = parameters }
        for (name, group) in parameterGroups {
            if sections[name] == nil {
                sections[name] = group.parameters
            } else {
                sections[name]?.merge(group.parameters, uniquingKeysWith: { first, _ in first })
            }
        }
        return sections
    }

    /// The template without its archived parameters.
    ///
    /// Groups remain, also empty ones, as when their parameters are deleted.
    public var withoutArchivedParameters: RemoteConfigTemplate {
        guard hasArchivedParameters else { return self }
        var template = self
        template.parameters.removeAll { $0.value.isArchived }
        for index in template.parameterGroups.values.indices {
            template.parameterGroups.values[index].parameters.removeAll { $0.value.isArchived }
        }
        return template
    }

    /// The archived settings by section and key.
    public var archivedSettings: [ExactText: Set<ExactText>] {
        guard hasArchivedParameters else { return [:] }
        var settings: [ExactText: Set<ExactText>] = [:]
        for (section, parameters) in sections {
            let archived = parameters.filter(\.value.isArchived)
            if !archived.isEmpty { settings[ExactText(section)] = archived.names.exactNames }
        }
        return settings
    }

    private var hasArchivedParameters: Bool {
        parameters.values.contains(where: \.isArchived)
            || parameterGroups.values.contains {
                $0.parameters.values.contains(where: \.isArchived)
            }
    }
}

/// A group of parameters, which becomes a section of the configurations.
public struct ParameterGroup: Sendable, Hashable {
    /// A description for people.
    public var description: String?

    /// The parameters by key.
    public var parameters: NamedValues<TemplateParameter>

    /// Unknown members of the JSON object.
    public var unknownFields: NamedValues<JSONNode>

    /// Creates a group.
    ///
    /// - Parameters:
    ///   - description: A description for people.
    ///   - parameters: The parameters by key.
    ///   - unknownFields: Unknown members of the JSON object.
    public init(
        description: String? = nil, parameters: NamedValues<TemplateParameter> = [:],
        unknownFields: NamedValues<JSONNode> = [:]
    ) {
        self.description = description
        self.parameters = parameters
        self.unknownFields = unknownFields
    }
}

/// A condition of a template: a name, and the condition that a client must satisfy.
public struct TemplateCondition: Sendable, Hashable {
    /// The name by which parameters refer to it, unique in the template.
    public var name: String

    /// The expression of a client template, such as `device.os == 'ios' && percent <= 10`; nil in a
    /// server template.
    public var expression: String?

    /// The condition of a server template, an object with `orCondition` and so on; nil in a client
    /// template.
    public var serverCondition: JSONNode?

    /// The colour in the console, such as `CYAN`.
    public var tagColor: String?

    /// Unknown members of the JSON object.
    public var unknownFields: NamedValues<JSONNode>

    /// Creates a condition.
    ///
    /// - Parameters:
    ///   - name: The name by which parameters refer to it.
    ///   - expression: The expression of a client template.
    ///   - serverCondition: The condition of a server template.
    ///   - tagColor: The colour in the console.
    ///   - unknownFields: Unknown members of the JSON object.
    public init(
        name: String, expression: String? = nil, serverCondition: JSONNode? = nil,
        tagColor: String? = nil, unknownFields: NamedValues<JSONNode> = [:]
    ) {
        self.name = name
        self.expression = expression
        self.serverCondition = serverCondition
        self.tagColor = tagColor
        self.unknownFields = unknownFields
    }
}
