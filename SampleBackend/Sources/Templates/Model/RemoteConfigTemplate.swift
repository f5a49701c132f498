public import JSONTree
public import OrderedCollections

/// A template in the format of Firebase Remote Config: conditions, and parameters with a value for
/// each of them.
///
/// Each parameter group is a section of the configurations that are rendered from it; the
/// parameters outside of groups are the section ``defaultSectionName``. The same key may stand in
/// two groups, which Firebase does not allow.
public struct RemoteConfigTemplate: Sendable, Hashable {
    /// The section of the parameters that belong to no group.
    public static let defaultSectionName = "Default"

    /// The conditions, the most important first.
    public var conditions: [TemplateCondition]

    /// The parameters that belong to no group, by key.
    public var parameters: OrderedDictionary<String, TemplateParameter>

    /// The groups by name.
    public var parameterGroups: OrderedDictionary<String, ParameterGroup>

    /// Who published it, when and as what; nil in a template that was not published.
    public var version: TemplateVersion?

    /// Members of the JSON object that this type does not know; they are written back.
    public var unknownFields: OrderedDictionary<String, JSONNode>

    /// Makes a template; without arguments, an empty one.
    ///
    /// - Parameters:
    ///   - conditions: The conditions, the most important first.
    ///   - parameters: The parameters that belong to no group.
    ///   - parameterGroups: The groups by name.
    ///   - version: The version, of a published template.
    ///   - unknownFields: What else stands in the JSON object.
    public init(
        conditions: [TemplateCondition] = [],
        parameters: OrderedDictionary<String, TemplateParameter> = [:],
        parameterGroups: OrderedDictionary<String, ParameterGroup> = [:],
        version: TemplateVersion? = nil,
        unknownFields: OrderedDictionary<String, JSONNode> = [:]
    ) {
        self.conditions = conditions
        self.parameters = parameters
        self.parameterGroups = parameterGroups
        self.version = version
        self.unknownFields = unknownFields
    }
}
